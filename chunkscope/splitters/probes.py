"""What a splitter does when asked twice: whether its size matters, and whether it gives the same again."""

from __future__ import annotations

from chunkscope.errors import SplitterError
from chunkscope.splitters.shapes import RawPiece, Splitter

SMALL_SIZES = (2, 20, 60, 200)
LARGE_SIZE = 100_000


def _sample() -> str:
    """Write a text with headings, paragraphs, lists, code, pages and a long table: any size parts something."""
    rows = "".join(f"| item {number} | {number * 7} | in stock |\n" for number in range(40))
    sections = [
        f"## Part {number}\n\n"
        + "".join(f"Sentence {one} of this part says a little, and then a little more. " for one in range(12))
        + "\n\n日本語の文もある。句点で終わる文が続く。長い段落になる。" * 3
        + "\n\n- one thing\n- another thing\n\n```python\ndef double(x):\n    return 2 * x\n```\n\n\f"
        for number in range(4)
    ]
    return "# A sample\n\n" + "".join(sections) + f"| name | price | state |\n| --- | --- | --- |\n{rows}\nThe end.\n"


SAMPLE = _sample()


def ignores_size(splitter: Splitter, text: str = SAMPLE) -> bool:
    """Tell whether a splitter that takes a size does nothing with it.

    It is split at a very small and a very large size; the sample is such that whatever sizes count, the pieces
    differ. A splitter that refuses small sizes is asked for larger ones.

    Examples
    --------
    >>> from chunkscope.splitters.shapes import adapt
    >>> def deaf(text, chunk_size):
    ...     return text.split("\\n\\n")
    >>> ignores_size(adapt(deaf, "deaf"))
    True
    """
    if not splitter.takes_size:
        return False
    try:
        large = _texts(splitter.split(text, LARGE_SIZE))
    except SplitterError:
        return False
    for size in SMALL_SIZES:
        try:
            return _texts(splitter.split(text, size)) == large
        except SplitterError:
            continue
    return False


def is_deterministic(splitter: Splitter, text: str = SAMPLE, size: int | None = None, overlap: int = 0) -> bool:
    """Tell whether a splitter gives the same pieces again: asked twice, and once more after it is set up anew.

    Raises
    ------
    SplitterError
        It cannot split the text.

    Examples
    --------
    >>> import random
    >>> from chunkscope.splitters.shapes import adapt
    >>> is_deterministic(adapt(lambda text: [text[: random.randrange(len(text))]], "dice"))
    False
    """
    once = splitter.split(text, size, overlap)
    return once == splitter.split(text, size, overlap) == splitter.refreshed().split(text, size, overlap)


def _texts(pieces: list[RawPiece]) -> list[str]:
    return [piece.text for piece in pieces]
