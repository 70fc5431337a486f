"""`boardlab perft`: counts of action sequences, and of distinct positions, by depth; a line as soon as it is known."""

from __future__ import annotations

from time import perf_counter
from typing import Any

from boardlab.cli.output import interruptible, print_json
from boardlab.game import Game
from boardlab.playouts import count_sequences, positions_by_depth
from boardlab.registry import make
from boardlab.words import rate_text

__all__ = ["run"]


def run(spec: str, depth: int, *, positions: bool, json: bool) -> None:
    """Count to `depth` and print a table, or JSON."""
    game = make(spec)
    count_sequences(game, 0)  # compiled before the clock starts
    if not json:
        print(f"{game.title} ({game.spec})")
        print(f"{'depth':>5} {'sequences':>18} {'finished games':>18}" + f" {'positions':>14}" * positions, end="")
        print(f" {'seconds':>9} {'sequences/s':>14}")
    rows = []
    complete = total = 0
    found = positions_by_depth(game)
    if positions:
        next(found)  # the start
    for d in range(1, depth + 1):
        row = _count(game, d)
        if positions:
            row["positions"], total = interruptible(next, found)
        complete += row["finished"]
        rows.append(row)
        if not json:
            _print_row(row)
        if row["sequences"] == 0:
            break
    summary = {"game": game.spec, "depth": depth, "rows": rows, "complete_games": complete}
    if positions:
        summary["positions"] = total
    if json:
        print_json(summary)
        return
    print(f"complete games of {depth} actions at most: {complete:,}")
    if positions:
        print(f"distinct positions, the start included: {total:,}")


def _count(game: Game, depth: int) -> dict[str, Any]:
    """One line of the table: each depth is counted from the start, as that costs little more than the last."""
    begin = perf_counter()
    counts = interruptible(count_sequences, game, depth)
    sequences, finished = (int(n) for n in counts[depth])
    return {"depth": depth, "sequences": sequences, "finished": finished, "seconds": perf_counter() - begin}


def _print_row(row: dict[str, Any]) -> None:
    rate = rate_text(row["sequences"] / row["seconds"]) if row["seconds"] > 0.01 else "-"
    line = f"{row['depth']:5} {row['sequences']:18,} {row['finished']:18,}"
    if "positions" in row:
        line += f" {row['positions']:14,}"
    print(f"{line} {row['seconds']:9.3f} {rate:>14}", flush=True)
