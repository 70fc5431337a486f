"""What the commands of `boardlab bench` take. The modules that carry them out are imported when a command is given."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from boardlab.cli.taken import LOOK, CpuSeconds, Json, MeasuredGames

__all__ = ["bench"]

bench = typer.Typer(help="Measure how fast boardlab is on this machine.", **LOOK)


@bench.command()
def rollouts(
    games: MeasuredGames = None,
    seconds: CpuSeconds = 3.0,
    json: Json = False,
) -> None:
    """Random games per second on one core, beside OpenSpiel's where it is installed."""
    from boardlab.cli.bench_rollouts import run

    run(games, seconds, json=json)


@bench.command()
def search(
    games: MeasuredGames = None,
    seconds: CpuSeconds = 3.0,
    json: Json = False,
) -> None:
    """Simulations of MCTS and positions of max-n per second on one core, beside OpenSpiel's MCTS."""
    from boardlab.cli.bench_search import run

    run(games, seconds, json=json)


@bench.command("train")
def bench_train(
    games: Annotated[
        str | None, typer.Option(metavar="A,B,...", help="Which games; those of the paper when left out.")
    ] = None,
    yardstick: Annotated[
        str | None,
        typer.Option(
            metavar="PATH", help="c4ref or g2048ref to compare with, or their folder; measured in the same run."
        ),
    ] = None,
    threads: Annotated[int, typer.Option(min=1, max=64, help="Also measure the speed-up of this many threads.")] = 1,
    profile: Annotated[bool, typer.Option("--profile", help="Show where the time of a learner goes instead.")] = False,
    json: Json = False,
) -> None:
    """Self-play learning per CPU second on one core, with the settings of the FARL paper."""
    from boardlab.cli.bench_train import run

    run(games, yardstick, threads, profile=profile, json=json)


@bench.command("start")
def bench_start(
    games: MeasuredGames = None,
    rounds: Annotated[int, typer.Option(min=1, max=100, help="How often each game is started.")] = 1,
    json: Json = False,
) -> None:
    """How long a training waits before its first episode: the first time, and when the machine code is on disk."""
    from boardlab.cli.bench_start import run

    run(games, rounds, json=json)


@bench.command("play")
def bench_play(
    games: Annotated[
        str | None, typer.Option(metavar="A,B,...", help="Which games; some of the paper when left out.")
    ] = None,
    seconds: CpuSeconds = 3.0,
    json: Json = False,
) -> None:
    """How fast learned agents play: from Python, in machine code, and under n-ply, max-n and PUCT."""
    from boardlab.cli.bench_play import run

    run(games, seconds, json=json)


@bench.command("scaling")
def bench_scaling(
    series: Annotated[
        str | None,
        typer.Option(metavar="A,B,...", help="tuples, length, boards, traces, threads; all when left out."),
    ] = None,
    seconds: CpuSeconds = 3.0,
    out: Annotated[Path | None, typer.Option(metavar="FILE.png", help="Also draw it.")] = None,
    json: Json = False,
) -> None:
    """How the cost of learning grows with n-tuples, boards, eligibility and threads, and the size of agent files."""
    from boardlab.cli.bench_scaling import run

    run(series, seconds, out, json=json)


@bench.command("env")
def bench_env(
    boards: Annotated[int, typer.Option(min=1, max=1_000_000, help="Boards that are stepped in one call.")] = 1024,
    seconds: CpuSeconds = 3.0,
    json: Json = False,
) -> None:
    """Steps of Connect Four environments per second on one core, ours beside PettingZoo's and OpenSpiel's."""
    from boardlab.cli.bench_env import run

    run(boards, seconds, json=json)


@bench.command("arena")
def bench_arena(
    games: Annotated[int, typer.Option(min=1, max=400, help="Live games that are played at the same time.")] = 100,
    json: Json = False,
) -> None:
    """How quickly the arena answers: many games at once, single clicks, and the page itself."""
    from boardlab.cli.bench_web import run

    run(games, json=json)
