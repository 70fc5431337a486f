"""The pictures of a measurement of balance, as PNG and SVG."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from boardlab.balance.figures import BalanceReport, GameFigures, LevelFigures, common_level
from boardlab.balance.journal import write_whole
from boardlab.matches.intervals import Estimate

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["draw", "pictures", "save"]

Picture = tuple[str, str, "Callable[[Axes], None]"]
"""Its name in files, what it shows, and what draws it."""

_COLOURS = ("#2563a8", "#d1701f", "#3f8f4f", "#8a4fa3", "#777777")


def pictures(report: BalanceReport) -> list[tuple[GameFigures | None, list[Picture]]]:
    """All pictures of a report: those of each game, and for a range those of all games together (None)."""
    found: list[tuple[GameFigures | None, list[Picture]]] = []
    if len(report.games) > 1:
        found.append((None, _range_pictures(report.games)))
    found += [(game, _game_pictures(game)) for game in report.games]
    return [(game, some) for game, some in found if some]


def _game_pictures(game: GameFigures) -> list[Picture]:
    some: list[Picture] = []
    if len(game.players) > 1:
        some.append(("seats", "Share of wins of each seat, by strength", lambda axes: _seats(axes, game)))
    some.append(("plies", "Length of the games: all, the middle half, the median", lambda axes: _plies(axes, game)))
    if any(level.decided for level in game.levels):
        some.append(("decided", "After which part of the game it is decided", lambda axes: _decided(axes, game)))
    if game.steps:
        some.append(("skill", "What the stronger one of two levels gains", lambda axes: _skill(axes, game)))
    return some


def draw(picture: Picture) -> Figure:
    """The picture as a figure of matplotlib."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5.6, 3.6), layout="constrained")
    axes = figure.subplots()
    picture[2](axes)
    axes.grid(alpha=0.3)
    axes.set_axisbelow(True)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    return figure


def as_bytes(figure: Figure, kind: str) -> bytes:
    """The figure as a PNG or SVG file; the same figure gives the same bytes."""
    import matplotlib as mpl

    stream = io.BytesIO()
    with mpl.rc_context({"svg.hashsalt": "boardlab"}):
        figure.savefig(stream, format=kind, dpi=150, metadata={"Date": None} if kind == "svg" else None)
    return stream.getvalue()


def save(report: BalanceReport, folder: Path) -> list[Path]:
    """Write all pictures, as PNG and as SVG."""
    written = []
    for number, (game, some) in enumerate(pictures(report)):
        for picture in some:
            figure = draw(picture)
            which = "range-" if game is None else f"game{number}-" if len(report.games) > 1 else ""
            for kind in ("png", "svg"):
                path = folder / f"{which}{picture[0]}.{kind}"
                write_whole(path, as_bytes(figure, kind))
                written.append(path)
    return written


# ---------------------------------------------------------------- one game


def _legend(axes: Axes) -> None:
    """Above the picture, where it hides nothing."""
    axes.legend(frameon=False, ncols=5, loc="lower center", bbox_to_anchor=(0.5, 1.0), fontsize=8, columnspacing=1.0)


def _short(agent: str) -> str:
    return agent.replace("mcts:iterations=", "mcts ") if len(agent) < 40 else f"{agent[:37]}..."


def _with_levels(axes: Axes, levels: Sequence[LevelFigures]) -> None:
    axes.set_xticks(range(len(levels)), [_short(level.agent) for level in levels], rotation=20, ha="right")
    axes.set_xlim(-0.5, len(levels) - 0.5)


def _bars(
    axes: Axes, places: Sequence[float], values: Sequence[Estimate], colour: str, label: str, scale: float
) -> None:
    means = [scale * value.mean for value in values]
    below = [scale * max(0.0, value.mean - value.low) for value in values]
    above = [scale * max(0.0, value.high - value.mean) for value in values]
    axes.errorbar(places, means, yerr=[below, above], fmt="o", capsize=4, color=colour, label=label)


