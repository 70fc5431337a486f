"""The result of a tournament as one HTML page that needs nothing else, and its pictures as PNG and SVG."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape

from boardlab.matches.mistakes import MISTAKE_TITLES, mistake_cells
from boardlab.tournament.pictures import figure_bytes, figures
from boardlab.tournament.result import TournamentResult, elo_text

__all__ = ["page_files", "page_text"]

_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; max-width: 64rem; margin: 2rem auto; padding: 0 1rem; color: #1c2833; }
h1 { font-size: 1.6rem; } h2 { font-size: 1.2rem; margin-top: 2rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .25rem .6rem; text-align: right; border-bottom: 1px solid #d5dbdf; white-space: nowrap; }
th:nth-child(2), td:nth-child(2) { text-align: left; }
svg { max-width: 100%; height: auto; }
pre { background: #f4f6f7; padding: .8rem; overflow-x: auto; }
@media (prefers-color-scheme: dark) {
  body { background: #17202a; color: #e5e8e8; } th, td { border-color: #34495e; } pre { background: #212f3d; }
  figure { background: white; padding: .5rem; }
}
figure { margin: 1rem 0; }
"""


_ABOUT_MISTAKES = (
    "A move is a mistake where another one has a better value; the loss is the difference, in the scores of the game."
    " Phases are the thirds of a game. Moves that the solver does not know are left out."
)


def page_files(result: TournamentResult) -> dict[str, bytes]:
    """The page and all pictures, by the names of their files."""
    drawn = figures(result)
    svg = {name: figure_bytes(figure, "svg") for name, figure in drawn.items()}
    files = {f"{name}.svg": content for name, content in svg.items()}
    files |= {f"{name}.png": figure_bytes(figure, "png") for name, figure in drawn.items()}
    files["page.html"] = page_text(result, {name: content.decode() for name, content in svg.items()}).encode()
    return files


def page_text(result: TournamentResult, pictures: dict[str, str]) -> str:
    """The page; `pictures` are texts of SVG."""
    game, field = result.game, result.field
    title = f"{game.title}: {len(field.games):,} games of {len(field.names)} agents"
    parts = [
        f"<h1>{escape(title)}</h1>",
        f"<p>{escape(game.spec)}, {field.sets:,} sets of games: a start in all seat orders.</p>",
        "<h2>Ratings</h2>",
        _ratings(result),
        _picture(pictures, "ratings"),
        *(f"<p>{escape(remark)}</p>" for remark in result.remarks()),
        "<h2>Who beats whom</h2>",
        _crosstable(result),
        _picture(pictures, "crosstable"),
        _picture(pictures, "time"),
        _picture(pictures, "episodes"),
    ]
    if result.mistakes:
        parts += ["<h2>Mistakes</h2>", f"<p>{_ABOUT_MISTAKES}</p>", _mistakes(result)]
    if result.report:
        parts += ["<h2>How it went</h2>", f"<pre>{escape(chr(10).join(result.report))}</pre>"]
    head = f'<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{escape(title)}</title>'
    body = "\n".join(filter(None, parts))
    return (
        f'<!doctype html>\n<html lang="en"><head>{head}<style>{_STYLE}</style></head>\n<body>\n{body}\n</body></html>\n'
    )


def _ratings(result: TournamentResult) -> str:
    head = ["", "agent", "Elo", "95 % interval", "better than next", "games", "points", "mean score", "ms/move"]
    rows = [
        [
            str(place),
            result.short[line.entrant],
            elo_text(line.elo),
            f"{elo_text(line.low)} .. {elo_text(line.high)}",
            line.superiority_text,
            str(line.games),
            f"{line.success:.1%}",
            f"{line.score:,.3f}",
            f"{line.milliseconds:.3g}",
        ]
        for place, line in enumerate(result.lines, 1)
    ]
    return _table(head, rows)


def _mistakes(result: TournamentResult) -> str:
    """The mistakes of each agent, the phases below each other."""
    rows = []
    for number, (name, found) in enumerate(result.mistakes.items(), 1):
        for k, count in enumerate(found):
            who = (str(number), name) if k == 0 else ("", "")
            rows.append([*who, count.name, *mistake_cells(count)])
    return _table(["", "agent", "phase", *MISTAKE_TITLES], rows)


def _crosstable(result: TournamentResult) -> str:
    """Wins, draws and losses of each against each."""
    lines, meetings = result.lines, result.meetings
    rows = []
    for place, one in enumerate(lines, 1):
        cells = [meetings.get((one.entrant, other.entrant)) for other in lines]
        texts = ["" if cell is None else f"+{cell.won} ={cell.drawn} -{cell.lost}" for cell in cells]
        rows.append([str(place), result.short[one.entrant], *texts])
    return _table(["", "agent", *(str(place) for place in range(1, len(lines) + 1))], rows)


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    cells = "".join(f"<th>{escape(cell)}</th>" for cell in head)
    lines = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>\n" for row in rows)
    return f'<div class="wide"><table>\n<tr>{cells}</tr>\n{lines}</table></div>'


def _picture(pictures: dict[str, str], name: str) -> str:
    """A picture without its XML head and what it says about itself."""
    if name not in pictures:
        return ""
    text = re.sub(r"<metadata>.*?</metadata>", "", pictures[name], flags=re.DOTALL)
    return f"<figure>{text[text.index('<svg') :]}</figure>"
