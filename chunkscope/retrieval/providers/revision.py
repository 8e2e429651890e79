"""What tells a model from another that stood under its name before: digests of folders and of sources."""

from __future__ import annotations

import hashlib
import inspect
from pathlib import Path

from chunkscope.errors import ProviderError


def local_folder(name: str, model: str) -> Path | None:
    """Give the folder that a model's name means; None where it is a name on the hub.

    Raises
    ------
    ProviderError
        It is written as a path, and there is no such folder.
    """
    path = Path(model).expanduser()
    if path.is_dir():
        return path
    if model.startswith((".", "/", "~")) or "\\" in model:
        raise ProviderError(f"{name}: no folder {model!r}")
    return None


def folder_digest(folder: Path) -> str:
    """Digest of the names and bytes of all files: a model that is trained further under one name is another model.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "config.json").write_text("{}")
    >>> before = folder_digest(folder)
    >>> _ = (folder / "config.json").write_text("[]")
    >>> folder_digest(folder) == before
    False
    """
    digest = hashlib.sha256()
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        name = path.relative_to(folder).as_posix()
        if any(part.startswith(".") for part in name.split("/")):
            continue
        digest.update(f"{name}\0{_file_digest(path)}\n".encode())
    return digest.hexdigest()


def source_digest(provider: object) -> str | None:
    """Digest of the file in which a provider's class stands; None where it stands in none, as in a notebook."""
    try:
        path = inspect.getsourcefile(type(provider))
        return None if path is None else _file_digest(Path(path))
    except (OSError, TypeError):
        return None


def _file_digest(path: Path) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