def _seats(axes: Axes, game: GameFigures) -> None:
    players = len(game.players)
    for seat, name in enumerate(game.players):
        shift = (seat - (players - 1) / 2) * 0.5 / players
        places = [place + shift for place in range(len(game.levels))]
        _bars(axes, places, [level.shares[seat] for level in game.levels], _COLOURS[seat % 5], name, 100.0)
    axes.axhline(100.0 / players, color="#555555", linewidth=1, linestyle="--")
    axes.set_ylabel("share of wins, %")
    axes.set_ylim(-3, 103)
    _legend(axes)
    _with_levels(axes, game.levels)


def _plies(axes: Axes, game: GameFigures) -> None:
    for place, level in enumerate(game.levels):
        least, first, median, third, most = level.spread
        axes.plot([place, place], [least, most], color=_COLOURS[0], linewidth=1)
        axes.plot([place, place], [first, third], color=_COLOURS[0], linewidth=9, alpha=0.5, solid_capstyle="butt")
        axes.plot([place], [median], "o", color=_COLOURS[0])
    axes.set_ylabel("plies")
    axes.set_ylim(bottom=0)
    axes.locator_params(axis="y", integer=True)
    _with_levels(axes, game.levels)


def _decided(axes: Axes, game: GameFigures) -> None:
    levels = [level for level in game.levels if level.decided]
    _bars(axes, range(len(levels)), [level.decided for level in levels if level.decided], _COLOURS[0], "", 100.0)
    axes.set_ylabel("decided after, % of the plies")
    axes.set_ylim(-3, 103)
    _with_levels(axes, levels)


def _skill(axes: Axes, game: GameFigures) -> None:
    for place, step in enumerate(game.steps):
        known = [end for end in (step.elo_low, step.elo_high) if end is not None]
        axes.bar([place], [step.elo], width=0.5, color=_COLOURS[0], alpha=0.6)
        axes.plot([place] * (len(known) + 1), [step.elo, *known], color="#222222", linewidth=1.5)
    names = [f"{_short(step.stronger)}\nover {_short(step.weaker)}" for step in game.steps]
    axes.set_xticks(range(len(names)), names, rotation=20, ha="right")
    axes.set_ylabel("Elo")
    axes.axhline(0.0, color="#555555", linewidth=1)


# ---------------------------------------------------------------- a range of games


def _range_pictures(games: Sequence[GameFigures]) -> list[Picture]:
    some: list[Picture] = []
    if len(games[0].players) > 1:
        first = f"Share of wins of {games[0].players[0]}, over the range"
        some.append(("seat", first, lambda axes: _over_range(axes, games, "shares")))
    some.append(
        ("plies", "Length of the games in the mean, over the range", lambda axes: _over_range(axes, games, "plies"))
    )
    return some


def _over_range(axes: Axes, games: Sequence[GameFigures], what: str) -> None:
    common = [agent for agent in games[0].ladder if all(agent in game.ladder for game in games)]
    assert common[-1] == common_level(games)
    for number, agent in enumerate(common):
        levels = [next(level for level in game.levels if level.agent == agent) for game in games]
        values = [level.shares[0] if what == "shares" else level.plies for level in levels]
        shift = (number - (len(common) - 1) / 2) * 0.4 / len(common)
        places = [place + shift for place in range(len(games))]
        _bars(axes, places, values, _COLOURS[number % 5], _short(agent), 100.0 if what == "shares" else 1.0)
    names = [", ".join(f"{name}={value}" for name, value in game.varied.items()) for game in games]
    axes.set_xticks(range(len(games)), names, rotation=20 if len(games) > 5 else 0)
    axes.set_xlim(-0.5, len(games) - 0.5)
    axes.set_ylabel("share of wins, %" if what == "shares" else "plies")
    if what == "shares":
        axes.axhline(100.0 / len(games[0].players), color="#555555", linewidth=1, linestyle="--")
    _legend(axes)
