"""What services do with a document unless told otherwise, as far as they say so themselves.

A preset is a name for a chunker with settings: ``preset:openai-file-search`` is ``token(size=800, overlap=400)``. It
says which size and overlap a service documents, not what its code does; where something is not told, the note says what
stands for it.
"""

from __future__ import annotations

from dataclasses import dataclass

from chunkscope.chunkers.spelling import parse_settings
from chunkscope.errors import ChunkerError, did_you_mean

PREFIX = "preset:"


@dataclass(frozen=True)
class Preset:
    """The settings of a service.

    Attributes
    ----------
    chunker : str
        The name of the chunker that is nearest to it.
    settings : mapping of str to str
        Its settings, as they are spelled.
    sizes : tuple of int, optional
        The least and the largest size that the service allows.
    most_overlap : float
        The largest overlap that it allows, as a share of the size.
    note : str
        What is documented, and what is not.
    source : str
        A public page.
    seen : str
        The month that the page bears, else in which it was read.
    """

    chunker: str
    settings: dict[str, str]
    note: str
    source: str
    sizes: tuple[int, int] | None = None
    most_overlap: float = 1
    seen: str = "2026-12"

    @property
    def allowed(self) -> str:
        """Say which sizes and overlaps the service takes; empty where it takes any."""
        sizes = [] if self.sizes is None else [f"sizes from {self.sizes[0]:,} to {self.sizes[1]:,}"]
        overlaps = [] if self.most_overlap == 1 else [f"an overlap of at most {self.most_overlap:.0%} of the size"]
        return ", ".join([*sizes, *overlaps])

    def __str__(self) -> str:
        return f"{self.chunker}({', '.join(f'{key}={value}' for key, value in self.settings.items())})"


PRESETS = {
    "openai-file-search": Preset(
        "token",
        {"size": "800", "overlap": "400"},
        "windows of 800 tokens, 400 of them shared; which tokens is not documented: cl100k_base stands for them",
        "github.com/openai/openai-python (src/openai/types/static_file_chunking_strategy.py)",
        sizes=(100, 4096),
        most_overlap=0.5,
    ),
    "azure-ai-search": Preset(
        "sentence",
        {"size": "5000", "overlap_by": "characters"},
        "pages of the Text Split skill: up to 5,000 characters, ended by a sentence where that is possible; an overlap "
        "is in characters, and there is none unless asked for",
        "learn.microsoft.com/azure/search/cognitive-search-skill-textsplit",
        sizes=(300, 50_000),
        seen="2026-01",
    ),
    "bedrock": Preset(
        "sentence",
        {"size": "300", "unit": "cl100k_base"},
        "default chunking of knowledge bases: about 300 tokens, whole sentences; which tokens is not documented: "
        "cl100k_base stands for them",
        "docs.aws.amazon.com/bedrock/latest/userguide/kb-chunking.html",
    ),
    "vertex-rag-engine": Preset(
        "token",
        {"size": "1024", "overlap": "256"},
        "1,024 tokens, 256 of them shared; neither the tokens nor where it cuts are documented: windows of cl100k_base "
        "stand for them",
        "cloud.google.com/vertex-ai/generative-ai/docs/rag-engine/fine-tune-rag-transformations",
        seen="2025-11",
    ),
}
"""Services that document their settings. Those that name neither a size nor what it counts are left out."""


def is_preset(name: str) -> bool:
    """Tell the name of a preset from those of chunkers.

    Examples
    --------
    >>> is_preset("preset:bedrock"), is_preset("bedrock")
    (True, False)
    """
    return name.startswith(PREFIX)


def expand_preset(name: str, settings: str = "") -> tuple[str, str]:
    """Give the chunker of a preset and its settings, some of them in place of the preset's own.

    Raises
    ------
    ChunkerError
        No such preset, or a size or overlap that the service does not allow.

    Examples
    --------
    >>> expand_preset("preset:openai-file-search", "size=400, overlap=100")
    ('token', 'size=400, overlap=100')
    """
    preset = PRESETS.get(name.removeprefix(PREFIX))
    if preset is None:
        hint = did_you_mean(name.removeprefix(PREFIX), PRESETS) or f"there are {', '.join(PRESETS)}"
        raise ChunkerError(f"no preset {name.removeprefix(PREFIX)!r}; {hint}")
    found = {**preset.settings, **dict(parse_settings(settings, name))}
    _check(name, preset, found)
    return preset.chunker, ", ".join(f"{key}={value}" for key, value in found.items())


def _check(name: str, preset: Preset, settings: dict[str, str]) -> None:
    """Hold a size and an overlap to what the service allows; what is no number the chunker refuses."""
    size, overlap = settings.get("size", ""), settings.get("overlap", "0")
    if not (size.isdecimal() and overlap.isdecimal()):
        return
    fits = preset.sizes is None or preset.sizes[0] <= int(size) <= preset.sizes[1]
    if not fits or int(overlap) > preset.most_overlap * int(size):
        raise ChunkerError(f"{name}: size {size} and overlap {overlap} do not go; the service takes {preset.allowed}")
