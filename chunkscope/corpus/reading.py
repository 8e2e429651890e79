"""Reading documents: a folder, one file, a JSONL file of records, or Parquet files."""

from __future__ import annotations

import hashlib
import os
import re
import stat
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from chunkscope.corpus.decoding import TWO_MARKS, decode, doubts, read_bytes
from chunkscope.corpus.dialect import AUTO, check_dialect, find_dialect
from chunkscope.corpus.document import Document, FileDocument, Markup, StoredText, require_document
from chunkscope.corpus.encodings import Encodings
from chunkscope.corpus.front_matter import Fault, find_front_matter
from chunkscope.corpus.gitignore import IgnoreRules, rules_above, rules_in
from chunkscope.corpus.json_lines import RecordFields, Records, fitting_encoding
from chunkscope.corpus.kinds import markup_of_file, refuse_bytes, told_kinds
from chunkscope.corpus.manifest import MANIFEST, Origin, Origins, find_origins
from chunkscope.corpus.name_filter import SUFFIXES, NameFilter, ignored_files, suffix
from chunkscope.corpus.parquet import ParquetTable, RowBlock, TableRows
from chunkscope.corpus.places import LocalPlace, has_hidden, is_url
from chunkscope.corpus.rows import Ledger, RecordRows, RecordStream, row_digest
from chunkscope.errors import InputError, os_reason, refuse_path
from chunkscope.language import Text, say

if TYPE_CHECKING:
    from chunkscope.corpus.remote import RemoteFolder, RemotePlace

_FAULTS_SHOWN = 3
TABLE = ".parquet"


