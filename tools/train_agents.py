"""Train the agents that come with boardlab, into boardlab/data/agents:

    python tools/train_agents.py            # those that are missing or not finished
    python tools/train_agents.py othello    # one of them

Each has the preset `small` of its game (data/presets_small.toml) and a seed that is printed and stored. Ctrl-C keeps
what was learned; the next call goes on from there. All of them take about two minutes of CPU time.
"""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

from boardlab.agents.files import facts_in
from boardlab.agents.packaged import FOLDER
from boardlab.lab.presets import preset_settings
from boardlab.registry import make
from boardlab.store import read_agent_file
from boardlab.store.files import write_atomically

AGENTS = {"2048": "2048", "othello": "othello", "hex": "hex"}
"""The game of each agent, by the name of its file: those that have no perfect player."""

SEED = 1


def main(wanted: list[str]) -> None:
    """Train those that are named, or all."""
    unknown = set(wanted) - set(AGENTS)
    if unknown:
        sys.exit(f"there is no agent {', '.join(sorted(unknown))}; there are {', '.join(AGENTS)}")
    FOLDER.mkdir(exist_ok=True)
    for name in wanted or AGENTS:
        path = FOLDER / f"{name}.agent"
        if not is_finished(path, AGENTS[name]):
            train(path, AGENTS[name])
            pack(path)
        print(f"{path.name}: {path.stat().st_size / 1e6:.2f} MB")
    print(f"in all {sum(path.stat().st_size for path in FOLDER.glob('*.agent')) / 1e6:.2f} MB")


def is_finished(path: Path, game: str) -> bool:
    """Whether the file is there and has learned from all its episodes."""
    if not path.exists():
        return False
    file = read_agent_file(path)
    with file.archive:
        return bool(facts_in(file).episodes >= preset_settings(make(game), "small")["episodes"])


def train(path: Path, game: str) -> None:
    """Train an agent, or go on where its training was stopped."""
    episodes = preset_settings(make(game), "small")["episodes"]
    begin = [game, "--preset", "small", "--seed", str(SEED), "--out", str(path)]
    go_on = ["--resume", str(path), "--episodes", str(episodes)]
    command = [sys.executable, "-m", "boardlab", "train", *(go_on if path.exists() else begin)]
    print(" ".join(command[1:]), flush=True)
    subprocess.run(command, check=True)
    for extra in (path.with_suffix(".csv"), path.with_suffix(".png"), path.with_name(f".{path.name}.lock")):
        extra.unlink(missing_ok=True)  # the curve is in the file, too


def pack(path: Path) -> None:
    """Write a file anew, as small as it gets; what is in it stays the same."""

    def write(stream) -> None:  # type: ignore[no-untyped-def]
        with zipfile.ZipFile(path) as old, zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as new:
            for name in old.namelist():
                new.writestr(name, old.read(name))

    write_atomically(path, write)


if __name__ == "__main__":
    main(sys.argv[1:])
