"""Documents that a URL names, through fsspec: listed without their texts, and read where they are needed.

Credentials are fsspec's own. A place keeps the URL as it was given, for whoever reads it; all that is shown is without.
"""

from __future__ import annotations

import contextlib
import errno
import io
import os
import posixpath
import re
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from chunkscope.corpus.name_filter import NameFilter, suffix
from chunkscope.corpus.places import has_hidden, shown_url
from chunkscope.errors import InputError, MissingPartError, os_reason

WINDOW = 1 << 22
"""Bytes that are read together where a part of a file is asked for: its neighbours are asked for next."""

AT_ONCE, BYTES_AT_ONCE = 16, 1 << 23
MOST_FOLDERS = 100_000
_TAGS = ("ETag", "etag", "Last-Modified", "LastModified", "mtime", "updated", "created", "CRC")
_ADDRESS = re.compile(r"\b[a-z][a-z0-9+.-]+://[^\s'\",)>]+", re.IGNORECASE)
_REFUSED = ("401", "403", "AccessDenied", "Forbidden", "InvalidAccessKeyId", "SignatureDoesNotMatch")


@dataclass(frozen=True)
class RemotePlace:
    """An object that a URL leads to, or one below.

    Attributes
    ----------
    shown : str
    url : str
        As it was given, with what may be secret in it.
    path : str
        Of the object, as its file system has it.
    size : int
        Bytes; 0 where nobody says.
    tag : str
        What the server says that changes with the object; empty where it says nothing.
    """

    shown: str
    url: str = field(repr=False)
    path: str = field(repr=False)
    size: int = 0
    tag: str = ""

    @property
    def name(self) -> str:
        """The last step of the path, in an archive too."""
        first = next(link for link in self.shown.split("::") if "://" in link)
        return posixpath.basename(first)

    def open(self) -> io.BufferedIOBase:
        """Open a copy of it, a temporary file that has no name."""
        copy = _copied(self).file
        path = f"/proc/self/fd/{copy.fileno()}"
        if os.path.exists(path):  # a position of its own
            return open(path, "rb")
        copy.seek(0)
        return open(os.dup(copy.fileno()), "rb")

    def read(self) -> bytes:
        """Read all of it."""
        with _told():
            return bytes(_file_system(self.url)[0].cat_file(self.path))

    def part(self, offset: int, n_bytes: int) -> bytes:
        """Read a part."""
        first, last = offset // WINDOW, (offset + n_bytes - 1) // WINDOW
        inside = b"".join(_window(self, number) for number in range(first, last + 1))
        return inside[offset - first * WINDOW :][:n_bytes]

    def state(self) -> tuple[int, str]:
        """Ask for size and tag."""
        with _told():
            fs, _ = _file_system(self.url)
            fs.invalidate_cache()
            return _size_and_tag(fs.info(self.path))


class _Copy:
    """A file that goes when nobody needs it any more."""

    def __init__(self, place: RemotePlace) -> None:
        self.file = tempfile.TemporaryFile()  # noqa: SIM115  it is read for as long as this is kept
        with _told(), _file_system(place.url)[0].open(place.path, "rb") as file:
            shutil.copyfileobj(file, self.file, 1 << 20)
        self.file.flush()

    def __del__(self) -> None:
        self.file.close()


@lru_cache(maxsize=2)
def _copied(place: RemotePlace) -> _Copy:
    return _Copy(place)


@lru_cache(maxsize=4)
def _window(place: RemotePlace, number: int) -> bytes:
    start = number * WINDOW
    with _told():
        raw = bytes(_file_system(place.url)[0].cat_file(place.path, start=start, end=start + WINDOW))
    if len(raw) <= WINDOW and (len(raw) == WINDOW or place.size == 0 or start + len(raw) >= place.size):
        return raw
    with place.open() as copy:  # a server that gives no parts
        copy.seek(start)
        return copy.read(WINDOW)


class RemoteFolder:
    """What stands below a URL: documents, Parquet files, and the rest counted by suffix. No text is read.

    Raises
    ------
    InputError
        There is nothing, nobody answers, or there are no rights.
    MissingPartError
        fsspec, or what it needs for such a URL, is not installed.
    """

    def __init__(self, url: str, names: NameFilter) -> None:
        self.root = shown_url(url)
        self.files: list[tuple[str, RemotePlace]] = []
        self.tables: list[tuple[str, RemotePlace]] = []
        self.ignored: Counter[str] = Counter()
        self.troubles: list[str] = []
        self.unfollowed: list[str] = []
        self.git_ignored: list[str] = []
        for name, place in _listed(url):
            if has_hidden(name) or names.excludes(name):
                continue
            if names.accepts(name):
                self.files.append((name, place))
            else:
                self.ignored[suffix(name)] += 1
                if suffix(name) == ".parquet":
                    self.tables.append((name, place))


def find_remote(url: str) -> RemotePlace | None:
    """Find the one object that a URL names; None where it names a folder.

    Raises
    ------
    InputError, MissingPartError
        As `RemoteFolder`.
    """
    shown = shown_url(url)
    if shown.startswith(("http://", "https://")) and shown.endswith("/"):
        return None
    try:
        with _told():
            fs, path = _file_system(url)
            info = fs.info(path)
    except OSError as error:
        raise InputError(f"{shown}: {os_reason(error)}") from None
    if info.get("type") == "directory":
        return None
    return RemotePlace(shown, url, path, *_size_and_tag(info))