@dataclass(frozen=True, repr=False)
class Corpus:
    """Documents that can be gone through again and again, in the order of their names or records.

    Attributes
    ----------
    path : str
        What was read, as it was given.
    names : tuple of str
        The documents' names, in order.
    files : dict
        SHA-256 of the bytes of each file, in hex. A JSONL corpus has one file.
    ignored : dict
        How many files of a folder were no documents, by suffix (``""``: without one).
    unreadable, warnings : tuple of str
        One message each.
    unfollowed : tuple of str
        The names of links that lead out of the folder, or to hidden files in it, and were not followed.
    git_ignored : tuple of str
        The names of documents and folders that git ignores, and that were left out; those of folders end in ``/``.
    n_bytes : int
        Size of the files, or of the texts in UTF-8.

    Examples
    --------
    >>> corpus = Corpus.of([Document("a.md", "# 見出し")])
    >>> [document.text for document in corpus], len(corpus), sorted(corpus.files)
    (['# 見出し'], 1, ['a.md'])
    """

    path: str
    names: tuple[str, ...]
    files: Mapping[str, str]
    source: Iterable[Document]
    ignored: Mapping[str, int] = field(default_factory=dict)
    unreadable: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    n_bytes: int = 0
    unfollowed: tuple[str, ...] = ()
    git_ignored: tuple[str, ...] = ()

    @classmethod
    def of(cls, documents: Iterable[Document], path: str = "") -> Corpus:
        """Make a corpus of documents in memory. A corpus is given back as it is.

        Raises
        ------
        InputError
            Two documents of one name, or something that is none.
        """
        if isinstance(documents, Corpus):
            return documents
        refuse_path(documents, "documents", "read_corpus")
        held = tuple(documents)
        files: dict[str, str] = {}
        for document in held:
            require_document(document)
            if document.name in files:
                raise InputError(f"two documents are called {document.name!r}")
            files[document.name] = hashlib.sha256(document.text.encode()).hexdigest()
        return cls(path, tuple(files), files, held, n_bytes=sum(len(document.text.encode()) for document in held))

    def __iter__(self) -> Iterator[Document]:
        return iter(self.source)

    def __len__(self) -> int:
        return len(self.names)

    def __repr__(self) -> str:
        return f"<Corpus {self.path!r}: {len(self)} documents>"

    def sample(self, n: int) -> Iterator[Document]:
        """Give at most so many documents: spread evenly, where each can be read by itself, else the first."""
        step = 1 if isinstance(self.source, RecordStream) else max(1, -(-len(self) // n))
        return islice(self, 0, n * step, step)

    @property
    def has_records(self) -> bool:
        """Tell whether its documents are the records of a file, or the rows of a table."""
        return isinstance(self.source, RecordRows | RecordStream | TableRows)

    @cached_property
    def most_characters(self) -> int:
        """Characters of all documents; of a stream, whose texts are not counted before, no more than their bytes."""
        return self.n_bytes if isinstance(self.source, RecordStream) else sum(document.length for document in self)

    @cached_property
    def sha256(self) -> str:
        """One digest of all names and contents."""
        pairs = "".join(f"{name}\0{digest}\n" for name, digest in sorted(self.files.items()))
        return hashlib.sha256(pairs.encode()).hexdigest()


def read_corpus(
    path: str | os.PathLike[str],
    *,
    encoding: str | None = None,
    encodings: Mapping[str, str] | None = None,
    include: Sequence[str] = (),
    exclude: Sequence[str] = (),
    markup: Markup | None = None,
    dialect: str | None = None,
    fields: Mapping[str, str] | None = None,
    skip_unreadable: bool = False,
    follow_links: bool = False,
    gitignore: bool = True,
) -> Corpus:
    """Read the documents of a folder, of one file, of a JSONL file, or of Parquet files.

    Parameters
    ----------
    path : path
        A folder is read with all below it, but for hidden files and folders. A file called ``.jsonl`` or ``.ndjson``
        holds a document a line (``name`` or ``id``, ``text``, other fields); a ``.parquet`` file, or a folder of such
        files and no documents, one a row. No text is held: a document reads its file, line or row when first asked for
        its text; one that has changed by then is an `InputError`.
    encoding : str, optional
        For every document without a byte order mark; strict UTF-8 without it. Of a list, ``utf-8,cp932``, the first in
        which a document can be decoded.
    encodings : mapping, optional
        The same for documents whose relative name fits a glob: ``{"legacy/**": "cp932"}``. The first that fits counts.
    include, exclude : sequences of str
        Globs over the relative name, see `NameFilter`. One file that is named itself is always read.
    markup : {"markdown", "html", "plain", "code"}, optional
        For all documents; without it a file is read by its suffix (`chunkscope.corpus.kinds`), and as plain text where
        that is unknown, which a warning says. Records are Markdown, even when named ``.html``: their text has usually
        been converted.
    dialect : str, optional
        Of Markdown: one of `chunkscope.corpus.dialect.DIALECTS`, or ``auto``, by the marks in each document; without it
        that of the configuration file that stands next to the documents or above, see `find_dialect`.
    fields : mapping, optional
        Our names for the fields of records, ``name`` and ``text``, to the file's: ``{"text": "page_content"}``. A dot
        leads into an object: ``{"name": "metadata.source"}``.
    skip_unreadable : bool
        List files that cannot be read in `Corpus.unreadable` instead of raising.
    follow_links : bool
        Follow links that lead out of the folder, or to hidden files in it, instead of listing them in
        `Corpus.unfollowed`.
    gitignore : bool
        In a work tree of git, leave out what its ``.gitignore`` files and ``.git/info/exclude`` name, and list it in
        `Corpus.git_ignored`.

    Raises
    ------
    DecodingError
        A file that is not text in the encoding.
    InputError
        No such path, no document in it, a file that cannot be opened, or a bad record (with its line).
    ConfigError
        An unknown encoding or dialect, or a glob that means nothing.
    """
    check_dialect(dialect or AUTO)
    read_as = Encodings.of(encoding, encodings or {})
    names = NameFilter(include, exclude)
    shown = os.fspath(path)
    records = _AsRecords(names, markup, RecordFields.of(fields or {}))
    if is_url(shown):
        return _in_dialect(_read_url(shown, read_as, records, skip_unreadable), dialect)
    try:
        mode = os.stat(shown).st_mode
    except (OSError, ValueError) as error:
        raise InputError(f"{shown}: {os_reason(error)}") from None
    if stat.S_ISDIR(mode):
        found = _Walk(shown, names, follow_links, rules_above(shown) if gitignore else None, gitignore)
        if found.tables and not found.files:
            tables = [(name, LocalPlace.of(path)) for name, path in sorted(found.tables)]
            return _in_dialect(_read_tables(shown, tables, records, skip_unreadable), dialect)
        return _in_dialect(_read_folder(found, read_as, markup, skip_unreadable), dialect)
    if not stat.S_ISREG(mode):
        raise InputError(f"{shown}: not a regular file; write the documents to one")
    origins, _ = find_origins(os.path.dirname(shown) or os.curdir)
    return _in_dialect(_read_one(LocalPlace.of(shown), read_as, records, skip_unreadable, origins), dialect)


def _read_url(url: str, read_as: Encodings, records: _AsRecords, skip: bool) -> Corpus:
    """Read what a URL names, as what a path names is read."""
    from chunkscope.corpus.remote import RemoteFolder, find_remote

    place = find_remote(url)
    if place is not None:
        return _read_one(place, read_as, records, skip, {})
    found = RemoteFolder(url, records.names)
    if found.tables and not found.files:
        return _read_tables(found.root, found.tables, records, skip)
    return _read_folder(found, read_as, records.markup, skip)


def _read_one(
    place: LocalPlace | RemotePlace, read_as: Encodings, records: _AsRecords, skip: bool, origins: Origins
) -> Corpus:
    """Read a file that is named itself."""
    shown, name = place.shown, place.name
    if suffix(name) == ".json" and records.markup is None:
        raise InputError(f"{shown}: JSON is no document; write a document a line, as .jsonl, or give --markup plain")
    if suffix(name) in (".jsonl", ".ndjson"):
        return _read_records(Records(place, read_as.of_path(shown), *records))
    if suffix(name) == TABLE:
        return _read_tables(shown, [(name, place)], records, False)
    alone = Encodings(read_as.of_path(shown))
    one = place.path if isinstance(place, LocalPlace) else place
    corpus = _read_files(shown, [(name, one)], alone, records.markup, skip, origins)
    if not len(corpus):
        raise InputError(f"{corpus.unreadable[0]}; no document is left")
    return corpus


def _in_dialect(corpus: Corpus, dialect: str | None) -> Corpus:
    """Let the documents be of a dialect, by default that of what stands next to them."""
    found = find_dialect(corpus.path)[0] if dialect is None else dialect
    source = corpus.source
    if isinstance(source, RecordRows | RecordStream):
        return replace(corpus, source=replace(source, records=replace(source.records, dialect=found)))
    if isinstance(source, _Files | TableRows):
        return replace(corpus, source=replace(source, dialect=found))
    return corpus


def _read_folder(found: _Walk | RemoteFolder, read_as: Encodings, markup: Markup | None, skip: bool) -> Corpus:
    found.troubles.sort()
    if found.troubles and not skip:
        raise InputError(found.troubles[0])
    origins, doubtful = find_origins(found.root, found.manifests) if isinstance(found, _Walk) else ({}, [])
    corpus = _read_files(found.root, sorted(found.files, key=lambda one: one[0]), read_as, markup, skip, origins)
    unfollowed, git_ignored = tuple(sorted(found.unfollowed)), tuple(sorted(found.git_ignored))
    corpus = replace(
        corpus,
        ignored=dict(sorted(found.ignored.items())),
        unreadable=(*map(_without_advice, found.troubles), *corpus.unreadable),
        warnings=(*_not_followed(unfollowed), *_left_to_git(git_ignored), *doubtful, *corpus.warnings),
        unfollowed=unfollowed,
        git_ignored=git_ignored,
    )
    if not len(corpus):
        raise InputError(_nothing_found(corpus))
    return corpus


def _read_files(
    path: str,
    files: Sequence[tuple[str, str | RemotePlace]],
    read_as: Encodings,
    markup: Markup | None,
    skip: bool,
    origins: Origins,
) -> Corpus:
    digests: dict[str, str] = {}
    stored: list[tuple[str, Markup, StoredText, Origin | None]] = []
    unreadable: list[str] = []
    warnings: list[str] = []
    faults = _Faults()
    n_bytes, here = 0, os.getcwd()
    for (name, place), raw in zip(files, _raw_files([place for _, place in files]), strict=True):
        encoding = read_as.of_name(name)
        try:
            if isinstance(raw, OSError):
                raise raw
            refuse_bytes(raw, name)
            document = Document(name, decode(raw, name, encoding), markup=markup or markup_of_file(name))
        except (OSError, InputError) as error:
            told = error if isinstance(error, InputError) else InputError(f"{name}: {os_reason(error)}")
            if not skip:
                raise told from None
            unreadable.append(_without_advice(str(told)))
            continue
        digests[name] = hashlib.sha256(raw).hexdigest()
        end = faults.look_at(document)
        stands = os.path.join(here, place) if isinstance(place, str) else place
        text = StoredText(stands, encoding, digests[name], document.length, end)
        written, origin = origins.get(name, ("", None))
        stored.append((name, document.markup, text, origin if written == digests[name] else None))
        n_bytes += len(raw)
        is_chosen = encoding is not None and "," in encoding
        if is_chosen or b"\x1b" in raw or b"\x00" in raw or raw.startswith(TWO_MARKS):
            warnings += doubts(raw, name, encoding)
    source = _Files(tuple(stored))
    warnings += [*faults.told(), *read_as.unused([name for name, _ in files])]
    warnings += told_kinds(digests) if markup is None else []
    return Corpus(path, tuple(digests), digests, source, {}, tuple(unreadable), tuple(warnings), n_bytes)


def _raw_files(places: Sequence[str | RemotePlace]) -> Iterator[bytes | OSError]:
    """Read files in turn; what goes wrong with one comes in its place."""
    for place in places:
        if not isinstance(place, str):
            from chunkscope.corpus.remote import read_many

            yield from read_many([place for place in places if not isinstance(place, str)])
            return
        try:
            yield read_bytes(place)
        except OSError as error:
            yield error


class _Faults:
    """Front matter that cannot be read: the first few are told, the others counted."""

    def __init__(self) -> None:
        self._told: list[Text] = []
        self._n_more = 0

    def look_at(self, document: Document) -> int:
        """Note what is wrong with the front matter of a document, and give where it ends."""
        if document.markup not in ("markdown", "html"):
            return 0
        end, fault = find_front_matter(document.text)
        self._note(document, fault)
        return end

    def _note(self, document: Document, fault: Fault | None) -> None:
        if fault and len(self._told) < _FAULTS_SHOWN:
            place = f"{document.name}:{fault.line}"
            self._told.append(say("{path}: {text}", path=place, text=fault.message))
        elif fault:
            self._n_more += 1

    def told(self) -> list[Text]:
        """Give the warnings."""
        if not self._n_more:
            return self._told
        more = say("front matter that cannot be read in {n:,} more {n:document|documents}", n=self._n_more)
        return [*self._told, more]


def _without_advice(message: str) -> str:
    return re.sub(r",? or (?:give )?--skip-unreadable$", "", message)


def _not_followed(names: Sequence[str]) -> list[Text]:
    if not names:
        return []
    first = _printable(names[0])
    if len(names) == 1:
        return [say("{name}: a link that leads out of the folder is not followed without --follow-links", name=first)]
    return [
        say(
            "{n} links that lead out of the folder, {name} first, are not followed without --follow-links",
            n=len(names),
            name=first,
        )
    ]


def _left_to_git(names: Sequence[str]) -> list[Text]:
    n_folders = sum(name.endswith("/") for name in names)
    n_files = len(names) - n_folders
    counts = [say("{n:,} {n:document|documents}", n=n_files)] if n_files else []
    counts += [say("{n:,} {n:folder|folders}", n=n_folders)] if n_folders else []
    if not counts:
        return []
    shown = _printable(names[0]) + (", ..." if len(names) > 1 else "")
    return [
        say("{counts:, } left out, as git ignores them ({name}); --no-ignore reads them", counts=counts, name=shown)
    ]


@dataclass(frozen=True)
class _Files:
    """The documents of a folder. No text is kept: each iteration makes them anew, and they read their files."""

    rows: tuple[tuple[str, Markup, StoredText, Origin | None], ...]
    dialect: str = AUTO

    def __iter__(self) -> Iterator[Document]:
        return (FileDocument.of(*row, self.dialect) for row in self.rows)


class _Walk:
    """What stands in a folder and below: documents, the rest counted by suffix, and what could not be looked at."""

    def __init__(
        self, root: str, names: NameFilter, follow_links: bool, above: IgnoreRules | None, gitignore: bool
    ) -> None:
        self.root = root
        self.files: list[tuple[str, str]] = []
        self.tables: list[tuple[str, str]] = []
        self.unfollowed: list[str] = []
        self.git_ignored: list[str] = []
        self.ignored: Counter[str] = Counter()
        self.troubles: list[str] = []
        self.manifests: list[str] = []
        self._names = names
        self._inside = "" if follow_links else os.path.join(os.path.realpath(root), "")
        self._gitignore = gitignore
        self._rules: IgnoreRules | None = None
        self._seen: set[tuple[int, int]] = set()
        # links wait until all real folders have been seen, so that a document bears its real name
        folders: list[tuple[str, str, IgnoreRules | None]] = [("", root, above)]
        links: list[tuple[str, str, IgnoreRules | None]] = []
        while folders or links:
            if not folders:
                links.sort(key=lambda link: link[:2], reverse=True)
                folders.append(links.pop())
            prefix, place, self._rules = folders.pop()
            for name, entry in self._entries(prefix, place):
                (links if entry.is_symlink() else folders).append((name + "/", entry.path, self._rules))

    def _entries(self, prefix: str, place: str) -> Iterator[tuple[str, os.DirEntry[str]]]:
        """Sort a folder's files, and give its folders."""
        try:
            status = os.stat(place)
            if (status.st_dev, status.st_ino) in self._seen:
                return
            self._seen.add((status.st_dev, status.st_ino))
            with os.scandir(place) as scan:
                entries = list(scan)
        except OSError as error:
            self.troubles.append(f"{_printable(prefix.rstrip('/') or place)}: {os_reason(error)}")
            return
        if self._gitignore:
            self._rules = rules_in(self._rules, prefix, place, {entry.name for entry in entries})
        for entry in entries:
            name = prefix + entry.name
            if entry.name.startswith(".") or self._names.excludes(name):
                continue
            if entry.name == MANIFEST:
                self.manifests += [prefix] if prefix and not entry.is_symlink() else []
                continue
            try:
                is_folder = entry.is_dir()
                is_file = not is_folder and entry.is_file()
            except OSError:
                is_folder = is_file = False
            if self._is_ignored(name, entry, is_folder):
                continue
            if entry.is_symlink() and (is_folder or (is_file and self._names.accepts(name))) and self._leads_out(entry):
                self.unfollowed.append(name)
            elif is_folder:
                yield name, entry
            else:
                self._sort_file(name, entry, is_file)

    def _is_ignored(self, name: str, entry: os.DirEntry[str], is_folder: bool) -> bool:
        """Tell whether git ignores a document or a folder; a link to a folder is none to git."""
        if not self._rules or not (is_folder or self._names.accepts(name)):
            return False
        ignored = self._rules.ignores(name, is_folder and not entry.is_symlink())
        if ignored:
            self.git_ignored.append(f"{name}/" if is_folder else name)
        return ignored

    def _leads_out(self, link: os.DirEntry[str]) -> bool:
        """Tell whether a link leads out of what is read: out of the folder, or to what is hidden in it."""
        target = os.path.join(os.path.realpath(link.path), "")
        return not target.startswith(self._inside) or bool(self._inside and has_hidden(target[len(self._inside) :]))

    def _sort_file(self, name: str, entry: os.DirEntry[str], is_file: bool) -> None:
        if not self._names.accepts(name):
            self.ignored[_printable(suffix(name))] += 1
            if suffix(name) == TABLE and is_file and not entry.is_symlink() and _is_encodable(name):
                self.tables.append((name, entry.path))
        elif not _is_encodable(name):
            self.troubles.append(f"{_printable(name)}: the file's name is not UTF-8; rename it")
        elif not is_file:
            reason = "a link that leads nowhere" if entry.is_symlink() else "not a regular file"
            self.troubles.append(f"{name}: {reason}; take it away, or give --exclude or --skip-unreadable")
        else:
            self.files.append((name, entry.path))


def _nothing_found(corpus: Corpus) -> str:
    notes = [f"{corpus.path}: no document in it (looked for {', '.join(SUFFIXES)}, or what --include names)"]
    if corpus.ignored:
        notes.append(ignored_files(corpus.ignored))
    if corpus.unreadable:
        notes.append(f"{len(corpus.unreadable)} unreadable, the first: {corpus.unreadable[0]}")
    return "; ".join([*notes, *corpus.warnings])


def _read_records(records: Records) -> Corpus:
    shown, state = records.place.shown, records.state()
    try:
        with records.place.open() as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise InputError(f"{shown}: {os_reason(error)}") from None
    records = replace(records, encoding=fitting_encoding(records.place, records.encoding))
    names: dict[str, None] = {}
    ledger, faults, alone = Ledger(), _Faults(), True
    for line, document in records.placed():
        faults.look_at(document)
        if document.name in names:
            raise InputError(f"{shown}:{line.number}: a second document called {document.name!r}")
        names[document.name] = None
        alone = alone and bool(line.raw)
        if alone:
            ledger.add(line.offset, len(line.raw), document, row_digest(line.raw))
    if not names:
        raise InputError(f"{shown}: no document in it; one JSON object a line, with 'name' and 'text'")
    kept = tuple(names)
    source = RecordRows(kept, ledger, records, state) if alone else RecordStream(records, state)
    files = {records.place.name: digest}
    return Corpus(shown, kept, files, source, warnings=tuple(faults.told()), n_bytes=state[0])


class _AsRecords(NamedTuple):
    """How rows are read as documents."""

    names: NameFilter
    markup: Markup | None
    fields: RecordFields


def _read_tables(
    shown: str, files: Sequence[tuple[str, LocalPlace | RemotePlace]], read_as: _AsRecords, skip: bool
) -> Corpus:
    """Read the documents of Parquet files."""
    names: dict[str, None] = {}
    digests: dict[str, str] = {}
    blocks: list[RowBlock] = []
    ledger, faults, unreadable, n_bytes = Ledger(), _Faults(), list[str](), 0
    for name, place in files:
        table = ParquetTable(place, read_as.fields, read_as.names, read_as.markup)
        own, own_names, own_blocks, own_bytes = Ledger(), dict[str, None](), list[RowBlock](), 0
        try:
            digest = table.digest()
            for block, row, document in table.placed():
                if document.name in own_names or document.name in names:
                    raise InputError(
                        f"{place.shown}: row {block.first + row + 1}: a second document called {document.name!r}"
                    )
                own_names[document.name] = None
                if not own_blocks or own_blocks[-1] is not block:
                    own_blocks.append(block)
                raw = document.text.encode()
                own_bytes += len(raw)
                faults.look_at(document)
                own.add(len(own_blocks) - 1, row, document, row_digest(raw))
        except InputError as error:
            if not skip:
                raise
            unreadable.append(str(error))
            continue
        digests[name] = digest
        ledger.extend(own, len(blocks))
        blocks += own_blocks
        names |= own_names
        n_bytes += own_bytes
    if not names:
        first = f"; {len(unreadable)} unreadable, the first: {unreadable[0]}" if unreadable else ""
        raise InputError(f"{shown}: no document in it; a row is one, with columns 'name' and 'text'{first}")
    source = TableRows(tuple(names), ledger, tuple(blocks), read_as.markup)
    told = tuple(faults.told())
    return Corpus(shown, source.names, digests, source, {}, tuple(unreadable), told, n_bytes)


def _is_encodable(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def _printable(name: str) -> str:
    return name.encode("utf-8", "backslashreplace").decode()
