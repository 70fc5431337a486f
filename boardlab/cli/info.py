"""`boardlab info FILE`: everything that an agent file tells about itself."""

from __future__ import annotations

from pathlib import Path

from boardlab.cli.output import console, print_json, table
from boardlab.store import AgentFile, read_agent_file

__all__ = ["run"]


def run(path: Path, *, json: bool) -> None:
    """Print what is in the file."""
    file = read_agent_file(path)
    if json:
        print_json({k: v for k, v in file.about.items() if k != "arrays"})
        return
    out = console()
    about, facts, history = file.about, file.about["facts"], file.history
    visited = sum(len(array) for name, array in file.arrays.items() if name.startswith("weights"))
    software = ", ".join(f"{name} {number}" for name, number in about["software"].items())
    facts_table = table("", "")
    facts_table.show_header = False
    for key, value in (
        ("file", f"{path}, {path.stat().st_size / 2**20:.1f} MB"),
        ("agent", f"{about['agent']} for {about['game']}"),
        ("trained", f"{facts['episodes']:,} episodes, {history.moves:,} moves, {history.seconds:,.1f} CPU seconds"),
        ("preset", history.preset or "none"),
        ("n-tuples", _tuples_text(facts["tuples"])),
        (
            "weights",
            f"{visited:,} learned of {facts['weights'] * facts['table_sets']:,} in {facts['table_sets']} table sets",
        ),
        ("created", f"{history.created}, saved {about['saved']}"),
        ("software", software),
    ):
        facts_table.add_row(key, value)
    out.print(facts_table)
    out.print(_parameters_table(file))
    if history.evaluations:
        out.print(_evaluations_table(file))


def _tuples_text(tuples: list[list[int]]) -> str:
    lengths: dict[int, int] = {}
    for cells in tuples:
        lengths[len(cells)] = lengths.get(len(cells), 0) + 1
    return ", ".join(f"{count} of length {length}" for length, count in sorted(lengths.items()))


def _parameters_table(file: AgentFile) -> object:
    made = table("parameter", "value", "meaning")
    from boardlab.agents.registry import agent_classes

    cls = agent_classes().get(file.about["agent"])
    fields = cls.Parameters.model_fields if cls else {}
    for name, value in file.about["parameters"].items():
        meaning = fields[name].description if name in fields else ""
        made.add_row(name, str(value).lower(), meaning or "")
    return made


def _evaluations_table(file: AgentFile) -> object:
    made = table(">episodes", ">CPU s", ">result", ">low", ">high", ">games")
    for row in file.history.evaluations:
        made.add_row(
            f"{row['episodes']:,}",
            f"{row['seconds']:,.1f}",
            *(f"{row[key]:+.3f}" for key in ("score", "low", "high")),
            f"{row['games']:,}",
        )
    return made
