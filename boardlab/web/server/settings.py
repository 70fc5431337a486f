"""All settings of the arena: where its data lies, where it listens, and every limit.

A limit exists so that no page, no script and no forgotten tab can take more of the machine than its owner wants. On the
command line each of them is set by `boardlab arena -o NAME=VALUE`.
"""

from __future__ import annotations

import os
from pathlib import Path

from pydantic import Field

from boardlab.components.models import Model
from boardlab.system.machine import cores, total_memory

__all__ = ["ArenaSettings", "default_data"]


def default_data() -> Path:
    """BOARDLAB_DATA where it is set, else the place for the data of a user's programs."""
    named = os.environ.get("BOARDLAB_DATA")
    if named:
        return Path(named).expanduser().absolute()
    base = os.environ.get("XDG_DATA_HOME") or "~/.local/share"
    return Path(base).expanduser().absolute() / "boardlab"


def _most_memory() -> int:
    """Megabytes: three quarters of the machine's memory."""
    return max(1024, min(total_memory(), 1 << 44) * 3 // 4 >> 20)


class ArenaSettings(Model):
    """The settings of one arena."""

    data: Path = Field(default_factory=default_data, description="directory of agents, runs and games")
    host: str = Field("127.0.0.1", description="address to listen on")
    port: int = Field(8000, ge=0, le=65_535, description="port to listen on; 0: any free one")
    names: tuple[str, ...] = Field((), description="additional host names under which the page may be opened")
    games: tuple[str, ...] = Field((), description="games of your own, as path/to/file.py:Class")
    sweeps: tuple[Path, ...] = Field((), description="folders of sweeps, beside those in the data directory")

    workers: int = Field(default_factory=cores, ge=1, le=256, description="processes in which agents think, kept ready")
    most_workers: int = Field(
        16, ge=1, le=256, description="the most such processes, when many agents think for a long time at once"
    )
    megabytes: int = Field(
        default_factory=_most_memory, ge=512, description="memory of all processes of the arena together"
    )
    worker_megabytes: int = Field(8192, ge=512, description="memory that each of them may use")
    waiting_jobs: int = Field(1000, ge=1, description="requests that wait for a free process")
    seconds_per_move: float = Field(60.0, gt=0, le=86_400, description="an agent that thinks longer is stopped")
    seconds_to_prepare: float = Field(
        600.0, gt=0, le=86_400, description="longest time to compile a game or to load an agent"
    )

    tables: int = Field(
        500,
        ge=1,
        le=100_000,
        description="live games at hand; those that nobody looks at make room, until they are asked for",
    )
    kept_tables: int = Field(
        10_000, ge=1, le=1_000_000, description="live games that are kept in the database; the oldest make way"
    )
    plies: int = Field(20_000, ge=1, le=1_000_000, description="moves and chance events of a live game")
    streams: int = Field(500, ge=1, le=100_000, description="open pages that receive updates")
    body_bytes: int = Field(1 << 20, ge=1024, description="size of a request")
    upload_bytes: int = Field(512 << 20, ge=1024, description="size of an uploaded agent file")
    unpacked_bytes: int = Field(8 << 30, ge=1024, description="size of an uploaded agent file when unpacked")
    files: int = Field(1000, ge=1, description="agent files")
    runs: int = Field(50, ge=1, description="training runs that are queued, running or paused")
    runs_at_once: int = Field(1, ge=1, le=64, description="training runs that run at the same time")
    threads: int = Field(default_factory=cores, ge=1, le=256, description="threads of a training run")
    episodes: int = Field(10_000_000, ge=1, description="episodes of a training run")
    network_megabytes: int = Field(4096, ge=1, description="memory of what a training run learns")
    network_tuples: int = Field(1000, ge=1, le=10_000, description="n-tuples of a training run")
    checkpoint_seconds: float = Field(60.0, ge=0, description="time between two checkpoints of a training run")
    curve_points: int = Field(1000, ge=1, description="evaluations of a training run")
    evaluation_games: int = Field(10_000, ge=1, description="games per evaluation of a training run")
    matches: int = Field(20, ge=1, description="matches that are queued or running")
    matches_at_once: int = Field(1, ge=1, le=64, description="matches that are played at the same time")
    match_workers: int = Field(
        default_factory=cores, ge=1, le=256, description="processes that play a match or a tournament"
    )
    match_games: int = Field(1000, ge=1, description="games of a match")
    tournaments: int = Field(20, ge=1, description="tournaments that are queued or running")
    tournaments_at_once: int = Field(1, ge=1, le=64, description="tournaments that are played at the same time")
    tournament_entrants: int = Field(64, ge=2, le=1000, description="agents of a tournament")
    tournament_games: int = Field(20_000, ge=1, description="games of a tournament")
    league: bool = Field(True, description="whether leagues that are switched on play while the machine is idle")
    league_quiet_seconds: float = Field(
        30.0, ge=0, le=86_400, description="so long nothing else has worked before a league plays"
    )
    league_members: int = Field(100, ge=2, le=1000, description="agents in the league of a game")
    league_plies: int = Field(2, ge=0, le=100, description="random plies at the start of a game of a league")
    league_game_seconds: float = Field(3600.0, gt=0, le=86_400, description="longest time for a game of a league")
    records: int = Field(100_000, ge=1, description="stored games; the oldest make way for new ones")

    @property
    def limits(self) -> dict[str, int | float]:
        """What a page may want to say: all limits by name."""
        places = {"data", "host", "port", "names", "games", "sweeps"}
        return {name: value for name, value in self if name not in places}
