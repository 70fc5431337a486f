"""`League`: a lasting table of agents for each game. Agents enter and withdraw, games are planned where they tell most,
and every game changes the ratings at once.

What is to be played next follows from what is stored and from the seed of the league alone: a game that was lost with
its process is played again, the same way. `idle_play` has the games played.
"""

from __future__ import annotations

import hashlib
import math
import threading
from collections.abc import Sequence
from dataclasses import dataclass, replace

from boardlab.errors import BoardlabError
from boardlab.game import Game
from boardlab.matches.match import points_of
from boardlab.rng import fresh_seed
from boardlab.store.games import StoredGame
from boardlab.store.league import LeagueResult, LeagueRow, LeagueStore, Member, PlayedGame
from boardlab.system.child import Message
from boardlab.tournament.pairing import AGENT, ENOUGH, next_meeting, rate_table
from boardlab.tournament.sequential import Glicko
from boardlab.web.library.agents import AgentLibrary, ChosenAgent
from boardlab.web.library.games import GameLibrary
from boardlab.web.play.stored_games import StoredGames
from boardlab.web.server.clock import now
from boardlab.web.server.errors import Problem
from boardlab.web.server.event_streams import EventStreams
from boardlab.web.server.ids import new_id
from boardlab.web.server.models import AgentChoice, Seat
from boardlab.web.server.settings import ArenaSettings

__all__ = ["League", "Player", "Task"]


@dataclass(frozen=True)
class Player:
    """A member that can play."""

    member: Member
    agent: ChosenAgent
    stamp: str
    """Of its file as it is now."""

    @property
    def rating(self) -> Glicko:
        """Its rating. One whose file has changed has learned: what it is worth has to be found out again."""
        known = self.stamp == self.member.stamp or not self.member.stamp
        return Glicko(self.member.rating, self.member.deviation if known else AGENT.deviation, self.member.volatility)


@dataclass(frozen=True)
class Task:
    """A game that is to be played."""

    game: Game
    seed: int
    """Of the league."""
    players: tuple[Player, ...]
    """In the order of the seats; in a game for one player those whose scores are compared."""
    number: int
    """How often they have met before."""
    plies: int
    """So many random plies come first."""
    limit: float
    """Seconds for a move."""

    @property
    def who(self) -> str:
        """Those who meet, as the store knows them."""
        return " ".join(sorted(player.member.id for player in self.players))

    def message(self) -> Message:
        """The task as its process is told. A start is played in all seat orders, before the next one comes."""
        alone = self.game.num_players == 1
        start = self.number if alone else self.number // math.factorial(len(self.players))
        seats = [[player.agent.spec] for player in self.players] if alone else [[p.agent.spec for p in self.players]]
        return {
            "game": self.game.spec,
            "boards": seats,
            "stamps": {player.agent.spec: player.stamp for player in self.players},
            "id": _digest(f"{self.seed} {self.who} {self.number}"),
            "set": _digest(f"{self.seed} {self.who} start {start}"),
            "plies": self.plies,
            "limit": self.limit,
        }


