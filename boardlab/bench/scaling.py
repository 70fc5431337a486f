"""How the cost of learning grows: with the number and the length of n-tuples, the size of the board, eligibility, and
threads; and how large the agent files get.

Each series changes one thing. Beside the games per second stands what they are made of: the look-ups of a second. Where
their time stays the same, the cost grows as the work does; it may grow where tables no longer fit the caches.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from boardlab.agents.learning import LearningAgent
from boardlab.errors import unknown_name
from boardlab.lab.planning import learner_classes
from boardlab.registry import make
from boardlab.system.machine import cores

__all__ = ["SERIES", "ScalingPoint", "draw_scaling", "measure_scaling"]

_WARM_UP = 0.25
"""The first part of the time is not measured: tables fill, games get longer."""


@dataclass(frozen=True)
class ScalingPoint:
    """One learner of a series, trained for some seconds by one thread unless the series is about threads."""

    series: str
    name: str
    """What is different, as `70 x 8`."""
    size: float
    """The same as a number, for the plot."""
    weights: int
    games_per_s: float
    moves_per_s: float
    lookups_per_s: float
    """Weights that were read to value afterstates or learned from, about: values asked for, times the tuples and the
    symmetric boards that each takes."""
    save_seconds: float
    file_bytes: int

    @property
    def nanoseconds(self) -> float:
        """Per look-up."""
        return 1e9 / self.lookups_per_s


@dataclass(frozen=True)
class _Case:
    name: str
    size: float
    game: str
    options: dict[str, Any]
    threads: int = 1


def _tuples() -> list[_Case]:
    return [_Case(f"{n} x 8", n, "connect4", {"tuples": f"walk:{n}x8"}) for n in (10, 20, 40, 70, 100, 150, 200)]


def _length() -> list[_Case]:
    return [_Case(f"40 x {n}", n, "connect4", {"tuples": f"walk:40x{n}"}) for n in (4, 5, 6, 7, 8, 9, 10)]


def _boards() -> list[_Case]:
    hexes = [_Case(f"hex {n}", n * n, f"hex:size={n}", {"tuples": "walk:25x6"}) for n in (4, 5, 6, 7, 9, 11)]
    dots = [
        _Case(f"dots {r} x {c}", r * (c + 1) + c * (r + 1), f"dots:rows={r},columns={c}", {"tuples": "walk:25x6"})
        for r, c in ((2, 2), (3, 3), (4, 4))
    ]
    return [*hexes, *dots, _Case("connect4", 42, "connect4", {"tuples": "walk:25x6"})]


def _traces() -> list[_Case]:
    given = {"tuples": "walk:40x8"}
    cases = [_Case("lambda 0", 0.0, "connect4", given)]
    for lam in (0.3, 0.5, 0.8, 0.9, 0.95):
        cases.append(_Case(f"horizon {lam:g}", lam, "connect4", {**given, "lam": lam}))
        cases.append(_Case(f"traces {lam:g}", lam, "connect4", {**given, "lam": lam, "method": "traces"}))
    return cases


def _threads() -> list[_Case]:
    numbers = sorted({1, 2, 4, 8, 16, cores()})
    given = {"tuples": "walk:70x8"}
    return [_Case("1 thread" if n == 1 else f"{n} threads", n, "connect4", given, n) for n in numbers if n <= cores()]


SERIES: dict[str, tuple[str, Callable[[], list[_Case]]]] = {
    "tuples": ("number of n-tuples of length 8 (Connect Four)", _tuples),
    "length": ("length of 40 n-tuples (Connect Four)", _length),
    "boards": ("cells of the board (25 n-tuples of length 6)", _boards),
    "traces": ("lambda (Connect Four, 40 n-tuples of length 8)", _traces),
    "threads": ("threads (Connect Four, 70 n-tuples of length 8)", _threads),
}
"""What the x-axis of each series is, and its cases."""


def measure_scaling(series: Sequence[str], seconds: float) -> Iterator[ScalingPoint]:
    """Measure so many seconds for each case of these series."""
    for name in series:
        if name not in SERIES:
            raise unknown_name("series", name, SERIES)
    for name in series:
        for case in SERIES[name][1]():
            yield _measure(name, case, seconds)


def _measure(series: str, case: _Case, seconds: float) -> ScalingPoint:
    game = make(case.game)
    agent: Any = learner_classes()["td-ntuple"](game, seed=1, **case.options)
    agent.compile()
    _train(agent, case.threads, _WARM_UP * seconds)
    spent, episodes, moves, values = _train(agent, case.threads, seconds)
    learner = agent.learner
    save_seconds, file_bytes = _saved(agent)
    return ScalingPoint(
        series=series,
        name=case.name,
        size=case.size,
        weights=learner.values.num_weights * learner.table_sets,
        games_per_s=episodes / spent,
        moves_per_s=moves / spent,
        lookups_per_s=values * learner.values.most_kept / spent,
        save_seconds=save_seconds,
        file_bytes=file_bytes,
    )


def _train(agent: LearningAgent, threads: int, seconds: float) -> tuple[float, int, int, int]:
    """Train in growing stretches for about so long; seconds, episodes, moves and values asked for. CPU seconds for one
    thread, wall time for several."""
    clock = time.thread_time if threads == 1 else time.perf_counter
    spent, stretch, done = 0.0, 8, [0, 0, 0]
    while spent < seconds:
        began = clock()
        counts = agent.train(stretch, threads)
        took = max(clock() - began, 1e-9)
        spent += took
        done = [a + b for a, b in zip(done, counts, strict=True)]
        stretch = max(1, min(2 * stretch, int(stretch * seconds / 4 / took)))
    return spent, done[0], done[1], done[2]


def _saved(agent: LearningAgent) -> tuple[float, int]:
    with TemporaryDirectory(prefix="boardlab-") as folder:
        file = Path(folder) / "a.agent"
        began = time.perf_counter()
        agent.save(file)
        return time.perf_counter() - began, file.stat().st_size


def draw_scaling(points: Sequence[ScalingPoint], path: Path) -> None:
    """Draw every series, as PNG or SVG: games per second, and below them the time of a look-up."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from matplotlib.ticker import LogLocator, MaxNLocator, NullLocator

    names = list(dict.fromkeys(point.series for point in points))
    figure = Figure(figsize=(4.2 * len(names), 6), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots(2, len(names), sharex="col", squeeze=False)
    for column, name in enumerate(names):
        speed, cost = axes[:, column]
        for kind, group in _kinds([point for point in points if point.series == name]).items():
            sizes = [point.size for point in group]
            speed.plot(sizes, [point.games_per_s for point in group], marker="o", label=kind)
            cost.plot(sizes, [point.nanoseconds for point in group], marker="o", label=kind)
        speed.set_title(name)
        speed.set_yscale("log")
        speed.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        speed.yaxis.set_minor_locator(NullLocator())
        speed.yaxis.set_major_formatter(lambda x, _: f"{x:,.0f}")
        speed.set_ylim(*_whole_steps([point.games_per_s for point in points if point.series == name]))
        cost.set_ylim(0, 1.1 * cost.get_ylim()[1])
        if name == "threads":
            cost.xaxis.set_major_locator(MaxNLocator(integer=True))
        cost.set_xlabel(SERIES[name][0], fontsize="small")
        if len(speed.get_lines()) > 1:
            speed.legend(fontsize="small")
        for plot in (speed, cost):
            plot.grid(alpha=0.3, which="both")
    axes[0, 0].set_ylabel("games per second")
    axes[1, 0].set_ylabel("nanoseconds per look-up")
    figure.savefig(path, dpi=120)


def _whole_steps(rates: Sequence[float]) -> tuple[float, float]:
    """The next of 1, 2, 5, 10, ... below and above all rates, so that the axis has two labels at least."""
    steps = [digit * 10.0**power for power in range(-3, 12) for digit in (1, 2, 5)]
    return max(step for step in steps if step <= min(rates)), min(step for step in steps if step > max(rates))


def _kinds(points: Sequence[ScalingPoint]) -> dict[str, list[ScalingPoint]]:
    """Lines of the plot: points of the same first word, as `hex`, `dots`, `horizon`; numbers belong together."""
    kinds: dict[str, list[ScalingPoint]] = {}
    for point in points:
        word = point.name.split()[0]
        kinds.setdefault("" if word.isdigit() else word, []).append(point)
    return kinds
