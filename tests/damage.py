"""Shared by the tests of damaged agent files: ways to damage one, each of which follows from a seed."""

from __future__ import annotations

import io
import json
import random
import struct
import warnings
import zipfile
from collections.abc import Callable
from typing import Any

import numpy as np

Draw = random.Random
Content = dict[str, bytes]

ODD: list[Any] = [
    *(None, True, False, 0, 1, -1, 2, 10**6, 2**31, 2**63, -(2**63), 2**64, 10**400, 0.5, -0.0, 1e-320, 1e308),
    *(float("nan"), float("inf"), float("-inf"), "", " ", "none", "nan", "inf", "-1", "1e999", "\0", "\n", "a\tb"),
    *("\ud800", "é", "💣", "\x1b[2J", "x" * 5000, "../../etc/passwd", "/dev/zero", "nowhere.py:Class", "nim:heaps=1,"),
    *([], [[]], [[[]]], [None], [[0]], [[-1]], [[0, 0]], [[10**30]], [["0"]], [0] * 5000, [[0]] * 20_000),
    *({}, {"": {}}, {"a": [1, {"b": None}]}, "connect4", "hex:size=99", "tictactoe:", "engine", "puct:time=1"),
]
"""Values that a description has no place for, or only some places."""


def odd_value(draw: Draw) -> Any:
    return draw.choice(ODD)


# ------------------------------------------------------------ what a disk or a line does


def flip_bits(whole: bytes, draw: Draw) -> bytes:
    data = bytearray(whole)
    for _ in range(draw.choice([1, 1, 1, 2, 8, 64])):
        data[draw.randrange(len(data))] ^= 1 << draw.randrange(8)
    return bytes(data)


def set_bytes(whole: bytes, draw: Draw) -> bytes:
    data = bytearray(whole)
    begin, length = draw.randrange(len(data)), draw.choice([1, 2, 4, 8, 512])
    fill = draw.choice([b"\0", b"\xff", draw.randbytes(1)])
    data[begin : begin + length] = (fill * length)[: len(data) - begin]
    return bytes(data)


def cut(whole: bytes, draw: Draw) -> bytes:
    return whole[: draw.randrange(len(whole))]


def cut_out(whole: bytes, draw: Draw) -> bytes:
    begin = draw.randrange(len(whole) - 1)
    return whole[:begin] + whole[begin + draw.randint(1, 600) :]


def put_in(whole: bytes, draw: Draw) -> bytes:
    begin = draw.randrange(len(whole))
    return whole[:begin] + draw.randbytes(draw.randint(1, 64)) + whole[begin:]


def repeat(whole: bytes, draw: Draw) -> bytes:
    begin, length = draw.randrange(len(whole)), draw.randint(1, 2000)
    return whole[:begin] + whole[begin : begin + length] + whole[begin:]


def damage_directory(whole: bytes, draw: Draw) -> bytes:
    """Flips bits where the archive says what it has."""
    data, begin = bytearray(whole), whole.index(b"PK\x01\x02")
    for _ in range(draw.choice([1, 1, 2, 5])):
        data[draw.randrange(begin, len(data))] ^= 1 << draw.randrange(8)
    return bytes(data)


def set_directory_field(whole: bytes, draw: Draw) -> bytes:
    """Writes an odd number to one field of the archive's directory: flags, packing, checksum, sizes, lengths, place."""
    data = bytearray(whole)
    entries = [k for k in range(len(data)) if data[k : k + 4] == b"PK\x01\x02"]
    places = [(draw.choice(entries) + offset, size) for offset, size in _ENTRY_FIELDS]
    places += [(data.rindex(b"PK\x05\x06") + offset, size) for offset, size in _END_FIELDS]
    place, size = draw.choice(places)
    number = draw.choice([0, 1, 8, 0xFF, 0x0801, 0x7FFF, 0xFFFF, 0x7FFFFFFF, 0xFFFFFFFF, draw.randrange(1 << 32)])
    data[place : place + size] = (number & ((1 << 8 * size) - 1)).to_bytes(size, "little")
    return bytes(data)