class League:
    """The leagues of all games. Safe for several threads."""

    def __init__(
        self,
        settings: ArenaSettings,
        store: LeagueStore,
        games: GameLibrary,
        agents: AgentLibrary,
        stored_games: StoredGames,
        streams: EventStreams,
    ) -> None:
        self._settings, self._store, self._games, self._agents = settings, store, games, agents
        self._stored_games, self._streams = stored_games, streams
        self._lock = threading.RLock()

    # ------------------------------------------------------------ who takes part

    def enter(self, game: Game, choice: AgentChoice) -> Member:
        """Let an agent take part; one that had withdrawn goes on with its rating."""
        agent = self._agents.agent(game, choice)
        if choice.file is not None and self._agents.learning(choice.file) is not None:
            raise Problem(409, f"{agent.label} is still being trained; it can enter when that is over")
        with self._lock:
            league = self._store.league(game.spec) or LeagueRow(game.spec, fresh_seed(), False, None)
            members = self._store.members(game.spec)
            known = next((member for member in members if member.key == agent.key), None)
            if known is not None and known.withdrawn is None:
                raise Problem(409, f"{known.label} takes part already")
            most = self._settings.league_members
            if sum(member.withdrawn is None for member in members) >= most:
                raise Problem(429, f"{most} agents are in this league, more the arena does not allow; withdraw some")
            member = _newcomer(game, choice, agent) if known is None else replace(known, withdrawn=None)
            self._store.save_member(replace(member, label=agent.label), league)
        self.tell(game.spec)
        return member

    def withdraw(self, member_id: str) -> Member:
        """Let an agent take part no more; its games and its rating stay."""
        with self._lock:
            member = self.member(member_id)
            if member.withdrawn is not None:
                raise Problem(409, f"{member.label} has withdrawn already")
            member = replace(member, withdrawn=now())
            self._store.save_member(member)
        self.tell(member.game)
        return member

    def member(self, member_id: str) -> Member:
        """The member of an id."""
        found = self._store.member(member_id)
        if found is None:
            raise Problem(404, f"there is no member {member_id} of a league")
        return found

    def switch(self, game: Game, plays: bool) -> None:
        """Let a league play while the machine is idle, or no more."""
        with self._lock:
            league = self._store.league(game.spec)
            if league is None:
                raise Problem(409, f"no agent has entered the league of {game.title} yet")
            self._store.save_league(replace(league, plays=plays, problem=None))
        self.tell(game.spec)

    def fail(self, spec: str, sentence: str) -> None:
        """Switch a league off whose game could not be played, and say why."""
        with self._lock:
            league = self._store.league(spec)
            if league is not None and league.plays:
                self._store.save_league(replace(league, plays=False, problem=sentence))
        self.tell(spec)

    def tell(self, spec: str) -> None:
        """Tell the pages that a league has changed."""
        self._streams.publish("league", {"id": spec})

    # ------------------------------------------------------------ what is played

    def player(self, game: Game, member: Member) -> Player:
        """A member as it would play now; refused where it cannot."""
        agent = self._agents.agent(game, AgentChoice.model_validate_json(member.choice))
        return Player(member, agent, _stamp(agent))

    def players(self, game: Game) -> list[Player]:
        """The members that can play."""
        found = []
        for member in self._store.members(game.spec):
            if member.withdrawn is None:
                try:
                    found.append(self.player(game, member))
                except (BoardlabError, Problem):
                    continue  # the table says why
        return found

    def next_task(self) -> Task | None:
        """The game that tells most, of all leagues that are switched on; None where none is worth playing."""
        with self._lock:
            tasks = [self.task(league.game) for league in self._store.playing()]
        worth = [(told, task) for task, told in filter(None, tasks) if told >= ENOUGH]
        return max(worth, key=lambda found: found[0])[1] if worth else None

    def task(self, spec: str) -> tuple[Task, float] | None:
        """The game that tells most in the league of a game, and what it tells; None where nobody can meet."""
        league = self._store.league(spec)
        try:
            game = self._games.game(spec)
        except BoardlabError:  # of an arena that was opened with more games
            return None
        if league is None:
            return None
        players = self.players(game)
        places = {player.member.id: place for place, player in enumerate(players)}
        met = {who: games for who, games in self._store.meetings(spec).items() if set(who.split()) <= places.keys()}
        meetings = {frozenset(places[member] for member in who.split()): games for who, games in met.items()}
        found = next_meeting([player.rating for player in players], meetings, game.num_players, league.seed)
        if found is None:
            return None
        seats, told = found
        number = meetings.get(frozenset(seats), 0)
        seated = tuple(players[place] for place in seats)
        settings = self._settings
        return Task(game, league.seed, seated, number, settings.league_plies, settings.seconds_per_move), told

    def wants(self, task: Task) -> bool:
        """Whether a game that is being played still counts."""
        league = self._store.league(task.game.spec)
        return bool(league and league.plays) and all(
            self._store.member(player.member.id) == player.member for player in task.players
        )

    def count(self, task: Task, message: Message) -> None:
        """Count a game that was played: results, ratings and stored games, all or nothing. It does not count where
        somebody has withdrawn meanwhile, or the league was switched off."""
        scores = [float(score) for score in message["scores"]]
        with self._lock:
            if not self.wants(task):
                return
            stored = self._stored(task, message)
            after = rate_table([player.rating for player in task.players], scores)
            results = [
                LeagueResult(
                    member=player.member.id,
                    record=(stored[place] if len(stored) > 1 else stored[0])[0].id,
                    score=scores[place],
                    points=points_of(scores, place),
                    rating=after[place].rating,
                    deviation=after[place].deviation,
                )
                for place, player in enumerate(task.players)
            ]
            self._store.count(
                PlayedGame(
                    game=task.game.spec,
                    who=task.who,
                    seed=int(message["seed"]),
                    problem=_problem(task, message),
                    created=now(),
                    results=tuple(results),
                    members=tuple(map(_after, task.players, after)),
                    stored=tuple(stored),
                )
            )
        self.tell(task.game.spec)
        self._streams.publish("record", {})

    def _stored(self, task: Task, message: Message) -> list[tuple[StoredGame, Sequence[int]]]:
        """The games from which it can be replayed: one, or one for each of those who play alone."""
        found = []
        for number, board in enumerate(message["boards"]):
            seated = task.players if len(message["boards"]) == 1 else task.players[number : number + 1]
            stored = self._stored_games.made(
                task.game.spec,
                [Seat(kind="agent", label=player.agent.label) for player in seated],
                board["events"],
                board["scores"],
                int(message["seed"]),
                "match",
                board["forfeit"] is None,
                resigned=board["forfeit"],
            )
            found.append((stored, board["events"]))
        return found


def _newcomer(game: Game, choice: AgentChoice, agent: ChosenAgent) -> Member:
    return Member(
        id=new_id(),
        game=game.spec,
        key=agent.key,
        label=agent.label,
        choice=choice.model_dump_json(),
        stamp="",
        entered=now(),
        withdrawn=None,
        rating=AGENT.rating,
        deviation=AGENT.deviation,
        volatility=AGENT.volatility,
    )


def _after(player: Player, rating: Glicko) -> Member:
    return replace(
        player.member,
        label=player.agent.label,
        stamp=player.stamp,
        rating=rating.rating,
        deviation=rating.deviation,
        volatility=rating.volatility,
    )


def _stamp(agent: ChosenAgent) -> str:
    """Changes when the file of an agent does."""
    if agent.path is None:
        return "-"
    try:
        status = agent.path.stat()
    except OSError as error:
        raise BoardlabError(f"{agent.label} cannot be read: {error.strerror or error}") from error
    return f"{status.st_mtime_ns} {status.st_size}"


def _problem(task: Task, message: Message) -> str | None:
    """Why somebody has lost whatever the position was, in words that do not tell where files lie."""
    problem: str | None = message["problem"]
    for player in task.players if problem else ():
        if player.agent.path is not None:
            problem = str(problem).replace(str(player.agent.path), player.agent.label)
    return problem


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:32]
