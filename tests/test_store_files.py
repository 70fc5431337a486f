"""Several processes and the same agent files: whose a name is, and what becomes of what killed ones left behind."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import IO

import pytest

from boardlab import BoardlabError
from boardlab.store import InUse, claimed, is_claimed, open_locked
from boardlab.store.files import write_atomically

HOLD = """
import sys, time
from pathlib import Path
from boardlab.store import claimed
with claimed(Path(sys.argv[1])):
    print("mine", flush=True)
    time.sleep(600)
"""


def names(folder: Path) -> list[str]:
    return sorted(os.listdir(folder))


def test_a_claim_ends_with_its_process_however_that_ends(tmp_path: Path) -> None:
    path = tmp_path / "a.agent"
    process = subprocess.Popen([sys.executable, "-c", HOLD, str(path)], stdout=subprocess.PIPE)
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == b"mine\n"
        assert is_claimed(path)
        with pytest.raises(InUse, match=r"a\.agent is being trained by another process just now; "), claimed(path):
            pass
        with claimed(tmp_path / "b.agent"):
            pass
        assert names(tmp_path) == [".a.agent.lock"]
    finally:
        process.kill()
        process.communicate()
    assert names(tmp_path) == [".a.agent.lock"]
    assert not is_claimed(path)
    with claimed(path):
        assert is_claimed(path)
    assert names(tmp_path) == []


def test_one_who_waits_gets_the_claim_when_it_is_free(tmp_path: Path) -> None:
    path = tmp_path / "a.agent"
    process = subprocess.Popen([sys.executable, "-c", HOLD, str(path)], stdout=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.readline() == b"mine\n"
    later = subprocess.Popen(
        [sys.executable, "-c", HOLD.replace("])", "]), wait=True"), str(path)], stdout=subprocess.PIPE
    )
    try:
        assert later.stdout is not None
        process.kill()
        process.communicate()
        assert later.stdout.readline() == b"mine\n"
        assert is_claimed(path)
    finally:
        later.kill()
        later.communicate()


def test_a_claim_leaves_no_folder_behind(tmp_path: Path) -> None:
    with claimed(tmp_path / "new" / "newer" / "a.agent"):
        pass
    assert names(tmp_path) == []
    with claimed(tmp_path / "new" / "newer" / "a.agent"):
        (tmp_path / "new" / "kept").touch()
    assert names(tmp_path / "new") == ["kept"]


def test_a_claim_where_nothing_can_be_written(tmp_path: Path) -> None:
    (tmp_path / "taken").touch()
    with pytest.raises(BoardlabError, match="cannot be written"), claimed(tmp_path / "taken" / "a.agent"):
        pass
    assert not is_claimed(tmp_path / "taken" / "a.agent")


def test_what_a_kill_left_behind_is_removed_and_what_is_being_written_is_not(tmp_path: Path) -> None:
    for name in (".a.agent.0123abcd", ".b.agent.x_y_z_89", ".b.agent.lock"):
        (tmp_path / name).write_text("left behind")
    others = ["a.agent", ".b.agent.backup.lock2", ".agent.12345678", ".b.agent.toolong123", ".ids.json.new"]
    for name in others:
        (tmp_path / name).write_text("somebody's")

    def write(stream: IO[bytes]) -> None:
        with claimed(tmp_path / "a.agent"):  # another one begins meanwhile
            pass
        stream.write(b"whole")

    with claimed(tmp_path / "c.agent"):
        assert names(tmp_path) == sorted([*others, ".c.agent.lock"])
        write_atomically(tmp_path / "d.agent", write)
    assert names(tmp_path) == sorted([*others, "d.agent"])
    assert (tmp_path / "d.agent").read_bytes() == b"whole"


def test_a_file_that_cannot_be_written_whole_is_not_written_at_all(tmp_path: Path) -> None:
    path = tmp_path / "a.agent"
    path.write_text("old")

    def fail(stream: IO[bytes]) -> None:
        stream.write(b"half")
        raise OSError(28, "No space left on device")

    with pytest.raises(BoardlabError, match="cannot be written: No space left on device; what was there before"):
        write_atomically(path, fail)
    assert names(tmp_path) == ["a.agent"]
    assert path.read_text() == "old"


def test_a_lock_on_a_file_that_is_gone_is_worth_nothing(tmp_path: Path) -> None:
    """Whoever waited for it gets one on the file that is there now."""
    path = tmp_path / "lock"
    first = open_locked(path)
    assert first is not None
    assert open_locked(path) is None
    path.unlink()
    second = open_locked(path)  # another file of this name
    assert second is not None
    first.close()
    assert open_locked(path) is None
    second.close()
