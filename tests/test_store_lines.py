"""Files of lines that grow while something runs: whole lines, one writer, a sentence where the disk takes no more."""

from __future__ import annotations

from pathlib import Path

import pytest
from processes import largest_file

from boardlab import BoardlabError
from boardlab.store.lines import LineFile


def lines_in(path: Path) -> LineFile:
    return LineFile(path, "the diary", "somebody else writes it")


def test_lines_are_there_at_once_and_one_process_writes(tmp_path: Path) -> None:
    path = tmp_path / "new" / "diary"
    with lines_in(path) as diary:
        diary.add(b"one")
        diary.add(b"two")
        assert path.read_bytes() == b"one\ntwo\n"
        with pytest.raises(BoardlabError, match=r"^somebody else writes it$"):
            lines_in(path)
    lines_in(path).close()


@pytest.mark.parametrize(("content", "whole", "after"), [(b"one\ntw", 4, b"one\n"), (b"one\ntwo", 7, b"one\ntwo\n")])
def test_what_is_no_whole_line_is_cut_off(tmp_path: Path, content: bytes, whole: int, after: bytes) -> None:
    path = tmp_path / "diary"
    path.write_bytes(content)
    with lines_in(path) as diary:
        diary.cut_off(whole)
        diary.add(b"three")
    assert path.read_bytes() == after + b"three\n"


@pytest.mark.parametrize(
    "content", [b"", b"tw", b"one\n", b"one\ntw", b"one\n" + b"x" * 200_000, b"one\n" + b"x" * 200_000 + b"\ntw"]
)
def test_a_file_goes_on_behind_its_last_whole_line(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "diary"
    path.write_bytes(content)
    with lines_in(path) as diary:
        diary.go_on()
        diary.add(b"more")
    assert path.read_bytes() == content[: content.rfind(b"\n") + 1] + b"more\n"


def test_a_full_disk_is_told_in_a_sentence_and_keeps_what_was_written(tmp_path: Path) -> None:
    path = tmp_path / "diary"
    sentence = r"^the diary cannot be written: File too large$"
    with largest_file(9), pytest.raises(BoardlabError, match=sentence) as told, lines_in(path) as diary:
        diary.add(b"one")
        with pytest.raises(BoardlabError, match=sentence):
            diary.add(b"two and a half")
    assert path.read_bytes() == b"one\ntwo a"
    assert isinstance(told.value.__cause__, OSError)
    with lines_in(path) as diary:  # the file was closed, and goes on
        diary.cut_off(4)
        diary.add(b"two")
    assert path.read_bytes() == b"one\ntwo\n"
