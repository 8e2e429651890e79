"""What git ignores: ``.gitignore`` files and ``.git/info/exclude`` of a work tree, read as git reads them.

Patterns are matched without backtracking, see `match_steps`. Two things differ on purpose: a character is a code
point and not a byte, and whether a file is tracked does not matter. The user's own ``core.excludesFile`` is not asked,
so that a corpus is the same on every machine.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from chunkscope.corpus.decoding import read_bytes
from chunkscope.corpus.name_filter import Test, compose, match_steps

IGNORE_FILE = ".gitignore"
MOST_BYTES = 1 << 20
"""Ignore files that are longer are not read: people write some dozen lines."""

_CLASSES = {
    "alnum": "a-zA-Z0-9",
    "alpha": "a-zA-Z",
    "blank": r" \t",
    "cntrl": r"\x00-\x1f\x7f",
    "digit": "0-9",
    "graph": "!-~",
    "lower": "a-z",
    "print": " -~",
    "punct": r"!-/:-@\[-`{-~",
    "space": r" \t-\r",
    "upper": "A-Z",
    "xdigit": "0-9A-Fa-f",
}
_ANY = object()


@dataclass(frozen=True)
class Rule:
    """A line of an ignore file.

    Attributes
    ----------
    negated : bool
        What matches is not ignored after all.
    folders_only : bool
    anchored : bool
        Matches the whole name below the file's folder; otherwise the last step of it alone.
    steps : tuple
        Tests of the steps; None stands for any number of them.
    literal : str
        The last step, where it is all that counts and has no wildcards.
    """

    negated: bool
    folders_only: bool
    anchored: bool
    steps: tuple[Test | None, ...]
    literal: str = ""

    def matches(self, steps: Sequence[str], is_folder: bool) -> bool:
        """Tell whether the rule is about something with this name."""
        if self.folders_only and not is_folder:
            return False
        return match_steps(self.steps, steps if self.anchored else steps[-1:])


def parse_rules(text: str) -> Iterator[Rule]:
    r"""Read the lines of an ignore file. What git cannot match is left out.

    Examples
    --------
    >>> [(rule.negated, rule.folders_only, rule.anchored) for rule in parse_rules("# build\n*.log\n!/keep.log\nout/\n")]
    [(False, False, False), (True, False, True), (False, True, False)]
    """
    for line in text.removeprefix("\ufeff").split("\n"):
        pattern = _without_trailing_blanks(line.removesuffix("\r"))
        if not pattern or pattern.startswith("#"):
            continue
        negated = pattern.startswith("!")
        pattern = pattern[negated:]
        folders_only = pattern.endswith("/")
        pattern = pattern[: len(pattern) - folders_only]
        anchored = "/" in pattern
        steps = _steps(compose(pattern.removeprefix("/")), anchored)
        if steps is not None:
            plain = not anchored and not set(pattern) & set("*?[\\")
            yield Rule(negated, folders_only, anchored, steps, compose(pattern) if plain else "")


def _without_trailing_blanks(line: str) -> str:
    kept = line.rstrip(" ")
    n_slashes = len(kept) - len(kept.rstrip("\\"))
    return line[: len(kept) + 1] if n_slashes % 2 and len(kept) < len(line) else kept


class _NeverError(Exception):
    """No name matches the pattern."""


def _steps(pattern: str, anchored: bool) -> tuple[Test | None, ...] | None:
    """Compile a pattern; None where no name matches it."""
    steps: list[list[object]] = [[]]
    place = 0
    try:
        while place < len(pattern):
            token, place = _token(pattern, place)
            if token == "/":
                steps.append([])
            else:
                steps[-1].append(token)
    except _NeverError:
        return None
    if not anchored:
        return (_test(steps[0]),)
    is_any = [len(step) > 1 and all(token is _ANY for token in step) for step in steps]
    tests = [None if stars else _test(step) for stars, step in zip(is_any, steps, strict=True)]
    # what ends in ** matches all in a folder, and not the folder
    return (*tests, _something) if is_any[-1] else tuple(tests)


def _something(step: str) -> object:
    return step


def _token(pattern: str, place: int) -> tuple[object, int]:
    """Give a star, a slash, or the expression of one character, and where the next token begins."""
    character = pattern[place]
    if character == "*":
        return _ANY, place + 1
    if character == "?":
        return "[^/]", place + 1
    if character == "[":
        return _brackets(pattern, place + 1)
    if character == "\\":
        place += 1
        if place == len(pattern):
            raise _NeverError
        character = pattern[place]
    return "/" if character == "/" else re.escape(character), place + 1


def _brackets(pattern: str, place: int) -> tuple[str, int]:
    """Read what stands in brackets, as git's wildmatch does."""
    negated = pattern[place : place + 1] in ("!", "^")
    place += negated
    parts: list[str] = []
    previous = ""
    first = place
    while True:
        character = _at(pattern, place)
        if character == "]" and place > first:
            break
        if character == "-" and previous and pattern[place + 1 : place + 2] not in ("", "]"):
            last, place = _escaped(pattern, place + 1)
            parts += [f"{re.escape(previous)}-{re.escape(last)}"] if previous <= last else []
            previous = ""
        elif pattern.startswith("[:", place):
            end = pattern.find("]", place + 2)
            if end < 0:
                raise _NeverError
            if pattern[end - 1] == ":" and end - 1 >= place + 2:
                name = pattern[place + 2 : end - 1]
                if name not in _CLASSES:
                    raise _NeverError
                parts.append(_CLASSES[name])
                previous, place = "", end
            else:
                parts.append(r"\[")
                previous = "["
        else:
            previous, place = _escaped(pattern, place)
            parts.append(re.escape(previous))
        place += 1
    found = "".join(parts)
    if negated:
        return (rf"[^/{found}]" if found else "[^/]"), place + 1
    return (rf"(?!/)[{found}]" if found else r"(?!)"), place + 1


