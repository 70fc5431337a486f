"""`boardlab info FILE`: everything that an agent file tells about itself."""

from __future__ import annotations

from pathlib import Path

from boardlab.agents.files import described_file, facts_in, learner_class
from boardlab.cli.output import console, print_json, table
from boardlab.lab.curves import success_measures
from boardlab.lab.history import History, StepSizes, history_in
from boardlab.store import AgentFile, read_agent_file
from boardlab.words import score_text, size_text

__all__ = ["run", "success_lines"]


def run(path: Path, *, json: bool) -> None:
    """Print what is in the file."""
    file = read_agent_file(path)
    history = history_in(file)
    if json:
        about = file.about.model_dump(exclude={"arrays"})
        print_json({**about, "history": history.model_dump(), "success": success_measures(history)})
        return
    out = console()
    out.print(_facts_table(file, history))
    out.print(_parameters_table(file))
    if history.evaluations:
        also = f"; second: {history.second_procedure}" if history.second_evaluator else ""
        out.print(f"learning curve ({history.procedure}{also})", soft_wrap=True)
        out.print(_curve_table(history))
        for line in success_lines(history):
            out.print(line)


def success_lines(history: History) -> list[str]:
    """What the learning curve says in the measures of Thill 2015; nothing where they do not apply."""
    measures = success_measures(history)
    if measures is None:
        return []
    episodes = measures["time_to_learn"]
    reached = "not reached" if episodes is None else f"{episodes:,.0f} episodes"
    return [
        f"asymptotic success rate (of the last 200,000 episodes): {measures['asymptotic_success']:.1%}",
        f"time-to-learn (until 80 %): {reached}",
    ]


def _facts_table(file: AgentFile, history: History) -> object:
    about = file.about
    made = table("", "")
    made.show_header = False
    episodes = f"{facts_in(file).episodes:,} episodes, {history.moves:,} moves, {history.seconds:,.1f} CPU seconds"
    for key, value in (
        ("file", f"{file.path}, {size_text(file.path.stat().st_size)}"),
        ("agent", f"{about.agent} for {about.game}"),
        ("trained", f"{episodes}; {_end_text(history)}"),
        ("preset", history.preset or "none"),
        *described_file(file).items(),
        ("created", history.created or about.saved),
        ("saved", about.saved),
        ("software", ", ".join(f"{name} {number}" for name, number in about.software.items())),
    ):
        made.add_row(key, value)
    return made


def _end_text(history: History) -> str:
    if not history.finished:
        return "not finished"
    return f"ended early: {history.stopped}" if history.stopped else "finished"


def _parameters_table(file: AgentFile) -> object:
    made = table("parameter", "value", "meaning")
    fields = learner_class(file).Parameters.model_fields
    for name, value in file.about.parameters.items():
        meaning = fields[name].description if name in fields else ""
        made.add_row(name, str(value).lower() if isinstance(value, bool | None) else str(value), meaning or "")
    return made


def _curve_table(history: History) -> object:
    second = any(point.second for point in history.evaluations)
    steps = any(point.step_sizes for point in history.evaluations)
    more = [*([">second"] if second else []), *([">step sizes"] if steps else [])]
    made = table(">episodes", ">CPU s", ">result", ">low", ">high", ">games", *more)
    for point in history.evaluations:
        cells = [score_text(score) for score in (point.score, point.low, point.high)]
        cells.append(f"{point.games:,}")
        if second:
            cells.append(score_text(point.second.score) if point.second else "")
        if steps:
            cells.append(_steps_text(point.step_sizes))
        made.add_row(f"{point.episodes:,}", f"{point.seconds:,.1f}", *cells)
    return made


def _steps_text(steps: StepSizes | None) -> str:
    """The median, and between which step sizes nine tenths of the weights are."""
    return f"{steps.p50:.3g} ({steps.p5:.2g} .. {steps.p95:.2g})" if steps else ""
