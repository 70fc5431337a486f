"""`LeaguePages`: leagues as pages see them: the table of ratings, the games, how the ratings went."""

from __future__ import annotations

from boardlab.errors import BoardlabError
from boardlab.game import Game
from boardlab.store.league import LeagueGame, LeagueStore, Member, MemberTally
from boardlab.tournament.pairing import ENOUGH
from boardlab.tournament.sequential import Glicko
from boardlab.web.league.idle_play import IdlePlay
from boardlab.web.league.ladder import Ladder
from boardlab.web.league.league import League
from boardlab.web.league.views import (
    History,
    HistoryPoint,
    LeagueGameLine,
    LeagueGames,
    LeagueLine,
    LeagueState,
    LeagueView,
    MemberLine,
    ResultLine,
)
from boardlab.web.library.games import GameLibrary
from boardlab.web.server.errors import Problem
from boardlab.web.server.models import AgentChoice
from boardlab.web.server.settings import ArenaSettings

__all__ = ["LeaguePages"]

RECENT = 20
"""Games over which a trend is told."""
POINTS = 200
"""Of a rating over time, more or less."""


class LeaguePages:
    """What pages are told of leagues. Safe for several threads."""

    def __init__(
        self,
        settings: ArenaSettings,
        games: GameLibrary,
        store: LeagueStore,
        league: League,
        ladder: Ladder,
        idle_play: IdlePlay,
    ) -> None:
        self._settings, self._games, self._store = settings, games, store
        self._league, self._ladder, self._idle_play = league, ladder, idle_play

    def lines(self) -> list[LeagueLine]:
        """All leagues, and all games with a ladder of people, by their titles."""
        tallies = {tally.game: tally for tally in self._store.tallies()}
        people = self._ladder.counts()
        found = []
        for spec in {*tallies, *people}:
            try:
                title = self._games.game(spec).title
            except BoardlabError:
                continue  # of an arena that was opened with more games
            tally = tallies.get(spec)
            found.append(
                LeagueLine(
                    game=spec,
                    title=title,
                    plays=bool(tally and tally.plays),
                    members=tally.members if tally else 0,
                    games=tally.games if tally else 0,
                    people=people.get(spec, 0),
                )
            )
        return sorted(found, key=lambda line: (line.title, line.game))

    def view(self, game: Game) -> LeagueView:
        """The league of a game; an empty one where nobody has entered yet."""
        league = self._store.league(game.spec)
        members = self.members(game)
        total, _ = self._store.games(game.spec, 0, 0)
        return LeagueView(
            game=game.spec,
            title=game.title,
            seed=league.seed if league else None,
            plays=bool(league and league.plays),
            state=self._state(game, bool(league and league.plays)),
            allowed=self._settings.league,
            problem=league.problem if league else None,
            needed=max(2, game.num_players),
            games=total,
            members=members,
        )

    def _state(self, game: Game, plays: bool) -> LeagueState:
        if not plays:
            return "off"
        if self._idle_play.plays == game.spec:
            return "playing"
        found = self._league.task(game.spec)
        if found is None:
            return "few"
        return "waiting" if found[1] >= ENOUGH else "settled"

    def members(self, game: Game | None = None) -> list[MemberLine]:
        """The members of a league, or of all of them: the strongest first, those who have withdrawn at the end."""
        found = self._store.members(game.spec if game else None)
        tallies = {}
        for spec in {member.game for member in found}:
            tallies.update(self._store.tallies_of(spec, RECENT))
        lines = [self._line(member, tallies.get(member.id, MemberTally())) for member in found]
        return sorted(lines, key=lambda line: (line.withdrawn is not None, -line.rating))

    def member(self, member_id: str) -> MemberLine:
        """One member."""
        member = self._league.member(member_id)
        return self._line(member, self._store.tallies_of(member.game, RECENT).get(member.id, MemberTally()))

    def _line(self, member: Member, tally: MemberTally) -> MemberLine:
        label, deviation, problem = member.label, member.deviation, None
        if member.withdrawn is None:
            try:
                player = self._league.player(self._games.game(member.game), member)
                label, deviation = player.agent.label, player.rating.deviation
            except BoardlabError as error:
                problem = str(error)
            except Problem as error:
                problem = error.sentence
        low, high = Glicko(member.rating, deviation).interval
        return MemberLine(
            id=member.id,
            game=member.game,
            label=label,
            choice=AgentChoice.model_validate_json(member.choice),
            entered=member.entered,
            withdrawn=member.withdrawn,
            problem=problem,
            rating=member.rating,
            deviation=deviation,
            low=low,
            high=high,
            games=tally.games,
            won=tally.won,
            drawn=tally.drawn,
            lost=tally.lost,
            trend=tally.trend,
        )

    def games(self, game: Game, limit: int, offset: int) -> LeagueGames:
        """Some games of a league, the newest first."""
        total, found = self._store.games(game.spec, limit, offset)
        labels = {member.id: member.label for member in self._store.members(game.spec)}
        return LeagueGames(total=total, games=[_game_line(played, labels) for played in found])

    def history(self, game: Game) -> list[History]:
        """How the ratings of a league went."""
        points: dict[str, list[HistoryPoint]] = {}
        for point in self._store.history(game.spec, POINTS):
            shown = HistoryPoint(
                number=point.number, created=point.created, rating=point.rating, deviation=point.deviation
            )
            points.setdefault(point.member, []).append(shown)
        return [
            History(
                member=member.id,
                label=member.label,
                withdrawn=member.withdrawn is not None,
                points=points.get(member.id, []),
            )
            for member in self._store.members(game.spec)
        ]


def _game_line(played: LeagueGame, labels: dict[str, str]) -> LeagueGameLine:
    return LeagueGameLine(
        number=played.number,
        created=played.created,
        problem=played.problem,
        results=[
            ResultLine(
                member=result.member,
                label=labels.get(result.member, result.member),
                score=result.score,
                points=result.points,
                rating=result.rating,
                record=result.record or None,
            )
            for result in played.results
        ],
    )
