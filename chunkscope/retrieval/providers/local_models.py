"""Models in folders: where one is, and a digest that tells it from what stood there before."""

from __future__ import annotations

import hashlib
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
        with open(path, "rb") as file:
            inner = hashlib.file_digest(file, "sha256").hexdigest()
        digest.update(f"{name}\0{inner}\n".encode())
    return digest.hexdigest()


def first_line(error: BaseException) -> str:
    """Give what an error says first: loaders tell long stories."""
    return next((line.strip() for line in str(error).splitlines() if line.strip()), type(error).__name__)
