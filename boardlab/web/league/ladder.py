"""The ladder of people: their games against agents, rated by Glicko-2, each game a period of its own.

Agents are the fixed points: one that is in the league of the game has its rating there, any other one `UNKNOWN`, whose
deviation is so large that the game tells little. Only the person's rating changes.
"""

from __future__ import annotations

import threading
from dataclasses import replace

from boardlab.store.games import GameStore
from boardlab.store.ladder import LadderStore, Met, Standing, Uncounted
from boardlab.store.league import LeagueStore
from boardlab.tournament.sequential import Glicko, update_glicko
from boardlab.web.league.views import LadderGameLine, OpponentLine, PersonHistory, PersonRow
from boardlab.web.server.errors import Problem
from boardlab.web.server.event_streams import EventStreams

__all__ = ["NEWCOMER", "UNKNOWN", "Ladder"]

NEWCOMER = Glicko()
"""A person before the first game."""
UNKNOWN = Glicko()
"""An agent that is in no league."""
LISTED = 500
"""So many games of a person are shown at most."""


class Ladder:
    """The ladders of all games. Safe for several threads."""

    def __init__(self, store: GameStore, leagues: LeagueStore, streams: EventStreams) -> None:
        self._ladder, self._leagues, self._streams = LadderStore(store.database), leagues, streams
        self._lock = threading.Lock()

    def start(self) -> None:
        """Count what the last server has left."""
        self.catch_up()

    def catch_up(self) -> None:
        """Count all games that have not been counted."""
        with self._lock:
            while (waiting := self._ladder.next()) is not None:
                self._count(waiting)
                self._streams.publish("league", {"id": waiting.game.game})

    def _count(self, waiting: Uncounted) -> None:
        game, before = waiting.game, waiting.before
        person = Glicko(before.rating, before.deviation, before.volatility) if before else NEWCOMER
        worth = [self._worth(game.game, met.key) for met in game.opponents]
        met = list(zip(worth, game.opponents, strict=True))
        after = update_glicko(person, [(agent, opponent.points) for agent, opponent in met])
        opponents = [replace(opponent, rating=agent.rating, deviation=agent.deviation) for agent, opponent in met]
        self._ladder.count(waiting.number, Standing(after.rating, after.deviation, after.volatility), opponents)

    def _worth(self, game: str, key: str) -> Glicko:
        member = self._leagues.by_key(game, key)
        return Glicko(member.rating, member.deviation, member.volatility) if member else UNKNOWN

    # ------------------------------------------------------------ looking

    def counts(self) -> dict[str, int]:
        """How many people are on the ladder of each game."""
        return self._ladder.counts()

    def people(self, game: str) -> list[PersonRow]:
        """Everybody on the ladder of a game, the best first."""
        rows = []
        for line in self._ladder.people(game):
            standing = line.standing
            low, high = Glicko(standing.rating, standing.deviation).interval
            rows.append(
                PersonRow(
                    person=line.person,
                    rating=standing.rating,
                    deviation=standing.deviation,
                    low=low,
                    high=high,
                    games=line.games,
                    won=line.won,
                    drawn=line.drawn,
                    lost=line.lost,
                    last=line.last,
                )
            )
        return rows

    def history(self, game: str, person: str) -> PersonHistory:
        """How the rating of a person went."""
        found = self._ladder.games_of(game, person, LISTED)
        if not found:
            raise Problem(404, f"{person} has no games on the ladder of {game}")
        return PersonHistory(
            person=person,
            games=[
                LadderGameLine(
                    number=counted.number,
                    created=counted.created,
                    record=counted.record,
                    points=counted.points,
                    rating=counted.standing.rating,
                    deviation=counted.standing.deviation,
                    opponents=[_opponent(met) for met in counted.opponents],
                )
                for counted in found
            ],
        )


def _opponent(met: Met) -> OpponentLine:
    return OpponentLine(
        label=met.label,
        points=met.points,
        rating=UNKNOWN.rating if met.rating is None else met.rating,
        deviation=UNKNOWN.deviation if met.deviation is None else met.deviation,
    )
