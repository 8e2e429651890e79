"""Converting a folder: what has changed is converted, failures are named, and the manifest is always whole."""

from __future__ import annotations

import hashlib
import os
import secrets
import time
import unicodedata
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from importlib import metadata, util

from chunkscope._version import __version__
from chunkscope.convert.markdown import Converted
from chunkscope.convert.office import HTML
from chunkscope.convert.process import Converter
from chunkscope.corpus.manifest import MANIFEST, Entry, Origin, manifest_text, output_name, read_manifest
from chunkscope.corpus.name_filter import SUFFIXES, TO_CONVERT, NameFilter, suffix
from chunkscope.errors import InputError, MissingPartError, os_reason
from chunkscope.language import say

CONVERTED = (*TO_CONVERT, *HTML)
"""Suffixes of the files that are converted."""

COPIED = tuple(kind for kind in SUFFIXES if kind not in CONVERTED)
"""Suffixes of text that is copied as it is."""

COPY = "copy"

PACKAGES = ("kreuzberg", "pdfplumber")
"""What converts: the extra ``convert``."""

LARGEST = 1 << 30
"""Bytes of the largest file that is looked at."""

TIMEOUT = 600.0
"""Seconds that one file may take."""

BETWEEN = 2.0
"""Seconds between two writings of the manifest, so that little is lost to a power cut."""


@dataclass
class Conversion:
    """What became of the files of a folder.

    Attributes
    ----------
    entries : dict of str to Entry
        What stands in the manifest now, by output.
    converted, unchanged : list of str
        Sources that were converted, and those that were converted before and are the same.
    failures : dict of str to str
        What could not be converted, and why.
    warnings : list of str
        What is doubtful, and what was left alone.
    ignored : dict of str to int
        How many files of other kinds there are, by suffix.
    """

    entries: dict[str, Entry] = field(default_factory=dict)
    converted: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    failures: dict[str, str] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    ignored: dict[str, int] = field(default_factory=dict)


def convert(
    source: str,
    output: str,
    *,
    names: NameFilter | None = None,
    force: bool = False,
    timeout: float = TIMEOUT,
    told: Callable[[int, int], None] | None = None,
) -> Conversion:
    """Convert the files of a folder, or one file, to Markdown files with a manifest.

    Parameters
    ----------
    source : str
        A file, or a folder with all below it, but for hidden files and links.
    output : str
        The folder to write to; it is made where it is not there. ``a/b.pdf`` becomes ``a/b.pdf.md`` in it. Nothing
        outside it is written, and nothing in it that was not written by this before and left as it was.
    names : NameFilter, optional
        What its globs leave out.
    force : bool
        Write over files that were changed, or written by others; and convert anew what has not changed.
    timeout : float
        Seconds that one file may take.
    told : callable, optional
        Hears how many files are done, of how many.

    Raises
    ------
    InputError
        No such source, nothing to convert in it, a manifest that cannot be read, or a folder that cannot be written.
    MissingPartError
        The extra ``convert`` is not installed.
    """
    _require_packages()
    result = Conversion()
    files = _files(source, output, names or NameFilter(), result)
    if not files:
        raise InputError(f"{source}: nothing to convert in it; files called {', '.join(CONVERTED)} are")
    folder = _Folder(output, force)
    result.entries.update(folder.entries)
    try:
        with Converter(timeout) as converter:
            for number, (name, path) in enumerate(files):
                if told is not None:
                    told(number, len(files))
                try:
                    _one(name, path, folder, converter, result)
                except InputError as error:
                    result.failures[_shown(name)] = str(error)
                folder.save(result.entries, now=False)
    finally:
        folder.save(result.entries, now=True)
    _tell_of_the_rest(folder, result)
    return result


def _require_packages() -> None:
    lacking = [name for name in PACKAGES if util.find_spec(name) is None]
    if lacking:
        raise MissingPartError(f"convert needs {' and '.join(lacking)}; pip install 'chunkscope[convert]'")


