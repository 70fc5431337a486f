"""`boardlab bench arena`: how quick the arena in the browser is, as a table or as JSON."""

from __future__ import annotations

from dataclasses import asdict

from boardlab.bench.timing import versions
from boardlab.bench.web import ArenaSpeed, measure_arena
from boardlab.cli.output import console, print_json, table

__all__ = ["run"]


def run(games: int, *, json: bool) -> None:
    """Measure an arena with so many live games."""
    speed = measure_arena(games)
    if json:
        print_json(asdict(speed))
        return
    out = console()
    out.print(_table(speed))
    out.print("Wall-clock time, as a person would wait; other work on the machine slows it down.")
    used = versions("boardlab", "fastapi", "uvicorn", "numpy")
    out.print(", ".join(f"{name} {number}" for name, number in used.items()))


def _table(speed: ArenaSpeed) -> object:
    made = table("", ">time", ">95 %")
    made.add_row("from the command to the first answer", f"{speed.start_seconds:.2f} s", "")
    games = f"{speed.games} games at once: a move of each and the random agent's reply"
    made.add_row(games, f"{speed.answered_seconds:.2f} s", "")
    for game, (middle, most) in speed.click_milliseconds.items():
        made.add_row(f"a click in {game}", f"{middle:.1f} ms", f"{most:.1f} ms")
    page = "no browser" if speed.page_seconds is None else f"{speed.page_seconds:.2f} s"
    made.add_row("the page, with a warm cache", page, "")
    return made
