"""Keeps all cores, or a cluster, busy with the runs of a sweep until each has a result or a reason why it has none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from boardlab.errors import BoardlabError
from boardlab.executors import Executor, Outcome, Task, open_executor
from boardlab.lab.sweeps.board import Board
from boardlab.lab.sweeps.carrying_out import BUSY, DONE
from boardlab.lab.sweeps.estimate import PROCESS_MEMORY, Expected, expect
from boardlab.lab.sweeps.results import Results, results
from boardlab.lab.sweeps.runs import Run, plan_runs
from boardlab.lab.sweeps.sweep import Sweep, some_of
from boardlab.lab.trial import STARTING_SECONDS
from boardlab.store.files import write_bytes
from boardlab.system.machine import cores, free_memory
from boardlab.words import size_text, time_text

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["SweepWork", "carry_out_runs", "carry_out_sweep", "prepare_sweep", "say_plan"]

_REFRESH_SECONDS = 1.0


@dataclass
class SweepWork:
    """The runs of a sweep in its folder, and which of them are to be carried out."""

    folder: Path
    runs: list[Run]
    chosen: list[Run]
    """Those of the variants that are asked for; usually all."""
    todo: list[Run]
    failed: list[Run]
    """Runs that failed before, and are left alone."""
    expected: Expected = field(default_factory=lambda: Expected({}))
    checkpoint_seconds: float = 60.0

    def found(self) -> Results:
        """What is there of the runs."""
        names = {run.name for run in self.runs}
        there = results(self.folder) if (self.folder / "runs").is_dir() else Results([])
        return Results([run for run in there if run.name in names])

    @property
    def memory(self) -> int:
        """Bytes that the largest run needs."""
        return PROCESS_MEMORY + max((run.memory for run in self.todo), default=0)

    def processes(self, wanted: int | None) -> int:
        """How many processes run at the same time: as many as wanted, or as there are cores, and room for."""
        room = max(1, free_memory() // self.memory)
        if wanted is None:
            return max(1, min(cores(), room, len(self.todo) or 1))
        return wanted


def prepare_sweep(
    sweep: Sweep, folder: Path, *, only: Sequence[str] = (), retry: bool = False, write: bool = True
) -> SweepWork:
    """Write the description and the settings of all runs to the folder, unless it is not to be touched, and see what is
    to be done, `only` of these variants where some are named. Nothing that is there is lost: a sweep that has grown
    keeps its runs."""
    runs = plan_runs(sweep)
    labels = {variant.label for variant in sweep.chosen(only)}
    text = sweep.to_toml()
    path = folder / "sweep.toml"
    if write and (not path.exists() or path.read_text(encoding="utf-8") != text):
        write_bytes(path, text.encode())
    todo: list[Run] = []
    failed: list[Run] = []
    for run in runs:
        if write:
            run.settle(folder)
        files = run.files(folder)
        if files.result.exists() or run.variant.label not in labels:
            continue
        (todo if retry or not files.failure.exists() else failed).append(run)
    return SweepWork(folder, runs, [run for run in runs if run.variant.label in labels], todo, failed)


def carry_out_sweep(
    sweep: Sweep,
    folder: Path,
    *,
    processes: int | None = None,
    cluster: str | None = None,
    progress: bool = True,
    only: Sequence[str] = (),
    retry: bool = False,
    checkpoint_seconds: float = 60.0,
    console: Console | None = None,
) -> Results:
    """Carry out what is not there yet of a sweep, and return its runs. Ctrl-C stops it, and the same call goes on."""
    out = console or (_console() if progress else None)
    work = prepare_sweep(sweep, folder, only=only, retry=retry)
    work.checkpoint_seconds = checkpoint_seconds
    if out is not None:
        _say_what_is_there(out, work)
    if not work.todo:
        return work.found()
    if cluster is None and work.memory > free_memory():
        raise BoardlabError(
            f"a run needs {size_text(work.memory)}, and {size_text(free_memory())} of memory are free; take smaller"
            " tables, as shorter or fewer n-tuples"
        )
    with open_executor(cluster, work.processes(processes)) as executor:  # a cluster that is not there is told at once
        work.expected = _expected(out, work)
        if out is not None:
            _say_what_is_to_come(out, work, executor)
        carry_out_runs(work, executor, out)
    return work.found()


def say_plan(
    out: Console,
    sweep: Sweep,
    folder: Path,
    processes: int | None,
    cluster: str | None,
    *,
    only: Sequence[str] = (),
    retry: bool = False,
) -> None:
    """Say how many runs there are to do, and what they take, without doing them."""
    work = prepare_sweep(sweep, folder, only=only, retry=retry, write=False)
    _say_what_is_there(out, work)
    if work.todo:
        with open_executor(cluster, work.processes(processes)) as executor:
            work.expected = _expected(out, work)
            _say_what_is_to_come(out, work, executor)


def carry_out_runs(work: SweepWork, executor: Executor, out: Console | None) -> None:
    """Carry out the runs that are to be done. Those that another sweep has just now are waited for at the end."""
    board = Board(work.folder, work.chosen, work.todo, work.expected, executor)
    by_name = {run.name: run for run in work.todo}
    busy: list[Run] = []
    executor.submit(*(_task(run, work) for run in work.todo))
    with board.shown(out):
        while executor.pending or busy:
            if not executor.pending:
                executor.submit(*(_task(run, work, wait=True) for run in busy))
                busy = []
            found = executor.wait(_REFRESH_SECONDS)
            if found is not None:
                _note(found, by_name[found.task.name], board, busy)
            board.refresh()


def _task(run: Run, work: SweepWork, *, wait: bool = False) -> Task:
    arguments = {
        "folder": str(run.files(work.folder).folder.absolute()),
        "wait": wait,
        "checkpoint_seconds": work.checkpoint_seconds,
    }
    return Task(run.name, "boardlab.lab.sweeps.carrying_out:carry_out", arguments, work.expected.of(run))


def _note(found: Outcome, run: Run, board: Board, busy: list[Run]) -> None:
    if found.failure:
        board.failed(run, found.failure)
    elif found.result["status"] == DONE:
        board.done(run, found.result["result"])
    elif found.result["status"] == BUSY:
        busy.append(run)
    else:
        board.failed(run, "it was told to stop")


# ---------------------------------------------------------------- what is said


def _console() -> Console:
    from rich.console import Console

    return Console(highlight=False, markup=False, emoji=False)


def _say_what_is_there(out: Console, work: SweepWork) -> None:
    variants = len({run.variant.label for run in work.runs})
    seeds = len({run.seed for run in work.runs})
    of = f"{_count(variants, 'variant')} with {_count(seeds, 'seed')} each"
    done = len(work.chosen) - len(work.todo) - len(work.failed)
    out.print(f"{_count(len(work.runs), 'run')} in {work.folder}: {of}", soft_wrap=True)
    if len(work.chosen) < len(work.runs):
        labels = list(dict.fromkeys(run.variant.label for run in work.chosen))
        out.print(f"only {_count(len(work.chosen), 'run')} of them: {some_of(labels)}", soft_wrap=True)
    if done:
        out.print(f"{done:,} of them {'is' if done == 1 else 'are'} there already")
    for run in work.failed:
        reason = run.files(work.folder).failure.read_text(encoding="utf-8").strip()
        out.print(f"failed before: {run.variant.label}, seed {run.seed}: {reason}", soft_wrap=True)
    if work.failed:
        out.print("what failed is left alone; --retry runs it again")


def _expected(out: Console | None, work: SweepWork) -> Expected:
    """What the runs take, measured where it is not known. That may last, and is said."""

    def told(run: Run) -> None:
        assert out is not None
        of = f" of {run.variant.label}" if run.variant.name or run.variant.settings else ""
        out.print(f"measuring how long a run{of} takes (first it is compiled, if need be)", soft_wrap=True)

    return expect(work.todo, work.found(), told if out is not None else None)


def _say_what_is_to_come(out: Console, work: SweepWork, executor: Executor) -> None:
    slots = max(1, executor.slots)
    total = sum(work.expected.of(run) for run in work.todo) + STARTING_SECONDS * min(slots, len(work.todo))
    longest = max(work.expected.of(run) for run in work.todo) + STARTING_SECONDS
    wall = f"{work.expected.how} {time_text(max(total / slots, longest))}"
    largest = sorted((run.memory for run in work.todo), reverse=True)[:slots]
    memory = sum(largest) + PROCESS_MEMORY * min(slots, len(work.todo))
    out.print(
        f"{_count(len(work.todo), 'run')} to do: {wall} in {executor.words} ({time_text(total)} of CPU time),"
        f" about {size_text(memory)} of memory",
        soft_wrap=True,
    )


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'s' * (number != 1)}"
