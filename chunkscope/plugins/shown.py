"""What results have in a notebook: the screen's text, and a data frame."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from importlib import import_module
from typing import Any

NOTEBOOK = "chunkscope.reports.notebook"
"""What makes both. It knows all kinds of results, so that none of them knows it but by this name."""


def counted(n: int, noun: str) -> str:
    """Write a count with its noun, for the `repr` of a result.

    Examples
    --------
    >>> counted(1, "cell"), counted(1200, "cell")
    ('1 cell', '1,200 cells')
    """
    return f"{n:,} {noun}{'' if n == 1 else 's'}"


class Shown:
    """A result that notebooks show as a terminal does, and that data frames are made of."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        html: str = import_module(NOTEBOOK).to_html(self)
        return html

    def to_dataframe(self, library: str | None = None) -> Any:
        """Give all figures as a data frame: a cell of a sweep or of a comparison a row; findings, and label problems.

        Parameters
        ----------
        library : {"pandas", "polars"}, optional
            Without it pandas, or polars where pandas is not installed.

        Returns
        -------
        pandas.DataFrame or polars.DataFrame
            Columns are called as in the JSON, nested names joined by underscores. What is said of each question by
            itself, such as its first rank, is not among them.

        Raises
        ------
        MissingPartError
            Neither is installed, or not the one that was asked for.
        ConfigError
            Another library.
        """
        return import_module(NOTEBOOK).to_dataframe(self, library)


def data_frame(rows: Iterable[Mapping[str, object]], library: str | None = None) -> Any:
    """Make a data frame of rows; see `Shown.to_dataframe`."""
    return import_module(NOTEBOOK).frame(rows, library)
