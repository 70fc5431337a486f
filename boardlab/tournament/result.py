"""The result of a tournament: all that can be said about the games of a journal, as text, as plain data, as CSV."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from dataclasses import field as default
from functools import cached_property
from typing import Any

from boardlab.errors import BoardlabError, printable
from boardlab.game import Game
from boardlab.matches.intervals import Estimate
from boardlab.matches.match import text_table
from boardlab.matches.mistakes import MistakeCount, mistake_table
from boardlab.tournament.journal import PlayedGame
from boardlab.tournament.ratings import SAMPLES, Ratings, rate
from boardlab.tournament.residuals import Misfit, circles, misfit
from boardlab.tournament.standings import Field, Meeting

__all__ = ["Line", "TournamentResult", "elo_text", "judge", "pareto_front", "read_anchor", "short_names"]

_MOST_REMARKS = 8


@dataclass(frozen=True)
class Line:
    """One entrant in the rating list."""

    entrant: int
    name: str
    elo: float
    low: float
    high: float
    superiority: float | None
    """The likelihood that it is stronger than the next one in the list."""
    games: int
    success: float
    success_low: float
    success_high: float
    score: float
    """Mean score in the unit of the game."""
    milliseconds: float
    """Mean time of a move."""
    cpu_milliseconds: float
    forfeits: int
    episodes: int | None
    """How many episodes it has learned from; None where it does not learn."""

    @property
    def superiority_text(self) -> str:
        """In percent; a bootstrap tells nothing about what is rarer than one of its samples."""
        if self.superiority is None:
            return ""
        return "> 99.9%" if self.superiority > 0.999 else f"{self.superiority:.1%}"


@dataclass(frozen=True)
class TournamentResult:
    """What came of a tournament."""

    game: Game
    field: Field
    ratings: Ratings
    misfit: Misfit
    anchor: str = ""
    report: tuple[str, ...] = ()
    """What its format has to say."""
    mistakes: Mapping[str, Sequence[MistakeCount]] = default(default_factory=dict)
    """Of each agent, by phase and in all, where they were counted (`boardlab.tournament.quality`)."""

    @cached_property
    def meetings(self) -> dict[tuple[int, int], Meeting]:
        """How each did against each other."""
        return self.field.meetings()

    @cached_property
    def lines(self) -> list[Line]:
        """The rating list, the strongest first."""
        ratings, field = self.ratings.ratings, self.field
        order = sorted(range(len(ratings)), key=lambda entrant: -ratings[entrant].elo)
        forfeits = field.forfeits()
        found = []
        for place, entrant in enumerate(order):
            following = order[place + 1] if place + 1 < len(order) else None
            success = field.success(entrant)
            found.append(
                Line(
                    entrant=entrant,
                    name=field.names[entrant],
                    **asdict(ratings[entrant]),
                    superiority=None if following is None else self.ratings.superiority(entrant, following),
                    games=field.games_of(entrant),
                    success=success.mean,
                    success_low=success.low,
                    success_high=success.high,
                    score=field.mean_score(entrant),
                    milliseconds=1000 * field.seconds_per_move(entrant),
                    cpu_milliseconds=1000 * field.seconds_per_move(entrant, cpu=True),
                    forfeits=sum(forfeits.get(entrant, {}).values()),
                    episodes=field.episodes(entrant),
                )
            )
        return found

    # ------------------------------------------------------------ text

    @cached_property
    def short(self) -> list[str]:
        """The names of all entrants, by number, for tables and pictures."""
        return short_names(self.field.names)

    def __str__(self) -> str:
        count = f"{len(self.field.games):,} games in {self.field.sets:,} sets"
        parts = [f"{self.game.title} ({self.game.spec}), {count}", self.rating_table(), self.crosstable()]
        parts += ["\n".join(self.report)] if self.report else []
        parts.append("\n".join(self.remarks()))
        parts += [f"mistakes of {name}\n\n{mistake_table(found, 'phase')}" for name, found in self.mistakes.items()]
        return "\n\n".join(filter(None, parts)).rstrip()

    def rating_table(self) -> str:
        """The rating list as text."""
        alone = self.game.num_players == 1
        rows = [["", "agent", "Elo", "95 % interval", "better than next", "games", "points", "mean score", "ms/move"]]
        for place, line in enumerate(self.lines, 1):
            rows.append(
                [
                    str(place),
                    self.short[line.entrant],
                    elo_text(line.elo),
                    f"{elo_text(line.low)} .. {elo_text(line.high)}",
                    line.superiority_text,
                    str(line.games),
                    f"{line.success:.1%}",
                    f"{line.score:,.0f}" if alone else f"{line.score:+.3f}",
                    f"{line.milliseconds:.3g}",
                ]
            )
        return _left_second(rows)

    def crosstable(self) -> str:
        """Points of each against each, in percent, as text."""
        order = [line.entrant for line in self.lines]
        rows = [["", "points in %", *(str(place) for place in range(1, len(order) + 1))]]
        for place, one in enumerate(order, 1):
            cells = [self.meetings.get((one, other)) for other in order]
            texts = ["-" if o == one else "" if c is None else _percent(c) for c, o in zip(cells, order, strict=True)]
            rows.append([str(place), self.short[one], *texts])
        return _left_second(rows)

    def remarks(self) -> list[str]:
        """What one should know besides, in sentences."""
        found = [*self._seat_remarks()]
        if self.ratings.draw_share > 0.0:
            found.append(f"Equal players on equal seats would draw {self.ratings.draw_share:.0%} of their games.")
        names = self.field.names
        for entrant, reasons in self.field.forfeits().items():
            most, count = reasons.most_common(1)[0]
            often = "" if count == reasons.total() else " most often"
            found.append(f"{names[entrant]} lost {_games(reasons.total())} by default;{often} {most}")
        found += self._adjudication_remarks()
        groups = len(self.field.groups())
        if groups > 1:
            found.append(f"There are {groups} groups of agents that did not meet; ratings tell nothing between them.")
        found += self._misfit_remarks()
        repeated = self.field.repeated()
        if repeated:
            found.append(
                f"{_games(repeated)} repeated an earlier one of the same players move for move, and told nothing new;"
                " more starts help, as --starts random:4."
            )
        return found

    def _adjudication_remarks(self) -> list[str]:
        asked = sum(game.adjudicate is not None for game in self.field.games)
        if asked == 0:
            return []
        ended = self.field.adjudicated
        if ended == 0:
            return ["No game was adjudicated: the solver knew none of the positions in time."]
        return [
            f"{_games(ended)} of {len(self.field.games):,} {'was' if ended == 1 else 'were'} adjudicated by the solver."
        ]

    def _seat_remarks(self) -> list[str]:
        seats = self.ratings.seats
        if len(seats) == 2:
            worth, low, high = (elo_text(2 * value) for value in (seats[0].elo, seats[0].low, seats[0].high))
            return [f"To move first is worth {worth} Elo ({low} .. {high})."]
        found = []
        for number, seat in enumerate(seats, 1):
            worth, low, high = (elo_text(value) for value in (seat.elo, seat.low, seat.high))
            found.append(f"Seat {number} is worth {worth} Elo ({low} .. {high}), compared with the mean.")
        return found

    def _misfit_remarks(self) -> list[str]:
        names, found = self.field.names, []
        if self.misfit.doubtful:
            found.append(
                f"One number for each agent does not tell who beats whom here: chi-square {self.misfit.chi_square:.0f}"
                f" with {self.misfit.freedom} degrees of freedom."
            )
        for r in self.misfit.notable[:_MOST_REMARKS]:
            found.append(
                f"{names[r.one]} scored {r.scored:g} of {r.games} against {names[r.other]}; the ratings expect"
                f" {r.expected:.1f} ({r.deviations:+.1f} standard deviations)."
            )
        for one, other, third in circles(self.meetings)[:_MOST_REMARKS]:
            found.append(f"In a circle: {names[one]} beats {names[other]}, {names[other]} {names[third]}, and so on.")
        return found

    # ------------------------------------------------------------ data

    def to_json(self) -> dict[str, Any]:
        """Everything but the single games, as plain data."""
        order = [line.entrant for line in self.lines]
        return {
            "game": self.game.spec,
            "games": len(self.field.games),
            "sets": self.field.sets,
            "adjudicated": self.field.adjudicated,
            "anchor": self.anchor,
            "ratings": [{**asdict(line), "key": self.field.keys[line.entrant]} for line in self.lines],
            "seats": [asdict(seat) for seat in self.ratings.seats],
            "draw_share": self.ratings.draw_share,
            "superiority": [[None if a == b else self.ratings.superiority(a, b) for b in order] for a in order],
            "crosstable": [[_plain(self.meetings.get((a, b))) for b in order] for a in order],
            "front": [line.name for line in pareto_front([x for x in self.lines if x.milliseconds > 0.0])],
            "misfit": self._misfit_json(),
            "remarks": self.remarks(),
            "report": list(self.report),
            **({"mistakes": self._mistakes_json()} if self.mistakes else {}),
        }

    def _mistakes_json(self) -> dict[str, Any]:
        return {name: [count.to_json() for count in found] for name, found in self.mistakes.items()}

    def _misfit_json(self) -> dict[str, Any]:
        names, found = self.field.names, self.misfit
        pairs = [{**asdict(r), "one": names[r.one], "other": names[r.other]} for r in found.residuals]
        chance = {"chi_square": found.chi_square, "freedom": found.freedom, "probability": found.probability}
        return {**chance, "residuals": pairs, "circles": [[names[i] for i in c] for c in circles(self.meetings)]}

    def ratings_csv(self) -> str:
        """The rating list as CSV."""
        names = [name for name in Line.__dataclass_fields__ if name != "entrant"]
        return _csv([["place", *names], *([i, *(getattr(x, n) for n in names)] for i, x in enumerate(self.lines, 1))])

    def mistakes_csv(self) -> str:
        """The mistakes of every agent in every phase as a row of CSV."""
        head = ["agent", "phase", "moves", "possible", "mistakes", "mistakes_low", "mistakes_high"]
        rows = [
            [name, count.name, count.moves, count.possible, *_ends(count.mistakes), *_ends(count.loss)]
            for name, found in self.mistakes.items()
            for count in found
        ]
        return _csv([[*head, "loss", "loss_low", "loss_high"], *rows])

    def crosstable_csv(self) -> str:
        """Every pair that met as a row of CSV: won, drawn and lost by the first."""
        head = ["agent", "opponent", "games", "won", "drawn", "lost", "points", "superiority"]
        rows = []
        for a in self.lines:
            for b in self.lines:
                found = self.meetings.get((a.entrant, b.entrant))
                if found is not None:
                    counts = [found.games, found.won, found.drawn, found.lost, found.points]
                    rows.append([a.name, b.name, *counts, self.ratings.superiority(a.entrant, b.entrant)])
        return _csv([head, *rows])


def judge(
    game: Game,
    games: Iterable[PlayedGame],
    *,
    anchor: str = "",
    prior: float = 1.0,
    samples: int = SAMPLES,
    report: Iterable[str] = (),
    progress: Callable[[int, int], None] | None = None,
) -> TournamentResult:
    """What the games of a tournament say; those of other games are left out. `anchor` is NAME or NAME=RATING."""
    field = Field(g for g in games if g.game == game.spec)
    if not field.games:
        raise BoardlabError(f"there are no games of {game.spec} yet")
    rankings = field.rankings()
    ratings = rate(
        rankings,
        len(field.names),
        anchor=read_anchor(field.names, anchor),
        prior=prior,
        samples=samples,
        progress=progress,
    )
    return TournamentResult(game, field, ratings, misfit(rankings, ratings), anchor, tuple(report))


def read_anchor(names: Sequence[str], text: str) -> tuple[int, float] | None:
    """Which of the names has a given rating, and which; a name may have an equals sign itself."""
    if not text:
        return None
    if text in names:
        return names.index(text), 0.0
    name, _, value = text.rpartition("=")
    try:
        rating = float(value)
    except ValueError:
        name, rating = text, math.nan
    if name not in names or not math.isfinite(rating):
        known = ", ".join(names)
        raise BoardlabError(f"the anchor is NAME or NAME=1500, with one of {known}; {printable(text)} is not")
    return names.index(name), rating


def pareto_front(lines: list[Line]) -> list[Line]:
    """Those whom nobody beats in both strength and time, the quickest first."""
    front: list[Line] = []
    for line in sorted(lines, key=lambda x: (x.milliseconds, -x.elo)):
        if not front or line.elo > front[-1].elo:
            front.append(line)
    return front


def short_names(names: Sequence[str], most: int = 40) -> list[str]:
    """Names that are not too long for a table or a picture. Those that would look alike show what tells them apart:
    their ends, or all."""
    middle = [name if len(name) <= most else f"{name[: most - 15]}...{name[-12:]}" for name in names]
    ends = [name if len(name) <= most else f"...{name[3 - most :]}" for name in names]
    found = [ends[i] if middle.count(text) > 1 else text for i, text in enumerate(middle)]
    return [names[i] if found.count(text) > 1 else text for i, text in enumerate(found)]


def _ends(estimate: Estimate) -> list[float]:
    return [estimate.mean, estimate.low, estimate.high]


def elo_text(elo: float) -> str:
    """Points with their sign, and no -0."""
    return f"{round(elo):+d}"


def _percent(meeting: Meeting) -> str:
    return f"{100 * meeting.share:.0f}"


def _games(count: int) -> str:
    return "one game" if count == 1 else f"{count:,} games"


def _plain(meeting: Meeting | None) -> dict[str, Any] | None:
    return None if meeting is None else asdict(meeting)


def _left_second(rows: list[list[str]]) -> str:
    """A table whose first column has numbers, and whose second one has names."""
    width = max(len(row[0]) for row in rows)
    joined = [[f"{row[0].rjust(width)} {row[1]}", *row[2:]] for row in rows]
    return text_table(joined)


def _csv(rows: list[list[Any]]) -> str:
    stream = io.StringIO()
    csv.writer(stream, lineterminator="\n").writerows(rows)
    return stream.getvalue()
