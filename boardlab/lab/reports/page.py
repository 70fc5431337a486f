"""The page of a report: one HTML file with all figures in it, which needs nothing else and runs nothing."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from html import escape
from typing import Any

from boardlab.lab.reports.figures import FORMATS, Picture
from boardlab.lab.reports.measures import Measured
from boardlab.lab.reports.tables import interval_text, number_text

__all__ = [
    "DIFFERENCES_NOTE",
    "Part",
    "Table",
    "differences_table",
    "figures_html",
    "page_text",
    "part_note",
    "rows_table",
    "summary_table",
    "whole_page",
]

_LOOK = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 76rem; margin: 2rem auto; padding: 0 1rem; color: #111; }
h1 { font-size: 1.6rem; } h2 { font-size: 1.25rem; margin-top: 2.5rem; border-top: 1px solid #bbb; padding-top: 1rem; }
h3 { font-size: 1.05rem; margin-top: 1.8rem; }
table { border-collapse: collapse; font-size: .85rem; display: block; overflow-x: auto; }
th, td { text-align: left; padding: .2rem .8rem .2rem 0; border-bottom: 1px solid #ddd; white-space: nowrap; }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; }
td.notable { font-weight: bold; }
.figures { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 26rem), 1fr)); gap: 1.5rem; }
figure { margin: 0; } figure.wide { grid-column: 1 / -1; }
figure img { width: 100%; max-width: 60rem; height: auto; background: #fff; }
figcaption, .note { font-size: .85rem; color: #333; } a { color: #003d8f; }
pre { background: #f4f4f4; padding: .8rem; overflow-x: auto; font-size: .8rem; }
@media print { body { margin: 0; max-width: none; } figure { break-inside: avoid; } }
"""


Table = tuple[list[str], list[list[Any]]]
"""Titles, one of which begins with `>` where numbers stand below it, and rows of cells; `*` begins a bold one."""

DIFFERENCES_NOTE = "Bold: zero lies outside the interval. The intervals are not adjusted for their number."


class Part:
    """What one evaluator found: tables and figures."""

    def __init__(
        self,
        found: Measured,
        summary: Sequence[dict[str, Any]],
        differences: Sequence[dict[str, Any]],
        pictures: Sequence[Picture],
    ) -> None:
        self.found, self.summary, self.differences, self.pictures = found, summary, differences, pictures


def page_text(
    title: str,
    intro: Sequence[str],
    parts: Sequence[Part],
    missing: Sequence[dict[str, Any]],
    descriptions: Sequence[str],
) -> str:
    """The page: what it is about, a part for each evaluator, runs without a result, and the files of the sweeps."""
    sections = [line for part in parts for line in _part(part)]
    if missing:
        sections += ["<h2>Runs without a result</h2>", rows_table(missing)]
    return whole_page(title, intro, sections, descriptions)


def whole_page(title: str, intro: Sequence[str], sections: Sequence[str], descriptions: Sequence[str]) -> str:
    """A page with sections of HTML between what it is about and the files of the sweeps."""
    body = [f"<h1>{escape(title)}</h1>", *(f"<p>{escape(line)}</p>" for line in intro), *sections]
    body.append("<h2>The description</h2>")
    body += [f"<pre>{escape(text)}</pre>" for text in descriptions]
    head = f'<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{escape(title)}</title>'
    return f'<!doctype html>\n<html lang="en"><head>{head}<style>{_LOOK}</style></head>\n<body>\n' + "\n".join(
        [*body, "</body></html>", ""]
    )


def _part(part: Part) -> list[str]:
    found = part.found
    lines = [
        f"<h2>Evaluator {escape(found.evaluator)}</h2>",
        f'<p class="note">{escape(part_note(found))}</p>',
        _table(*summary_table(part)),
    ]
    if part.differences:
        note = f'<p class="note">{DIFFERENCES_NOTE}</p>'
        lines += ["<h3>Differences</h3>", _table(*differences_table(part)) + note]
    return [*lines, "<h3>Figures</h3>", figures_html(part.pictures)]


def part_note(found: Measured) -> str:
    """What the numbers of a part are."""
    final = f"the mean of the evaluations over the last {found.last:,} episodes"
    return (
        f"Asymptotic {found.what}: {final}. Intervals are 95 % bootstrap intervals over the seeds."
        f" Times are training episodes until a level is first reached. {found.level_words}"
    ).strip()


def summary_table(part: Part) -> Table:
    """The statistics of each variant."""
    columns = ["mean", "median", "interquartile mean"]
    levels = [f"{level:g}" for level in part.found.levels]
    head = ["variant", ">runs", *(f"asymptotic {name}" for name in columns)]
    head += [text for level in levels for text in (f">reached {level}", f"median time until {level}")]
    rows = []
    for row in part.summary:
        cells = [row["variant"], row["runs"], *(interval_text(row, f"final {name}") for name in columns)]
        for level in levels:
            cells += [f"{row[f'reached {level}']} of {row['runs']}", interval_text(row, f"time to {level}, median")]
        rows.append([*cells, number_text(row["CPU seconds of a run"])])
    return [*head, ">CPU s of a run"], rows


def differences_table(part: Part) -> Table:
    """How much better one variant is than another; bold where zero lies outside the interval."""
    names = {"final": "asymptotic interquartile mean"}
    names.update({f"time to {level:g}": f"median time until {level:g}" for level in part.found.levels})
    rows = [
        [f"{row['variant']} − {row['minus']}", *(_bold(row, name) for name in names)]  # noqa: RUF001 (a minus sign)
        for row in part.differences
    ]
    return ["difference", *names.values()], rows


def _bold(row: dict[str, Any], name: str) -> str:
    text = interval_text(row, name).replace("never", "\u221e")
    return f"*{text}" if row[f"{name}, low"] > 0 or row[f"{name}, high"] < 0 else text


def _table(head: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    kinds = [' class="number"' if title.startswith(">") else "" for title in head]
    titles = "".join(
        f"<th{kind}>{escape(title.removeprefix('>'))}</th>" for kind, title in zip(kinds, head, strict=True)
    )
    lines = []
    for row in rows:
        cells = []
        for kind, cell in zip(kinds, map(str, row), strict=True):
            bold = ' class="notable"' if cell.startswith("*") else kind
            cells.append(f"<td{bold}>{escape(cell.removeprefix('*'))}</td>")
        lines.append(f"<tr>{''.join(cells)}</tr>")
    return f"<table><thead><tr>{titles}</tr></thead><tbody>{''.join(lines)}</tbody></table>"


def rows_table(rows: Sequence[dict[str, Any]]) -> str:
    """A table of rows that all have the same names."""
    return _table(list(rows[0]), [list(row.values()) for row in rows])


def figures_html(pictures: Sequence[Picture]) -> str:
    """Figures side by side, as far as there is room."""
    return "\n".join(['<div class="figures">', *map(_figure, pictures), "</div>"])


def _figure(picture: Picture) -> str:
    image = base64.b64encode(picture.content("svg")).decode()
    links = " ".join(f'<a href="figures/{picture.name}.{kind}">{kind.upper()}</a>' for kind in FORMATS)
    wide = ' class="wide"' if picture.figure.get_figwidth() > 4 else ""
    return (
        f'<figure{wide}><img alt="{escape(picture.caption)}" src="data:image/svg+xml;base64,{image}">'
        f"<figcaption>{escape(picture.caption)} {links}</figcaption></figure>"
    )
