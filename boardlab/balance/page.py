"""A measurement of balance as one HTML file: tables, and pictures inside of it. It needs no other file."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from html import escape

from boardlab.balance.figures import BalanceReport, GameFigures
from boardlab.balance.plots import Picture, as_bytes, draw, pictures
from boardlab.balance.report import (
    course_rows,
    findings,
    perfect_text,
    range_rows,
    seat_rows,
    skill_rows,
    skill_text,
)

__all__ = ["page"]

_STYLE = """
:root { color-scheme: light dark; --line: #8884; --soft: #8881; }
body { font: 16px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 78rem; padding: 1rem; }
h1 { font-size: 1.6rem; margin: .5rem 0; } h2 { font-size: 1.25rem; margin: 2.5rem 0 .5rem; }
h3 { font-size: 1rem; margin: 1.5rem 0 .3rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: .85rem; font-variant-numeric: tabular-nums; }
th, td { padding: .3rem .6rem; text-align: right; border-bottom: 1px solid var(--line); white-space: nowrap; }
th:first-child, td:first-child { text-align: left; }
.pictures { display: grid; gap: 1rem; margin: 1rem 0; }
.pictures { grid-template-columns: repeat(auto-fit, minmax(min(100%, 26rem), 1fr)); }
figure { margin: 0; } figure img { width: 100%; height: auto; background: #fff; border-radius: 6px; }
p, h1, h2 { overflow-wrap: anywhere; }
figcaption { font-size: .9rem; } .finding { background: var(--soft); padding: .6rem 1rem; border-radius: 6px; }
.note { font-size: .85rem; opacity: .8; }
"""

_NOTES = (
    "Numbers in brackets are 95 % intervals. Imbalance is the largest distance of a seat from its fair share of wins."
    " A game is decided from the position on after which its leader does not change any more."
)


def page(report: BalanceReport) -> str:
    """The whole page."""
    title = _title(report)
    drawn = {None if game is None else game.game: some for game, some in pictures(report)}
    body = [f"<h1>{escape(title)}</h1>", f'<p class="note">{_settings(report)} {escape(_NOTES)}</p>']
    if len(report.games) > 1:
        body.append(
            f'<p class="finding">{escape(findings(report) or "a game of one player has no seats to compare")}</p>'
        )
        body += [_table(range_rows(report.games)), _pictures(drawn.get(None, ()))]
    for game in report.games:
        body += _game(game, drawn.get(game.game, ()), alone=len(report.games) == 1)
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n"
        + "\n".join(body)
        + "\n</body>\n</html>\n"
    )


def _title(report: BalanceReport) -> str:
    first = report.games[0]
    return f"Balance of {first.title}" + (
        f": {len(report.games)} variants" if len(report.games) > 1 else f" ({first.game})"
    )


def _settings(report: BalanceReport) -> str:
    parts = [f"Seed {report.seed}."]
    if report.pie:
        parts.append("With the pie rule: the second player may take over the first move.")
    if report.random_plies:
        parts.append(f"Games start after {report.random_plies} random plies.")
    return " ".join(parts)


def _game(game: GameFigures, some: Sequence[Picture], alone: bool) -> list[str]:
    body = [] if alone else [f"<h2>{escape(game.game)}</h2>"]
    if game.perfect is not None:
        body.append(f"<p>With perfect play: {escape(perfect_text(game))}.</p>")
    body.append(_pictures(some))
    if len(game.players) > 1:
        body += ["<h3>Seat advantage: share of wins of an agent against itself</h3>", _table(seat_rows(game))]
    body += [f"<h3>Course of the game</h3>{_led_by(game)}", _table(course_rows(game))]
    if game.steps:
        body += ["<h3>How much skill pays</h3>", _table(skill_rows(game)), f"<p>{escape(skill_text(game))}</p>"]
    return body


def _led_by(game: GameFigures) -> str:
    return f'<p class="note">Who leads is told by {escape(game.led_by)}.</p>' if len(game.players) > 1 else ""


def _table(rows: Sequence[Sequence[str]]) -> str:
    head = "".join(f"<th>{escape(cell)}</th>" for cell in rows[0])
    lines = ["<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows[1:]]
    return f'<div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>{"".join(lines)}</tbody></table></div>'


def _pictures(some: Sequence[Picture]) -> str:
    figures = []
    for picture in some:
        data = base64.b64encode(as_bytes(draw(picture), "svg")).decode()
        caption = escape(picture[1])
        figures.append(
            f'<figure><img alt="{caption}" src="data:image/svg+xml;base64,{data}">'
            f"<figcaption>{caption}</figcaption></figure>"
        )
    return f'<div class="pictures">{"".join(figures)}</div>'