_ENTRY_FIELDS = [(4, 2), (6, 2), (8, 2), (10, 2), (16, 4), (20, 4), (24, 4), (28, 2), (30, 2), (38, 4), (42, 4)]
_END_FIELDS = [(4, 2), (6, 2), (8, 2), (10, 2), (12, 4), (16, 4), (20, 2)]

ACCIDENTS: list[Callable[[bytes, Draw], bytes]] = [
    *(flip_bits, flip_bits, set_bytes, cut, cut_out, put_in, repeat, damage_directory, set_directory_field),
]
"""After each of these a file is refused, or it loads as if nothing had happened."""


# ------------------------------------------------------------ what a person does, with right checksums


def unpack(whole: bytes) -> Content:
    with zipfile.ZipFile(io.BytesIO(whole)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def pack(content: Content, packing: int = zipfile.ZIP_DEFLATED) -> bytes:
    return pack_list(list(content.items()), packing)


def pack_list(members: list[tuple[str, bytes]], packing: int = zipfile.ZIP_DEFLATED) -> bytes:
    stream = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(stream, "w", packing) as archive:
        warnings.simplefilter("ignore")  # of names that come twice
        for name, data in members:
            archive.writestr(name, data)
    return stream.getvalue()


def npy(array: Any) -> bytes:
    stream = io.BytesIO()
    np.lib.format.write_array(stream, np.asarray(array), allow_pickle=True)
    return stream.getvalue()


def odd_description(whole: bytes, draw: Draw) -> bytes:
    """One or two values of agent.json are others."""
    content = unpack(whole)
    about = json.loads(content["agent.json"])
    for _ in range(draw.randint(1, 2)):
        inner: Any = about
        while True:
            key = draw.choice(sorted(inner) if isinstance(inner, dict) else range(len(inner)))
            if not inner[key] or not isinstance(inner[key], dict | list) or draw.random() < 0.2:
                break
            inner = inner[key]
        inner[key] = odd_value(draw)
    content["agent.json"] = json.dumps(about).encode()
    return pack(content)


def odd_keys(whole: bytes, draw: Draw) -> bytes:
    """A key of agent.json is gone, or there is one more, or the text itself is damaged."""
    content = unpack(whole)
    about = json.loads(content["agent.json"])
    inner = draw.choice([about, about["facts"], about["history"], about["parameters"], about["software"]])
    kind = draw.randrange(3)
    if kind == 0:
        del inner[draw.choice(sorted(inner))]
    elif kind == 1:
        inner[draw.choice(["more", "", "agent", "\ud800", "x" * 3000])] = odd_value(draw)
    content["agent.json"] = json.dumps(about).encode()
    if kind == 2:
        content["agent.json"] = draw.choice([flip_bits, cut, cut_out, repeat])(content["agent.json"], draw)
    return pack(content)


def odd_array(whole: bytes, draw: Draw) -> bytes:
    """An array has other numbers, another kind, order or shape."""
    content = unpack(whole)
    name = draw.choice([name for name in sorted(content) if name.endswith(".npy")])
    array = np.load(io.BytesIO(content[name]))
    changed = [
        lambda: array.astype(draw.choice(["f8", "f2", "i4", "u1", ">f4", ">u8", "c8", "?", "U3", "S0", "O", "M8[s]"])),
        lambda: np.asfortranarray(np.resize(array, (3, 5))),
        lambda: np.resize(array, draw.choice([(), (0,), (1,), (0, 4), (4, 0), (2, 2, 2), (10**5,), (1,) * 30])),
        lambda: _with_numbers(array, draw),
        lambda: np.flip(array),
        lambda: array[: draw.randrange(1 + len(array))],
        lambda: np.zeros_like(array),
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of numbers that the other kind does not have
        content[name] = npy(draw.choice(changed)())
    return pack(content)


def _with_numbers(array: Any, draw: Draw) -> Any:
    other = array.copy()
    odd = [np.nan, np.inf, -np.inf, -1.0, 3e38, 1e-45] if array.dtype.kind == "f" else [0, 1, 2**31, 2**32 - 1]
    other.reshape(-1)[draw.randrange(array.size)] = draw.choice(odd)
    return other


def odd_header(whole: bytes, draw: Draw) -> bytes:
    """The header of an array is damaged, or claims what is not there."""
    content = unpack(whole)
    name = draw.choice([name for name in sorted(content) if name.endswith(".npy")])
    data, kind = content[name], draw.randrange(3)
    if kind == 0:
        data = draw.choice([flip_bits, set_bytes, cut, cut_out, put_in])(data[:128], draw) + data[128:]
    elif kind == 1:
        text = draw.choice(_HEADERS).encode()
        data = b"\x93NUMPY\x01\0" + struct.pack("<H", len(text)) + text + data[128:]
    else:
        data = draw.choice([b"", b"\x93NUMPY", b"\x93NUMPY\x03\0", b"PK\x03\x04", data + b"\0", data * 2, data[:-1]])
    content[name] = data
    return pack(content)


_HEADERS = [
    *("", "{", "{}", "1", "[" * 9000, "(" * 300, "'" * 100, "\0", "{'descr': '<f4'}", "\\", "0o9", '"""'),
    *("__import__('os').abort()", "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,), }\n"),
    "{'descr': '<f4', 'fortran_order': True, 'shape': (4,), }\n",
    "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,), }\n",
    "{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296), }\n",
    "{'descr': '<f4', 'fortran_order': False, 'shape': (" + "1, " * 60 + "), }\n",
    "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,), }\n",
    "{'descr': '<f4', 'fortran_order': False, 'shape': 9**9**9, }\n",
]


def odd_archive(whole: bytes, draw: Draw) -> bytes:
    """Members come twice, are missing, have other names, are packed otherwise or claim to be encrypted."""
    content = unpack(whole)
    members, name = list(content.items()), draw.choice(sorted(content))
    kind = draw.randrange(6)
    if kind == 0:
        members.insert(draw.randrange(len(members)), (name, draw.choice([b"", content[name], b"{}", bytes(10**6)])))
    elif kind == 1:
        members.remove((name, content[name]))
    elif kind == 2:
        other = draw.choice([f"../{name}", f"/{name}", f"./{name}", name.upper(), f"{name}\0", "\ud7ff", "a" * 60_000])
        members = [(other if n == name else n, data) for n, data in members]
    elif kind == 3:
        return pack(content, draw.choice([zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2]))
    elif kind == 4:
        members += [(draw.choice(["readme.txt", "weights9.npy", ".npy", "agent.json/", "x.py"]), draw.randbytes(50))]
    data = pack_list(members)
    return _encrypted(data) if kind == 5 else data


def _encrypted(data: bytes) -> bytes:
    """All members say that they are encrypted."""
    changed = bytearray(data)
    for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        place = changed.find(mark)
        while place >= 0:
            changed[place + offset] |= 1
            place = changed.find(mark, place + 4)
    return bytes(changed)


def bombs(whole: bytes) -> dict[str, bytes]:
    """Small files that unpack to much, by what they are full of."""
    content = unpack(whole)
    text = content["agent.json"].decode()
    about = json.loads(text)
    about["facts"]["tuples"] = [[0]] * 200_000
    changed: dict[str, Content] = {
        "numbers": {"weights0.npy": content["weights0.npy"] + bytes(3 * 10**7)},
        "random states": {"rng.npy": npy(np.ones((10**6, 4), np.uint64))},
        "spaces": {"agent.json": content["agent.json"] + b" " * (2 * 10**7)},
        "brackets": {"agent.json": text.replace('"tictactoe"', "[" * 10**6).encode()},
        "tuples": {"agent.json": json.dumps(about).encode()},
        "digits": {"agent.json": text.replace('"version": 1', '"version": ' + "9" * 10**6).encode()},
    }
    return {name: pack({**content, **part}) for name, part in changed.items()}


CRAFTED: list[Callable[[bytes, Draw], bytes]] = [
    *(odd_description, odd_description, odd_keys, odd_array, odd_array, odd_header, odd_archive),
]
"""After each of these a file is refused, or it loads as what it says."""
