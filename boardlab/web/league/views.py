"""What a page is told of leagues and of the ladder of people."""

from __future__ import annotations

from typing import Literal

from boardlab.web.server.models import AgentChoice, ApiAnswer

__all__ = [
    "History",
    "HistoryPoint",
    "LadderGameLine",
    "LeagueGameLine",
    "LeagueGames",
    "LeagueLine",
    "LeagueState",
    "LeagueView",
    "MemberLine",
    "OpponentLine",
    "PersonHistory",
    "PersonRow",
    "ResultLine",
]

LeagueState = Literal["off", "few", "settled", "waiting", "playing"]


class LeagueLine(ApiAnswer):
    """A league in a list."""

    game: str
    title: str
    plays: bool
    members: int
    """Agents that take part and have not withdrawn."""
    games: int
    people: int
    """On the ladder of this game."""


class Rated(ApiAnswer):
    """A rating by Glicko-2 and what it comes from."""

    rating: float
    deviation: float
    low: float
    """Of the 95 % interval."""
    high: float
    games: int
    won: int
    drawn: int
    lost: int


class MemberLine(Rated):
    """An agent of a league."""

    id: str
    game: str
    label: str
    choice: AgentChoice
    entered: str
    withdrawn: str | None
    """When it left; its games count."""
    problem: str | None
    """Why it cannot play, where it has not left: its file may be gone."""
    trend: float | None
    """How its rating has changed in its last 20 games; None where it has played fewer."""


class LeagueView(ApiAnswer):
    """The league of a game."""

    game: str
    title: str
    seed: int | None
    """None where nobody has entered yet."""
    plays: bool
    """Whether it plays while the machine is idle."""
    state: LeagueState
    """off: it is switched off; few: too few agents can play; settled: no game would tell much more; waiting: the
    machine has other work; playing."""
    allowed: bool
    """Whether this arena lets leagues play (setting league)."""
    problem: str | None
    """Why it was switched off, where it was not a person."""
    needed: int
    """So many agents have to take part."""
    games: int
    members: list[MemberLine]
    """The strongest first, those who have withdrawn at the end."""


class ResultLine(ApiAnswer):
    """What came of a game for an agent."""

    member: str
    label: str
    score: float
    points: float
    rating: float
    """After the game."""
    record: str | None
    """The stored game, unless it has been deleted."""


class LeagueGameLine(ApiAnswer):
    """A game of a league, in the order of the seats."""

    number: int
    created: str
    problem: str | None
    """Why somebody has lost whatever the position was."""
    results: list[ResultLine]


class LeagueGames(ApiAnswer):
    """A page of the games of a league, the newest first."""

    total: int
    games: list[LeagueGameLine]


class HistoryPoint(ApiAnswer):
    """A rating after a game."""

    number: int
    """Of the game."""
    created: str
    rating: float
    deviation: float


class History(ApiAnswer):
    """How the rating of an agent went."""

    member: str
    label: str
    withdrawn: bool
    points: list[HistoryPoint]


class PersonRow(Rated):
    """A person on the ladder of a game."""

    person: str
    last: str
    """When the last game ended."""


class OpponentLine(ApiAnswer):
    """An agent that a person met."""

    label: str
    points: float
    """Of the person."""
    rating: float
    """What the agent was worth when the game was counted."""
    deviation: float


class LadderGameLine(ApiAnswer):
    """A game of a person, with the rating after it."""

    number: int
    created: str
    record: str
    """The stored game; it may have been deleted."""
    points: float
    rating: float
    deviation: float
    opponents: list[OpponentLine]


class PersonHistory(ApiAnswer):
    """How the rating of a person went, the newest game first."""

    person: str
    games: list[LadderGameLine]