def read_many(places: Sequence[RemotePlace]) -> Iterator[bytes | OSError]:
    """Read objects in turn, some of them at once where servers are asked."""
    is_slow = bool(places) and bool(getattr(_file_system(places[0].url)[0], "async_impl", False))
    with ThreadPoolExecutor(AT_ONCE if is_slow else 1) as threads:
        for some in _grouped(places, AT_ONCE if is_slow else 1):
            yield from threads.map(_raw, some)


def _grouped(places: Sequence[RemotePlace], most: int) -> Iterator[list[RemotePlace]]:
    some: list[RemotePlace] = []
    for place in places:
        if some and (len(some) == most or sum(one.size for one in some) + place.size > BYTES_AT_ONCE):
            yield some
            some = []
        some.append(place)
    if some:
        yield some


def _raw(place: RemotePlace) -> bytes | OSError:
    try:
        return place.read()
    except OSError as error:
        return error


def _listed(url: str) -> list[tuple[str, RemotePlace]]:
    """Give all objects below a URL, by their names there."""
    shown = shown_url(url)
    try:
        with _told():
            fs, root = _file_system(url)
            start = root if not root or root.endswith("/") else f"{root}/"
            found = _by_links(fs, start) if shown.startswith("http") else fs.find(root, detail=True)
    except OSError as error:
        raise InputError(f"{shown}: {os_reason(error)}") from None
    base = shown if shown.endswith(("/", "::")) else f"{shown}/"
    listed = []
    for path, info in found.items():
        inside = path.lstrip("/") if not start.startswith("/") else path
        name = inside.removeprefix(start.lstrip("/") if inside != path else start)
        if name and info.get("type") != "directory":
            shown_name = shown_url(f"{base}{name}") if "::" not in base else f"{shown}: {name}"
            listed.append((name, RemotePlace(shown_name, url, path, *_size_and_tag(info))))
    return sorted(listed, key=lambda one: one[0])


def _by_links(fs: Any, start: str) -> dict[str, dict[str, Any]]:
    """Follow the links of index pages, below where they begin and no further."""
    found: dict[str, dict[str, Any]] = {}
    waiting, seen = [start], {start}
    while waiting and len(seen) < MOST_FOLDERS:
        for info in fs.ls(waiting.pop(), detail=True):
            path = info["name"]
            if not path.startswith(start) or path in seen or "?" in path or "#" in path or "/../" in path:
                continue
            seen.add(path)
            if path.endswith("/"):
                waiting.append(path)
            else:
                found[path] = info
    return found


def _size_and_tag(info: dict[str, Any]) -> tuple[int, str]:
    tag = next((str(info[name]) for name in _TAGS if info.get(name) is not None), "")
    return int(info.get("size") or 0), tag


@lru_cache(maxsize=8)
def _file_system(url: str) -> tuple[Any, str]:
    shown = shown_url(url)
    try:
        from fsspec.core import url_to_fs
    except ModuleNotFoundError:
        raise MissingPartError(f"{shown}: a URL needs fsspec: pip install 'chunkscope[remote]'") from None
    try:
        fs, path = url_to_fs(url)
    except ImportError as error:
        raise MissingPartError(f"{shown}: {_first_line(error)}") from None
    except ValueError as error:
        raise InputError(f"{shown}: no such kind of URL: {_first_line(error)}") from None
    return fs, path


@contextlib.contextmanager
def _told() -> Iterator[None]:
    """Make an `OSError` with a few words of whatever a file system raises."""
    try:
        yield
    except (InputError, MissingPartError):
        raise
    except Exception as error:
        raise OSError(errno.EIO, _reason(error)) from None


def _reason(error: Exception) -> str:
    kind, text = type(error).__name__, str(error)
    status = str(getattr(error, "status", "") or "")
    if isinstance(error, FileNotFoundError) and isinstance(error.__cause__, Exception):
        return _reason(error.__cause__)  # a web server that does not answer is no such file to fsspec
    if isinstance(error, FileNotFoundError) or status == "404" or "NoSuchBucket" in text:
        return "no such file or folder"
    if isinstance(error, PermissionError) or status in _REFUSED or any(word in text for word in _REFUSED[2:]):
        return "permission denied"
    if "Credentials" in kind or "Unable to locate credentials" in text:
        return "no credentials; give them to fsspec as it takes them, in the environment for example"
    if "Certificate" in kind or "CERTIFICATE" in text:
        return "the server's certificate is not trusted"
    if status:
        return f"the server answers {status}"
    if isinstance(error, ConnectionError | TimeoutError) or "Connect" in kind or "Connect" in text:
        return "the server does not answer"
    if kind == "BadZipFile":
        return "not a zip archive that can be read"
    return f"{kind}: {_first_line(error)}"


def _first_line(error: Exception) -> str:
    """Give the first line of a message, its URLs without what may be secret."""
    line = (str(error).splitlines() or [""])[0]
    return _ADDRESS.sub(lambda address: shown_url(address[0]), line)
