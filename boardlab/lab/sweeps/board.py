"""How the runs of a sweep stand: one live table on a terminal, a line for each run that ends elsewhere.

What runs says so by its log, whoever runs it: this sweep, another one on the same folder, a worker of a cluster. So the
table needs nothing but the files.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from boardlab.executors import Executor
from boardlab.lab.sweeps.estimate import Expected
from boardlab.lab.sweeps.logs import episodes_said, last_words
from boardlab.lab.sweeps.runs import Run
from boardlab.words import score_text, time_text

if TYPE_CHECKING:
    from rich.console import Console
    from rich.live import Live

__all__ = ["Board"]

WAITING, RUNNING, DONE, FAILED = "waiting", "running", "finished", "failed"
_ORDER = {RUNNING: 0, FAILED: 1, DONE: 2, WAITING: 3}
_BESIDE = 8
"""Lines of the screen that are not rows of runs."""


@dataclass
class _Line:
    """A run in the table."""

    run: Run
    log: Path
    state: str
    size: int
    """Bytes of its log before this sweep: what is added says that it runs."""
    now: str = ""
    """The last line of its log, without the time."""
    ended: int = 0
    """How many runs had ended then: the last one comes first."""


class Board:
    """The table of all runs."""

    def __init__(
        self, folder: Path, runs: Sequence[Run], todo: Sequence[Run], expected: Expected, executor: Executor
    ) -> None:
        ours = {run.name for run in todo}
        self._executor, self._expected = executor, expected
        self._lines = {run.name: _line(run, folder, run.name in ours) for run in runs}
        self._spent: dict[str, list[float]] = {}
        self._began = time.monotonic()
        self._out: Console | None = None
        self._live: Live | None = None

    @contextmanager
    def shown(self, out: Console | None) -> Iterator[None]:
        """Within it, the table is on the screen; nothing is shown without a console."""
        self._out = out
        if out is None or not out.is_terminal:
            yield
            return
        from rich.live import Live

        with Live(self._picture(), console=out, auto_refresh=False, transient=True) as self._live:
            yield
        self._live = None
        out.print(self._summary())

    def done(self, run: Run, result: dict[str, Any]) -> None:
        """A run has its result."""
        line = self._lines[run.name]
        line.state, line.ended = DONE, self._count(DONE) + 1
        score = result.get("score")
        line.now = f"{score_text(score)} in {time_text(result['cpu_seconds'])}" if score is not None else ""
        self._spent.setdefault(run.variant.label, []).append(result["cpu_seconds"])
        self._expected.learn(run.variant.label, self._spent[run.variant.label])
        self._tell(f"{self._numbers()} {run.variant.label}, seed {run.seed}: {line.now}")

    def failed(self, run: Run, reason: str) -> None:
        """A run has none, and will have none by itself."""
        line = self._lines[run.name]
        line.state, line.now = FAILED, reason
        if self._out is not None:
            self._out.print(f"failed: {run.variant.label}, seed {run.seed}: {reason}", soft_wrap=True)

    def refresh(self) -> None:
        """Look at the logs, and draw the table anew."""
        if self._live is None:
            return
        for line in self._lines.values():
            if line.state in (WAITING, RUNNING):
                _look(line)
        self._live.update(self._picture(), refresh=True)

    def _tell(self, text: str) -> None:
        if self._out is not None and self._live is None:
            self._out.print(text, soft_wrap=True)

    # ------------------------------------------------------------ what is seen

    def _count(self, state: str) -> int:
        return sum(line.state == state for line in self._lines.values())

    def _numbers(self) -> str:
        return f"{self._count(DONE):,} of {len(self._lines):,}"

    def _summary(self) -> str:
        parts = [f"{self._numbers()} runs finished"]
        parts += [f"{self._count(state):,} {state}" for state in (FAILED, RUNNING, WAITING) if self._count(state)]
        spent = time_text(time.monotonic() - self._began)
        left = self._left()
        return f"{', '.join(parts)}; {spent} so far{f', about {time_text(left)} left' if left else ''}"

    def _left(self) -> float:
        """Seconds until all are done."""
        open_runs = [line.run for line in self._lines.values() if line.state in (WAITING, RUNNING)]
        total = sum(self._expected.of(run) * (1.0 - _share(self._lines[run.name])) for run in open_runs)
        return total / max(1, min(self._executor.slots, len(open_runs))) if open_runs else 0.0

    def _picture(self) -> Any:
        from rich.box import SIMPLE_HEAD
        from rich.console import Group
        from rich.table import Table
        from rich.text import Text

        table = Table(box=SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0), header_style="bold", expand=True)
        table.add_column("variant", no_wrap=True, ratio=1)
        table.add_column("seed", justify="right", no_wrap=True)
        table.add_column("state", no_wrap=True)
        table.add_column("", no_wrap=True, ratio=1)
        lines = sorted(self._lines.values(), key=lambda line: (_ORDER[line.state], -line.ended, line.run.number))
        room = max(3, (self._out.height if self._out else 24) - _BESIDE)
        for line in lines[:room]:
            table.add_row(Text(line.run.variant.label), str(line.run.seed), line.state, Text(line.now))
        hidden = lines[room:]
        more = [f"{n:,} {state}" for state in _ORDER if (n := sum(line.state == state for line in hidden))]
        rest = [Text(f"... and {', '.join(more)}")] if more else []
        return Group(table, *rest, Text(self._summary()))


def _line(run: Run, folder: Path, ours: bool) -> _Line:
    files = run.files(folder)
    state = WAITING if ours else DONE if files.result.exists() else FAILED
    return _Line(run, files.log, state, _size(files.log))


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _look(line: _Line) -> None:
    """See whether a run has begun, and how far it is."""
    size = _size(line.log)
    if size > line.size:
        line.state, line.now = RUNNING, last_words(line.log)


def _share(line: _Line) -> float:
    """How much of a run is done, by its last line."""
    said = episodes_said(line.now) if line.state == RUNNING else None
    return min(1.0, said[0] / max(1, said[1])) if said else 0.0
