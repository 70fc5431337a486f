"""`boardlab match --sprt`: two agents play until it is decided which of two differences in strength they have."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from boardlab.cli.output import print_json
from boardlab.errors import BoardlabError
from boardlab.game import Game
from boardlab.matches.starts import position_after
from boardlab.registry import make
from boardlab.rng import fresh_seed
from boardlab.system.machine import cores
from boardlab.tournament.duel import Duel, duel
from boardlab.tournament.files import export_games, require_export
from boardlab.tournament.sprt import read_sprt
from boardlab.tournament.starts import Start, starts_of

__all__ = ["run"]

MOST_GAMES = 100_000
"""So many games at most, where nobody says."""


def run(
    spec: str,
    agents: list[str],
    sprt: str | None,
    games: int | None,
    start: list[str],
    starts: str | None,
    seed: int | None,
    workers: int | None,
    record: Path | None,
    *,
    json: bool,
) -> None:
    """Play the test, and print its answer."""
    if sprt is None:
        raise BoardlabError("--starts is for a test, as --sprt elo0=0,elo1=10; a match has --start MOVES")
    game, test = make(spec), read_sprt(sprt)
    if record is not None:
        require_export(game, record)
    seed = fresh_seed() if seed is None else seed
    with _live() as told:
        result = duel(
            game,
            agents,
            test,
            starts=_starts(game, start, starts, seed),
            seed=seed,
            most_games=games or MOST_GAMES,
            workers=workers or cores(),
            told=told,
        )
    if record is not None:
        export_games(game, result.games, record)
    if json:
        print_json(result.to_json())
    else:
        print(result)


def _starts(game: Game, start: list[str], starts: str | None, seed: int) -> list[Start]:
    named = [Start(tuple(event.code for event in position_after(game, moves).history)) for moves in start]
    return named + (starts_of(game, starts or "start", seed) if starts or not named else [])


@contextmanager
def _live() -> Iterator[Callable[[Duel], None]]:
    """A line on stderr that shows how far the test is, where a person looks."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn

    console = Console(stderr=True, highlight=False, markup=False, emoji=False)
    columns = (TextColumn("{task.description}"), BarColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("the test begins", total=1.0)

        def told(state: Duel) -> None:
            low, high = state.test.bounds
            words = f"{len(state.games):,} games, log-likelihood ratio {state.ratio:+.2f} of {low:+.2f} .. {high:+.2f}"
            bar.update(task, description=words, completed=(state.ratio - low) / (high - low))

        yield told
