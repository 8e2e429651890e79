"""What an embedding model takes: the limit of a chunk, by a number or by the name of a model."""

from __future__ import annotations

from dataclasses import dataclass

from chunkscope.errors import ConfigError, did_you_mean
from chunkscope.grid.models import MODELS, find_model
from chunkscope.structure.units import is_here, is_unit


@dataclass(frozen=True)
class ModelLimit:
    """The most that one text to index may have.

    Attributes
    ----------
    limit : int
    unit : str or None
        None: each chunker's own.
    model : str or None
        The model that takes no more, where it was named.
    tokens : int or None
        The model's own limit, where its tokenizer is not here and characters are counted instead.
    """

    limit: int
    unit: str | None = "char"
    model: str | None = None
    tokens: int | None = None

    def unit_for(self, unit: str) -> str:
        """Give the unit in which chunks are compared with the limit, of a chunker that counts in `unit`.

        Where that is a splitter's own, which nobody else can count in, these are characters.
        """
        return self.unit or (unit if is_unit(unit) else "char")


UNNAMED = ModelLimit(8000)
"""What is compared with where no model is named: about what the models of today take."""


def find_limit(model: str | None = None, limit: int | None = None, unit: str | None = None) -> ModelLimit:
    """Give the limit: a number if one is given, else that of a model, else 8,000 characters.

    Raises
    ------
    ConfigError
        No whole number from 1, a unit without a limit, or a model that is not known.

    Examples
    --------
    >>> find_limit(limit=512)
    ModelLimit(limit=512, unit=None, model=None, tokens=None)
    >>> find_limit("text-embedding-3-small").unit
    'cl100k_base'
    """
    if limit is not None:
        if isinstance(limit, bool) or not isinstance(limit, int) or limit < 1:
            raise ConfigError(f"--model-limit {limit}: give a whole number of at least 1, such as 512")
        return ModelLimit(limit, unit, model)
    if unit is not None:
        raise ConfigError("--model-unit needs a --model-limit, such as 512")
    if model is None:
        return UNNAMED
    name = find_model(model)
    if name is None:
        near = did_you_mean(model, [*MODELS, *(full.rpartition("/")[2] for full in MODELS)])
        hint = f"; {near[:-1]}, or give" if near else "; give"
        raise ConfigError(f"--model {model:.60}: its limit is not known here{hint} --model-limit and --model-unit")
    known = MODELS[name]
    if known.unit is None or not is_here(known.unit):
        return ModelLimit(UNNAMED.limit, "char", name, known.limit)
    return ModelLimit(known.limit, known.unit, name)
