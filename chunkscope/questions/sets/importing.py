"""Reading a set of questions, whichever kind it is."""

from __future__ import annotations

import os

from chunkscope.errors import ConfigError, InputError, did_you_mean
from chunkscope.questions.sets.beir import CORPUS, QRELS, QUERIES, is_beir, read_beir
from chunkscope.questions.sets.files import SetFile, read_set_file
from chunkscope.questions.sets.model import FORMATS, ImportOptions, QuestionSet, SetFormat
from chunkscope.questions.sets.rows import kind_of_rows, read_proposals, read_rows, rows_of
from chunkscope.questions.sets.squad import is_flat, is_nested, read_squad, require_squad


def read_question_set(
    path: str | os.PathLike[str], format: SetFormat | None = None, options: ImportOptions | None = None
) -> QuestionSet:
    """Read the questions of another tool.

    Parameters
    ----------
    path : path
        A file; of BEIR the folder.
    format : str, optional
        One of `FORMATS`. Without it the shape of the file decides: SQuAD has contexts with answers, BEIR is a folder,
        RAGAS has its columns, and any other table is one of questions.
    options : ImportOptions, optional

    Raises
    ------
    InputError
        It cannot be read, is not what it ought to be, or holds no row.
    DecodingError
        It is not in UTF-8, or not in the encoding that is named.
    ConfigError
        A format that does not exist, or a mapping of a field that questions do not have.
    """
    shown, how = os.fspath(path), options or ImportOptions()
    if format is not None and format not in FORMATS:
        hint = did_you_mean(format, FORMATS) or f"there are {', '.join(FORMATS)}"
        raise ConfigError(f"no format of question sets is called {format!r}; {hint}")
    folder = _beir_folder(shown, format)
    if folder is not None:
        return read_beir(folder, how)
    file = read_set_file(shown, how.encoding)
    _require_rows(file)
    kind = format or _kind(file)
    if kind == "squad":
        require_squad(file)
        return read_squad(file, how)
    rows = rows_of(file)
    _require_rows(rows)
    if kind == "proposals":
        return read_proposals(rows, how)
    return read_rows(rows, how, kind)


def _require_rows(file: SetFile) -> None:
    if not file.rows:
        reason = f" ({file.path}:{file.faults[0][0]}: {file.faults[0][1]})" if file.faults else ""
        raise InputError(f"{file.path}: no question in it{reason}")


def _kind(file: SetFile) -> SetFormat:
    rows = rows_of(file)
    if is_nested(file.whole) or is_flat(rows.first):
        return "squad"
    return kind_of_rows(rows)


def _beir_folder(path: str, format: SetFormat | None) -> str | None:
    """Give the folder of a set of BEIR, where it or one of its files is named."""
    if os.path.isdir(path):
        if not is_beir(path):
            raise InputError(f"{path}: is a folder; one of BEIR would have {CORPUS}, {QUERIES} and {QRELS}/*.tsv")
        if format not in (None, "beir"):
            raise InputError(f"{path}: is a folder; name a file")
        return path
    around = os.path.dirname(path) or os.curdir
    is_part = os.path.basename(path) in (CORPUS, QUERIES) and is_beir(around)
    if format == "beir" and not is_part:
        raise InputError(f"{path}: of a set of BEIR name the folder, with {CORPUS}, {QUERIES} and {QRELS}/*.tsv")
    return around if is_part and format in (None, "beir") else None
