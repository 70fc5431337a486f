"""Writes the results in the folder `reproductions` into docs/reproduction.md: `python tools/reproduction_tables.py`.

A folder has what `boardlab reproduce` left there, without the agents: settings, learning curve and result of each run.
So the same command, given here, goes on with it. `made.md` says with which command and which commit it was made,
`notes.md` why rows differ from the publication, where that is known.
"""

from __future__ import annotations

from pathlib import Path

from boardlab.lab.reproductions.comparison import compare, comparison_rows
from boardlab.lab.reproductions.published import published
from boardlab.lab.reproductions.reproduce import cpu_words, size_words
from boardlab.lab.sweeps.sweep import Sweep
from boardlab.lab.sweeps.sweeping import prepare_sweep

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "reproduction.md"
BEGIN, END = "<!-- results: tools/reproduction_tables.py -->\n", "<!-- end of the results -->\n"


def section(folder: Path) -> str:
    """What came of one table or figure."""
    found, sweep = published(folder.name), Sweep.read(folder / "sweep.toml")
    runs = prepare_sweep(sweep, folder, write=False).found()
    rows = [row for row in comparison_rows(compare(found, sweep, runs)) if row["runs"]]
    titles = list(rows[0])
    table = [titles, ["---"] * len(titles), *([str(value) for value in row.values()] for row in rows)]
    parts = [
        f"### {folder.name}",
        f"{found.title}. {(folder / 'made.md').read_text().strip()}",
        f"{size_words(found, runs)} {cpu_words(runs)}",
        "\n".join(f"| {' | '.join(cells)} |" for cells in table),
    ]
    notes = folder / "notes.md"
    if notes.exists():
        parts.append(notes.read_text().strip())
    return "\n\n".join(parts) + "\n"


def page() -> str:
    """The whole page, with the results as they are now."""
    before, _, rest = PAGE.read_text().partition(BEGIN)
    _, _, after = rest.partition(END)
    folders = sorted(path.parent for path in (ROOT / "reproductions").glob("*/sweep.toml"))
    return before + BEGIN + "\n" + "\n".join(section(folder) for folder in folders) + "\n" + END + after


if __name__ == "__main__":
    PAGE.write_text(page())
