"""Files with weights alone: a NumPy archive (`.npz`) of plain arrays, which other programs read and write."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boardlab.errors import BoardlabError
from boardlab.store.archive import array_shape, explained, open_archive, read_array
from boardlab.store.files import write_atomically

__all__ = ["read_weights", "write_weights"]

_KIND = "file of weights"


def write_weights(path: Path, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write arrays to a file, which is whole at any time."""
    write_atomically(path, lambda stream: np.savez_compressed(stream, allow_pickle=False, **arrays))


def read_weights(path: Path, wanted: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """The arrays of a file, which has to have those names, kinds and shapes that the `wanted` ones have."""
    with explained(path, _KIND):
        archive = open_archive(path)
    with archive:
        names = sorted(name.removesuffix(".npy") for name in archive.namelist())
        if names != sorted(wanted):
            raise BoardlabError(f"{path} has the arrays {', '.join(names) or 'none'}, not {', '.join(sorted(wanted))}")
        return {name: _fitting(path, archive, name, like) for name, like in wanted.items()}


def _fitting(path: Path, archive: zipfile.ZipFile, name: str, like: NDArray[Any]) -> NDArray[Any]:
    with explained(path, _KIND):
        shape = array_shape(archive, name, like.dtype.type)
    if shape != like.shape:
        raise BoardlabError(f"{name} in {path} has the shape {shape}, but the agent needs {like.shape}")
    with explained(path, _KIND):
        found = read_array(archive, name, like.dtype.type, like.size)
        if not np.isfinite(found).all():
            raise ValueError(f"{name} has numbers that are not finite")
    return found