def _one(name: str, path: str, folder: _Folder, converter: Converter, result: Conversion) -> None:
    """Convert one file, if it has changed."""
    if not _is_encodable(name):
        raise InputError("the file's name is not UTF-8; rename it")
    try:
        size = os.path.getsize(path)
        if size > LARGEST:
            raise InputError(f"has {size / 1e9:,.1f} GB; {LARGEST / 1e9:,.1f} GB is the most")
        with open(path, "rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise InputError(os_reason(error)) from None
    is_text = suffix(name) in COPIED
    target = name if is_text else output_name(name)
    folder.claim(name, target)
    known = result.entries.get(target)
    origin_path = folder.path_to(path)
    if known and (known.source, known.sha256) == (origin_path, digest) and folder.is_current(known):
        result.unchanged.append(name)
        return
    if is_text:
        with open(path, "rb") as file:
            written, found = file.read(), Converted("", COPY)
    else:
        found = converter.convert(path)
        written = found.text.encode("utf-8", "replace")
    written_digest = hashlib.sha256(written).hexdigest()
    folder.require_free(target, known, origin_path, written_digest)
    folder.write(target, written)
    result.entries[target] = Entry(
        origin_path,
        digest,
        target,
        written_digest,
        found.converter,
        _version(found.converter),
        Origin(name, found.unit, found.labels, found.starts),
    )
    result.converted.append(name)
    result.warnings += [say("{id}: {text}", id=name, text=warning) for warning in found.warnings]


def _version(converter: str) -> str:
    """Give the versions on which the Markdown of a converter depends."""
    return "" if converter == COPY else f"{metadata.version(converter)}, chunkscope {__version__}"


def _files(source: str, output: str, names: NameFilter, result: Conversion) -> list[tuple[str, str]]:
    """Give the files to convert by their names, those of the output folder left out."""
    if not os.path.exists(source):
        raise InputError(f"{source}: no such file or folder")
    if os.path.isfile(source):
        name = os.path.basename(source)
        if suffix(name) not in CONVERTED:
            raise InputError(f"{source}: not converted; files called {', '.join(CONVERTED)} are")
        return [(name, source)]
    found = []
    own = os.path.realpath(output)
    for place, folders, files in os.walk(source, onerror=lambda error: _note_trouble(error, result)):
        prefix = os.path.relpath(place, source).replace(os.sep, "/")
        prefix = "" if prefix == os.curdir else f"{prefix}/"
        folders[:] = [
            name for name in sorted(folders) if _is_wanted(prefix + name, os.path.join(place, name), own, names, result)
        ]
        for name in sorted(files):
            path = os.path.join(place, name)
            if not _is_wanted(prefix + name, path, own, names, result) or not names.includes(prefix + name):
                continue
            if suffix(name) in CONVERTED + COPIED and os.path.isfile(path):
                found.append((prefix + name, path))
            else:
                result.ignored[suffix(name)] = result.ignored.get(suffix(name), 0) + 1
    # with nothing to convert but text that is copied, there is nothing to do
    return found if any(suffix(name) in CONVERTED for name, _ in found) else []


def _is_wanted(name: str, path: str, own: str, names: NameFilter, result: Conversion) -> bool:
    if name.rsplit("/", 1)[-1].startswith((".", "~$")) or names.excludes(name) or os.path.realpath(path) == own:
        return False
    if os.path.islink(path):
        result.warnings.append(say("{name}: a link is not followed", name=_shown(name)))
        return False
    return True


def _note_trouble(error: OSError, result: Conversion) -> None:
    result.failures[_shown(str(error.filename))] = os_reason(error)


class _Folder:
    """The folder that is written to: what stands in it, and what may be written."""

    def __init__(self, path: str, force: bool) -> None:
        self.path, self._force = path, force
        self._manifest = os.path.join(path, MANIFEST)
        self._claimed: dict[str, str] = {}
        self._saved = time.monotonic()
        try:
            os.makedirs(path, exist_ok=True)
        except FileExistsError:
            raise InputError(f"{path}: is a file; name a folder") from None
        except OSError as error:
            raise InputError(f"{path}: {os_reason(error)}") from None
        if not os.access(path, os.W_OK | os.X_OK):
            raise InputError(f"{path}: the folder is read-only")
        if os.path.islink(self._manifest):
            raise InputError(f"{self._manifest}: is a link; take it away")
        self.entries = read_manifest(self._manifest) if os.path.exists(self._manifest) else {}
        self._text = manifest_text(self.entries) if self.entries else ""

    def claim(self, name: str, target: str) -> None:
        """Refuse a second source whose output has the same name, where capitals and compositions make no difference."""
        form = unicodedata.normalize("NFC", target).casefold()
        first = self._claimed.setdefault(form, name)
        if first != name:
            raise InputError(f"would be written to {target}, as {first} is; rename one of them")

    def is_current(self, entry: Entry) -> bool:
        """Tell whether what was written is there as it was, by the converter that would be used now."""
        if self._force or entry.converter not in (*PACKAGES, COPY) or entry.version != _version(entry.converter):
            return False
        return self._digest(entry.output) == entry.output_sha256

    def path_to(self, source: str) -> str:
        """Give the path that leads from here to a source; its whole path where none does, from another drive."""
        try:
            path = os.path.relpath(os.path.realpath(source), os.path.realpath(self.path))
        except ValueError:
            path = os.path.realpath(source)
        return path.replace(os.sep, "/")

    def require_free(self, target: str, known: Entry | None, source: str, written: str) -> None:
        """Refuse what would write over a file that is not as it was written here, unless it has the very content."""
        self._require_inside(target)
        digest = self._digest(target)
        if digest in (None, written) or self._force:
            return
        shown = os.path.join(self.path, target)
        if known is None:
            raise InputError(f"{shown} is there already, and was not written by convert; move it, or give --force")
        if known.source != source:
            raise InputError(f"{shown} was made of {known.source}; take another -o, or give --force")
        if digest != known.output_sha256:
            raise InputError(f"{shown} was changed since it was written; move it, or give --force")

    def _require_inside(self, target: str) -> None:
        """Refuse a path that leads out of the folder, by a link in it."""
        place = os.path.realpath(os.path.dirname(os.path.join(self.path, target)))
        if os.path.commonpath([place, os.path.realpath(self.path)]) != os.path.realpath(self.path):
            raise InputError(f"{os.path.join(self.path, target)}: a link leads it out of the folder")
        if os.path.isdir(os.path.join(self.path, target)):
            raise InputError(f"{os.path.join(self.path, target)}: is a folder")

    def _digest(self, target: str) -> str | None:
        path = os.path.join(self.path, target)
        if not os.path.lexists(path):
            return None
        if os.path.islink(path) or not os.path.isfile(path):
            return ""
        try:
            with open(path, "rb") as file:
                return hashlib.file_digest(file, "sha256").hexdigest()
        except OSError:
            return ""

    def write(self, target: str, content: bytes) -> None:
        """Write a file whole, or not at all."""
        path = os.path.join(self.path, target)
        draft = os.path.join(os.path.dirname(path), f".{secrets.token_hex(8)}.tmp")
        try:
            os.makedirs(os.path.dirname(path), exist_ok=True)
            try:
                with open(draft, "xb") as file:
                    file.write(content)
                os.replace(draft, path)
            finally:
                with suppress(FileNotFoundError):
                    os.unlink(draft)
        except OSError as error:
            raise InputError(f"{path}: {os_reason(error)}") from None

    def save(self, entries: dict[str, Entry], *, now: bool) -> None:
        """Write the manifest, if it is time or must be."""
        if not now and time.monotonic() - self._saved < BETWEEN:
            return
        text = manifest_text(entries)
        if text != self._text and entries:
            self.write(MANIFEST, text.encode("utf-8", "replace"))
        self._text, self._saved = text, time.monotonic()


def _tell_of_the_rest(folder: _Folder, result: Conversion) -> None:
    """Tell what stands in the output folder and is no longer that of its source."""
    for entry in result.entries.values():
        shown = os.path.join(folder.path, entry.output)
        if not os.path.exists(shown):
            continue
        if entry.origin.source in result.failures:
            told = say("{path} is of an earlier state of {source}", path=shown, source=entry.origin.source)
            result.warnings.append(told)
        elif not os.path.exists(os.path.join(folder.path, entry.source)):
            told = say(
                "{path}: its source {source} is gone; delete it if it is not wanted", path=shown, source=entry.source
            )
            result.warnings.append(told)


def _shown(name: str) -> str:
    return name.encode("utf-8", "backslashreplace").decode()


def _is_encodable(name: str) -> bool:
    return _shown(name) == name
