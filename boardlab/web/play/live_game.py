"""`LiveGame`: a game between people and agents that is going on: who sits where, what has happened, the agents' turns.

Everything here runs in the event loop, so a game is changed by one request at a time. An agent's turn is a task that
waits for a worker; whatever changes the game meanwhile cancels it, which stops the thinking.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass
from time import monotonic
from typing import Any

from boardlab.errors import BoardlabError
from boardlab.game import Game
from boardlab.rng import fresh_seed
from boardlab.web.library.agents import AgentLibrary, ChosenAgent
from boardlab.web.play.stored_games import StoredGames
from boardlab.web.play.timeline import Timeline, draw_outcome
from boardlab.web.server.errors import Problem
from boardlab.web.server.event_streams import EventStreams
from boardlab.web.server.models import ApiAnswer, Event, PositionView, Seat, SeatChoice
from boardlab.web.workers.preparation import Preparation
from boardlab.web.workers.questions import Questions

__all__ = ["LiveGame", "LiveGameParts", "LiveGameView"]

log = logging.getLogger("boardlab.web")

WATCHING_DELAY = 600
"""Milliseconds between the moves of agents where no person plays."""
NOTICEABLE = 0.15
"""Seconds after which a page is told that an agent thinks."""


class Thinking(ApiAnswer):
    """An agent at work."""

    seat: int
    seconds: float


class SeatView(Seat):
    """Who has a seat, with the choice that a form can be filled with."""

    choice: SeatChoice


class LiveGameView(PositionView):
    """A live game as the page shows it."""

    id: str
    revision: int
    """Grows with every change."""
    game: str
    title: str
    players: list[str]
    seats: list[SeatView]
    ply: int
    plies: int
    """How many events there are, with what has been taken back."""
    resigned: int | None
    thinking: Thinking | None
    message: str | None
    paused: bool
    delay: int
    can_undo: bool
    can_redo: bool
    record: str | None
    """The stored game, once it has ended."""


@dataclass(frozen=True)
class _Seated:
    """Who has a seat; `agent` is None for a person."""

    choice: SeatChoice
    agent: ChosenAgent | None

    @property
    def label(self) -> str:
        return self.agent.label if self.agent else str(self.choice.person)


@dataclass(frozen=True)
class LiveGameParts:
    """The parts of the arena that a live game uses."""

    agents: AgentLibrary
    questions: Questions
    preparation: Preparation
    stored_games: StoredGames
    streams: EventStreams


class LiveGame:
    """One live game."""

    def __init__(
        self, parts: LiveGameParts, most: int, name: str, game: Game, seats: list[SeatChoice], start: list[Event]
    ) -> None:
        """It has `most` moves and chance events, and begins after those of `start`."""
        if len(start) > most:
            raise Problem(422, _too_long(most))
        self.parts, self.most, self.id, self.game, self.start = parts, most, name, game, start
        self.timeline = Timeline.of(game, start)
        self.seats = self._seated(seats)
        self.seed = fresh_seed()
        self.paused = False
        self.delay = 0 if self.has_person else WATCHING_DELAY
        self.resigned: int | None = None
        self.message: str | None = None
        self.revision = 0
        self.touched = monotonic()
        self.record: str | None = None
        self._stored: dict[tuple[Any, ...], str] = {}
        self._closed = False
        self._turn: asyncio.Task[None] | None = None
        self._thinks_since: tuple[int, float] | None = None
        self._background: set[asyncio.Task[None]] = set()

    # ------------------------------------------------------------ looking

    @property
    def has_person(self) -> bool:
        """Whether anybody plays, and not only watches."""
        return any(seat.agent is None for seat in self.seats)

    @property
    def ended(self) -> bool:
        """Whether the game is over, by the rules or by resigning."""
        return self.resigned is not None or self.timeline.position.is_over

    @property
    def thinker(self) -> _Seated | None:
        """Whose turn it is, where that is an agent's and the game goes on."""
        position = self.timeline.position
        if self.ended or position.is_chance:
            return None
        seat = self.seats[position.player]
        return seat if seat.agent else None

    def view(self) -> LiveGameView:
        """All that a page shows."""
        self.touched = monotonic()
        view = self.timeline.view()
        seat_and_time = self._thinks_since
        found: dict[str, Any] = dict(view.__dict__)
        if self.resigned is not None:
            found.update(
                over=True,
                legal=[],
                keys={},
                outcomes=[],
                to_move=None,
                scores=self._scores_of_resigned(view.scores),
                status=f"{self.game.player_name(self.resigned)} resigned",
            )
        elif not self.paused:
            found["outcomes"] = []
        return LiveGameView(
            **found,
            id=self.id,
            revision=self.revision,
            game=self.game.spec,
            title=self.game.title,
            players=[self.game.player_name(p) for p in range(self.game.num_players)],
            seats=[SeatView(kind="agent" if s.agent else "person", label=s.label, choice=s.choice) for s in self.seats],
            ply=self.timeline.ply,
            plies=len(self.timeline.events),
            resigned=self.resigned,
            thinking=Thinking(seat=seat_and_time[0], seconds=monotonic() - seat_and_time[1]) if seat_and_time else None,
            message=self.message or self._preparing(),
            paused=self.paused,
            delay=self.delay,
            can_undo=self.resigned is not None or self._earlier() is not None,
            can_redo=self.timeline.ply < len(self.timeline.events),
            record=self.record,
        )

    def _preparing(self) -> str | None:
        """Which agents are not ready yet, in words."""
        waiting = {s.label for s in self.seats if s.agent and self.parts.preparation.is_under_way(self.game, s.agent)}
        return f"{' and '.join(sorted(waiting))}: being prepared" if waiting and not self.ended else None

    def _scores_of_resigned(self, scores: list[float]) -> list[float]:
        """Who resigns gets the lowest score, a single opponent the highest; alone one keeps what one has."""
        if self.game.num_players == 1:
            return scores
        low, high = self.game.score_range
        other = [high] * len(scores) if len(scores) == 2 else scores
        return [low if player == self.resigned else x for player, x in enumerate(other)]

    # ------------------------------------------------------------ what people do

    def move(self, action: int, ply: int) -> None:
        """A person's move."""
        self._refuse_stale(ply)
        self._refuse_ended()
        if self.thinker:
            raise Problem(409, f"it is the turn of {self.thinker.label}")
        if len(self.timeline.events) >= self.most:
            raise Problem(409, _too_long(self.most))
        self.timeline.play(action)
        self._changed()

    def chance(self, outcome: int, ply: int) -> None:
        """A chance event, decided by hand."""
        self._refuse_stale(ply)
        if not self.paused:
            raise Problem(409, "chance events happen by themselves; pause the game to decide one")
        self.timeline.play_chance(outcome)
        self._changed()

    def undo(self) -> None:
        """Back to the last turn of a person; to the last move where only agents play."""
        if self.resigned is not None:
            self.resigned = None
            self._changed(go_on=False)
            return
        earlier = self._earlier()
        if earlier is None:
            raise Problem(409, "there is no move to take back")
        self.jump(earlier)

    def redo(self) -> None:
        """Forward to the next turn of a person, or to the end of what was taken back."""
        end = len(self.timeline.events)
        if self.timeline.ply == end:
            raise Problem(409, "no move has been taken back")
        later = range(self.timeline.ply + 1, end)
        self.jump(next((k for k in later if self._is_turn(k)), end))

    def jump(self, ply: int) -> None:
        """To any ply of the game. Where an agent would go on differently at once, the game is paused."""
        if ply > len(self.timeline.events):
            raise Problem(422, f"the game has {len(self.timeline.events)} moves and chance events, not {ply}")
        self.resigned = None
        self.timeline.ply = ply
        position = self.timeline.position
        if ply < len(self.timeline.events) and (position.is_chance or self.thinker):
            self.paused = True
        self._changed()

    def restart(self) -> None:
        """The same game from its start, with new luck."""
        self.timeline = Timeline.of(self.game, self.start)
        self.seed = fresh_seed()
        self.resigned = None
        if self.has_person:
            self.paused = False
        self._changed()

    def resign(self) -> None:
        """The person to move gives up; or the only person, while an agent thinks."""
        self._refuse_ended()
        people = [p for p, seat in enumerate(self.seats) if seat.agent is None]
        turn = self.timeline.position.player
        if turn not in people and len(people) != 1:
            raise Problem(409, "nobody here can resign" if not people else "only the person to move can resign")
        self.resigned = turn if turn in people else people[0]
        self._changed()

    def flip(self) -> None:
        """Everybody moves on by one seat."""
        self.seats = self.seats[-1:] + self.seats[:-1]
        self._changed()

    def seat(self, seats: list[SeatChoice]) -> None:
        """Others take the seats."""
        self.seats = self._seated(seats)
        self._changed()

    def pace(self, paused: bool | None, delay: int | None) -> None:
        """Pause, go on, or change the speed."""
        self.delay = self.delay if delay is None else delay
        if paused is None or paused == self.paused:
            self._announce()
            return
        self.paused = paused
        self._changed()

    def interrupt(self) -> ChosenAgent | None:
        """Stop the agent that thinks, and pause; returns the agent."""
        if self._thinks_since is None:
            raise Problem(409, "no agent is thinking")
        seat = self.seats[self._thinks_since[0]]
        self.paused = True
        self._changed(message=f"{seat.label} was interrupted")
        return seat.agent

    def waits_for(self, game: Game, agent: ChosenAgent) -> bool:
        """Whether it is this agent's turn to think."""
        thinks = self._thinks_since
        return thinks is not None and self.game == game and self.seats[thinks[0]].agent == agent

    def step(self) -> None:
        """One move of an agent, or one chance event, and pause again."""
        self._refuse_ended()
        chance = self.timeline.position.is_chance
        if not chance and not self.thinker:
            raise Problem(409, "it is the turn of a person")
        self.paused = True
        if chance:
            self._roll_one()
        self._changed()
        if not chance:
            self._begin_turn(once=True)

    # ------------------------------------------------------------ how it goes on

    def open(self, seed: int | None, paused: bool) -> None:
        """Begin."""
        self.seed = self.seed if seed is None else seed
        self.paused = paused
        self._changed()

    def leave(self) -> None:
        """Nobody plays here any more."""
        self._closed = True
        self.stop()

    async def close(self) -> None:
        """Stop thinking, and finish storing what has ended."""
        self.leave()
        if self._background:
            await asyncio.wait(self._background)

    def _changed(self, *, message: str | None = None, go_on: bool = True) -> None:
        """After every change: chance events happen, the agent to move begins to think, pages are told."""
        self.stop()
        self.message = message
        if go_on:
            self._roll()
        self.record = self._stored.get(self._key())
        if self.ended and self.record is None:
            self._in_background(self._store())
        if not self.paused:
            self._begin_turn()
        self._announce()

    def _announce(self) -> None:
        self.revision += 1
        if self.parts.streams.is_watched(self.id):
            self.parts.streams.publish("table", self.view())

    def _roll(self) -> None:
        while not self.paused and self.resigned is None and self.timeline.position.is_chance:
            self._roll_one()

    def _roll_one(self) -> None:
        self.timeline.play_chance(draw_outcome(self.timeline.position.chance_outcomes, self.seed, self.timeline.ply))

    def stop(self) -> None:
        """Stop the agent that thinks, if one does."""
        if self._turn is not None and self._turn is not asyncio.current_task():
            self._turn.cancel()
        self._turn = None
        self._thinks_since = None

    def _begin_turn(self, once: bool = False) -> None:
        """Let the agent to move think, and those after it, until a person's turn comes."""
        seat = self.thinker
        if seat is not None:
            self._thinks_since = (self.timeline.position.player, monotonic())
            self._turn = asyncio.create_task(self._take_turn(seat, once))
        for other in self.seats:
            if other.agent:
                preparation = self.parts.preparation.agent(self.game, other.agent)
                if not preparation.done():
                    preparation.add_done_callback(self._prepared)

    def _prepared(self, _task: asyncio.Task[None]) -> None:
        if not self._closed:
            self._announce()

    async def _take_turn(self, seat: _Seated, once: bool) -> None:
        """One move of an agent; then the game goes on by itself."""
        assert seat.agent is not None
        begin = monotonic()
        notice = asyncio.get_running_loop().call_later(NOTICEABLE, self._announce)
        message = None
        try:
            action = await self._ask(seat.agent)
            await asyncio.sleep(max(0.0, self.delay / 1000 - (monotonic() - begin)) if not once else 0)
            self.timeline.play(action)
        except (BoardlabError, Problem) as error:
            self.paused, message = True, f"{seat.label}: {error}"
        finally:
            notice.cancel()
        self._changed(message=message)

    async def _ask(self, agent: ChosenAgent) -> int:
        """The action that an agent chooses here."""
        stream = 1 + self.timeline.ply * self.game.num_players + self.timeline.position.player
        question = {"job": "choose", **self.timeline.for_worker(), "random": [self.seed, stream]}
        answer = await self.parts.questions.ask(self.game, agent, question, self.id)
        return int(answer["action"])

    async def hint(self, agent: ChosenAgent) -> dict[str, Any]:
        """What an agent would do here, and what it thinks of all actions."""
        self._refuse_ended()
        if self.timeline.position.is_chance:
            raise Problem(409, "a chance event is due, nobody moves")
        question = {"job": "values", **self.timeline.for_worker(), "choose": True, "random": [self.seed, 0]}
        return await self.parts.questions.ask(self.game, agent, question)

    # ------------------------------------------------------------ the end

    def _key(self) -> tuple[Any, ...]:
        """What makes an ended game a different one."""
        return (*self.timeline.events[: self.timeline.ply], self.resigned, *(s.label for s in self.seats))

    async def _store(self) -> None:
        key, view = self._key(), self.view()
        stored = await asyncio.to_thread(
            self.parts.stored_games.store,
            game=self.game.spec,
            seats=[Seat(kind=s.kind, label=s.label) for s in view.seats],
            events=self.timeline.codes(),
            scores=view.scores,
            seed=self.seed,
            source="table",
            finished=self.resigned is None,
            resigned=self.resigned,
        )
        self._stored[key] = stored
        if self._key() == key:
            self.record = stored
            self._announce()

    def _in_background(self, work: Any) -> None:
        task = asyncio.create_task(work)
        self._background.add(task)
        task.add_done_callback(self._background.discard)
        task.add_done_callback(_complain)

    # ------------------------------------------------------------

    def _seated(self, choices: list[SeatChoice]) -> list[_Seated]:
        if len(choices) != self.game.num_players:
            raise Problem(422, f"{self.game.title} has {self.game.num_players} seats, not {len(choices)}")
        return [_Seated(c, None if c.person else self.parts.agents.agent(self.game, c.choice())) for c in choices]

    def _is_turn(self, ply: int) -> bool:
        """Whether a person acted after `ply` events; where only agents play, any of them."""
        player = self.timeline.player_at(ply)
        return player is not None and (self.seats[player].agent is None or not self.has_person)

    def _earlier(self) -> int | None:
        """The ply of the last turn before this position that can be taken back."""
        return next((k for k in range(self.timeline.ply - 1, -1, -1) if self._is_turn(k)), None)

    def _refuse_stale(self, ply: int) -> None:
        if ply != self.timeline.ply:
            raise Problem(409, "the game has gone on meanwhile")

    def _refuse_ended(self) -> None:
        if self.ended:
            raise Problem(409, "the game is over")


def _too_long(most: int) -> str:
    return f"a game here has at most {most:,} moves and chance events"


def _complain(task: asyncio.Task[None]) -> None:
    """A game that could not be stored is not worth more than a line in the terminal."""
    if not task.cancelled() and task.exception() is not None:
        log.error("a game could not be stored: %s", task.exception())
