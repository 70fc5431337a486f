"""Reading a ZIP archive of NumPy arrays of which nothing is believed.

A member is never read beyond the size that whoever wants it has allowed, and its checksum is compared before anybody
looks at what it says. The header of an array must be the one that NumPy writes; nothing in it is evaluated.
"""

from __future__ import annotations

import math
import os
import re
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boardlab.errors import BoardlabError, printable

__all__ = ["array_shape", "explained", "open_archive", "read_array", "read_member"]

_PACKINGS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_AT_ONCE = 1 << 20
_LARGEST_HEADER = 512
"""NumPy pads the header of a plain array to 128 bytes."""
_HEADER = re.compile(
    rb"\x93NUMPY\x01\x00(..)"
    rb"\{'descr': '([<>|]\w{1,9})', 'fortran_order': False, 'shape': \(((?:[0-9]{1,18}, ?)*(?:[0-9]{1,18})?)\), \} *\n",
    re.DOTALL,
)


@contextmanager
def explained(path: Path, kind: str = "agent file") -> Iterator[None]:
    """Turns what a damaged or foreign file of a kind causes into a sentence that names it. A damaged archive may claim
    to be encrypted (RuntimeError), a foreign description may be nested without end (RecursionError is one of these)."""
    try:
        yield
    except BoardlabError as error:
        if str(path) in str(error):
            raise
        raise BoardlabError(f"{path} cannot be used: {printable(error, 800)}") from error
    except OSError as error:
        raise BoardlabError(f"{path} cannot be read: {error.strerror or error}") from error
    except zipfile.BadZipFile as error:
        a = "an" if kind[0] in "aeiou" else "a"
        raise BoardlabError(f"{path} is not {a} {kind} of boardlab, or it is damaged: {printable(error)}") from error
    except (ValueError, TypeError, LookupError, ArithmeticError, EOFError, RuntimeError) as error:
        raise BoardlabError(f"{path} is a damaged {kind}: {printable(error)}") from error
    except (zlib.error, struct.error) as error:
        raise BoardlabError(f"{path} is a damaged {kind}: {printable(error)}") from error


def open_archive(path: Path) -> zipfile.ZipFile:
    """The archive at a path, which is a plain file: to open a pipe would wait for ever."""
    mode = os.stat(path).st_mode
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
        raise OSError("it is not a plain file")
    return zipfile.ZipFile(path)


def read_member(archive: zipfile.ZipFile, name: str, most: int) -> NDArray[np.uint8]:
    """All bytes of a member, at most so many, whose checksum is right."""
    info = archive.getinfo(name)
    if info.compress_type not in _PACKINGS:
        raise ValueError(f"{name} is packed in an unknown way")
    if info.file_size > most:
        raise ValueError(f"{name} has {info.file_size:,} bytes, more than the {most:,} that it may have")
    data = np.empty(info.file_size, np.uint8)
    filled = 0
    with archive.open(info) as member:
        while piece := member.read(_AT_ONCE):  # at its end zipfile compares the checksum
            data[filled : filled + len(piece)] = np.frombuffer(piece, np.uint8)
            filled += len(piece)
    if filled != len(data):
        raise ValueError(f"{name} ends after {filled:,} of {len(data):,} bytes")
    return data


def read_array(archive: zipfile.ZipFile, name: str, dtype: type[np.generic], most: int) -> NDArray[Any]:
    """An array of the archive, which has this dtype and at most so many numbers."""
    wanted = np.dtype(dtype)
    data = read_member(archive, f"{name}.npy", most * wanted.itemsize + _LARGEST_HEADER)
    shape, start = _header(data[:_LARGEST_HEADER].tobytes(), name, wanted)
    if math.prod(shape) * wanted.itemsize != len(data) - start:
        raise ValueError(f"{name} has {len(data) - start:,} bytes of data, which is not what its shape {shape} needs")
    return data[start:].view(wanted).reshape(shape)


def array_shape(archive: zipfile.ZipFile, name: str, dtype: type[np.generic]) -> tuple[int, ...]:
    """The shape of an array of this dtype. Only its beginning is read, so its checksum is not compared; but its size
    must be the one that the shape needs."""
    info, wanted = archive.getinfo(f"{name}.npy"), np.dtype(dtype)
    if info.compress_type not in _PACKINGS:
        raise ValueError(f"{name} is packed in an unknown way")
    with archive.open(info) as member:
        shape, start = _header(member.read(_LARGEST_HEADER), name, wanted)
    if math.prod(shape) * wanted.itemsize != info.file_size - start:
        raise ValueError(f"{name} has {info.file_size:,} bytes, which is not what its shape {shape} needs")
    return shape


def _header(beginning: bytes, name: str, wanted: np.dtype[Any]) -> tuple[tuple[int, ...], int]:
    """The shape in the header of an array of the wanted kind, and where its numbers begin."""
    found = _HEADER.match(beginning)
    if found is None or found.end() != 10 + int.from_bytes(found[1], "little"):
        raise ValueError(f"{name} does not begin as an array does")
    kind, shape = found[2].decode("ascii", "replace"), tuple(map(int, re.findall(rb"\d+", found[3])))
    if kind != wanted.str:
        raise ValueError(f"{name} is of kind {kind} and shape {shape}, not of kind {wanted.str} ({wanted})")
    return shape, found.end()