def _at(pattern: str, place: int) -> str:
    if place >= len(pattern):
        raise _NeverError
    return pattern[place]


def _escaped(pattern: str, place: int) -> tuple[str, int]:
    """Give a character in brackets, behind its backslash if it has one."""
    place += _at(pattern, place) == "\\"
    return _at(pattern, place), place


def _test(tokens: Sequence[object]) -> Test:
    """Make a test of a step; each star but the last takes the first fit, which is enough."""
    fixed: list[str] = [""]
    for token in tokens:
        if token is _ANY:
            fixed.append("")
        else:
            fixed[-1] += str(token)
    if len(fixed) == 1:
        literal = re.sub(r"\\(.)", r"\1", fixed[0], flags=re.DOTALL)
        if re.escape(literal) == fixed[0]:
            return literal.__eq__
        return re.compile(rf"{fixed[0]}\Z", re.DOTALL).match
    first, *middle, last = fixed
    stars = "".join(rf"(?>.*?{part})" for part in middle if part)
    return re.compile(rf"{first}{stars}.*{last}\Z", re.DOTALL).match


@dataclass(frozen=True)
class IgnoreFile:
    """The rules of one ignore file, and the folder they count from.

    Attributes
    ----------
    folder : str
        Below the root of the work tree: empty, or with ``/`` at its end.
    rules : tuple of Rule
        In the order of the lines; the last that matches decides.
    """

    folder: str
    rules: tuple[Rule, ...]

    @cached_property
    def _named(self) -> frozenset[str]:
        return frozenset(rule.literal for rule in self.rules if rule.literal)

    @cached_property
    def _open(self) -> tuple[tuple[Rule, ...], tuple[Rule, ...]]:
        """The rules to be tried where no rule names just this file, or just this folder; the last first."""
        others = [rule for rule in self.rules[::-1] if not rule.literal]
        return tuple(rule for rule in others if not rule.folders_only), tuple(others)

    def decides(self, name: str, is_folder: bool) -> bool | None:
        """Tell whether something below the root is ignored; None where no rule is about it."""
        steps = name[len(self.folder) :].split("/")
        for rule in self.rules[::-1] if steps[-1] in self._named else self._open[is_folder]:
            if rule.matches(steps, is_folder):
                return not rule.negated
        return None


@dataclass(frozen=True)
class IgnoreRules:
    """All that counts in a folder: the ignore files above it and its own, outermost first.

    Attributes
    ----------
    prefix : str
        Where the corpus lies in the work tree: empty, or with ``/`` at its end.
    files : tuple of IgnoreFile
    """

    prefix: str
    files: tuple[IgnoreFile, ...] = ()

    def ignores(self, name: str, is_folder: bool) -> bool:
        """Tell whether a name below the corpus is ignored. Names are compared after NFC."""
        whole = compose(self.prefix + name)
        verdicts = (file.decides(whole, is_folder) for file in reversed(self.files))
        return next((verdict for verdict in verdicts if verdict is not None), False)

    def with_file(self, folder: str, path: str) -> IgnoreRules:
        """Add an ignore file, if it is there; `folder` is where its rules count from, below the work tree's root."""
        rules = _read_rules(path)
        return IgnoreRules(self.prefix, (*self.files, IgnoreFile(compose(folder), rules))) if rules else self


def rules_in(above: IgnoreRules | None, name: str, place: str, entries: Collection[str]) -> IgnoreRules | None:
    """Give what counts in a folder of the corpus.

    Parameters
    ----------
    above : IgnoreRules or None
        What counts in the folder above it; None where that is in no work tree.
    name : str
        Below the corpus, with ``/`` at its end; empty for the corpus itself.
    place : str
        Its path.
    entries : collection of str
        The names of what is in it.
    """
    if name and ".git" in entries and is_work_tree(place):
        prefix = above.prefix if above else ""
        above = IgnoreRules(prefix).with_file(prefix + name, os.path.join(_common_folder(place), "info", "exclude"))
    if above and IGNORE_FILE in entries:
        return above.with_file(above.prefix + name, os.path.join(place, IGNORE_FILE))
    return above


def rules_above(folder: str) -> IgnoreRules | None:
    """Read what counts for a folder before its own ignore file; None where it is in no work tree of git.

    Nothing is read but the ignore files from the root of the work tree down, and ``.git/info/exclude``.
    """
    here = os.path.realpath(folder)
    root = here
    while not is_work_tree(root):
        root, last = os.path.dirname(root), root
        if root == last:
            return None
    steps = [step for step in os.path.relpath(here, root).split(os.sep) if step != os.curdir]
    prefixes = ["".join(f"{step}/" for step in steps[:n]) for n in range(len(steps) + 1)]
    rules = IgnoreRules(prefixes[-1]).with_file("", os.path.join(_common_folder(root), "info", "exclude"))
    for prefix in prefixes[:-1]:
        rules = rules.with_file(prefix, os.path.join(root, prefix, IGNORE_FILE))
    return rules


def is_work_tree(folder: str) -> bool:
    """Tell whether a folder is the root of a work tree."""
    place = os.path.join(folder, ".git")
    return os.path.isfile(os.path.join(place, "HEAD")) or _pointer(place, "gitdir:") is not None


def _common_folder(root: str) -> str:
    """Give git's own folder; of further work trees, the one that all share."""
    place = os.path.join(root, ".git")
    told = _pointer(place, "gitdir:")
    if told is None:
        return place
    own = os.path.join(root, told)
    return os.path.join(own, _pointer(os.path.join(own, "commondir"), "") or "")


def _pointer(path: str, start: str) -> str | None:
    """Read a file of one line that names a folder."""
    text = _read_text(path) if os.path.isfile(path) else None
    if text is None or not text.startswith(start):
        return None
    told = text.removeprefix(start).strip()
    return told if told and "\0" not in told else None


def _read_rules(path: str) -> tuple[Rule, ...]:
    # git follows no links to ignore files either
    if os.path.islink(path) or not os.path.isfile(path):
        return ()
    text = _read_text(path)
    return tuple(parse_rules(text)) if text else ()


def _read_text(path: str) -> str | None:
    try:
        if os.path.getsize(path) > MOST_BYTES:
            return None
        return read_bytes(path).decode("utf-8", "surrogateescape")
    except OSError:
        return None
