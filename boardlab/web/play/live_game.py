"""`LiveGame`: a game between people and agents that is going on: who sits where, what has happened, the agents' turns.

Everything here runs in the event loop, so a game is changed by one request at a time. An agent's turn is a task that
waits for a worker; whatever changes the game meanwhile cancels it, which stops the thinking.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from time import monotonic
from typing import Any

from boardlab.errors import BoardlabError
from boardlab.game import Game
from boardlab.rng import fresh_seed
from boardlab.web.library.agents import AgentLibrary, ChosenAgent
from boardlab.web.play.ended_games import EndedGames, ending_words, scores_without
from boardlab.web.play.game_clock import GameClock
from boardlab.web.play.live_game_views import LiveGameView, Thinking
from boardlab.web.play.seat_owners import SeatOwners
from boardlab.web.play.seats import Seated, being_compiled, compiling_words, seat_views, seated
from boardlab.web.play.start import Start
from boardlab.web.play.stored_games import StoredGames
from boardlab.web.play.timeline import Timeline, draw_outcome
from boardlab.web.server.errors import Problem
from boardlab.web.server.event_streams import EventStreams
from boardlab.web.server.models import Seat, SeatChoice
from boardlab.web.workers.preparation import Preparation
from boardlab.web.workers.questions import Questions

__all__ = ["LiveGame", "LiveGameParts"]

WATCHING_DELAY = 600
"""Milliseconds between the moves of agents where no person plays."""
NOTICEABLE = 0.15
"""Seconds after which a page is told that an agent thinks."""


@dataclass(frozen=True)
class LiveGameParts:
    """The parts of the arena that a live game uses."""

    agents: AgentLibrary
    questions: Questions
    preparation: Preparation
    stored_games: StoredGames
    streams: EventStreams
    changed: Callable[[LiveGame], None] = lambda live: None
    """Is told of every change, so that nothing is lost with the server."""


class LiveGame:
    """One live game."""

    def __init__(
        self, parts: LiveGameParts, most: int, name: str, game: Game, seats: list[SeatChoice], start: Start
    ) -> None:
        """It has `most` moves and chance events, and begins as `start` says."""
        if len(start.events) > most:
            raise Problem(422, _too_long(most))
        self.parts, self.most, self.id, self.game, self.start = parts, most, name, game, start
        self.timeline = Timeline.of(game, start.events, start.state)
        self.seats = seated(self.parts.agents, self.game, seats)
        self.seed = fresh_seed()
        self.paused = False
        self.delay = 0 if self.has_person else WATCHING_DELAY
        self.resigned: int | None = None
        self.flagged: int | None = None
        self.clock = self._new_clock()
        self.helped = False
        """Whether the person had help, took a move back, or changed seats: then the game is none for the ladder."""
        self.message: str | None = None
        self.owners = SeatOwners()
        self.revision = 0
        self.touched = monotonic()
        self.record: str | None = None
        self._ends = EndedGames()
        self._closed = False
        self._turn: asyncio.Task[None] | None = None
        self._thinks_since: tuple[int, float] | None = None

    # ------------------------------------------------------------ looking

    @property
    def has_person(self) -> bool:
        """Whether anybody plays, and not only watches."""
        return any(seat.agent is None for seat in self.seats)

    @property
    def people(self) -> list[int]:
        """The seats of people."""
        return [seat for seat, seated in enumerate(self.seats) if seated.agent is None]

    @property
    def ended(self) -> bool:
        """Whether the game is over, by the rules, by resigning or by the clock."""
        return self.loser is not None or self.timeline.position.is_over

    @property
    def loser(self) -> int | None:
        """Who has given up, or has run out of time, before the rules ended the game."""
        return self.flagged if self.resigned is None else self.resigned

    @property
    def thinker(self) -> Seated | None:
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
        agents = (self.parts.preparation, self.game, self.seats)
        found: dict[str, Any] = dict(view.__dict__)
        if self.loser is not None:
            found.update(
                over=True,
                legal=[],
                keys={},
                outcomes=[],
                to_move=None,
                scores=scores_without(self.game, self.loser, view.scores),
                status=f"{self.game.player_name(self.loser)} {ending_words(self.flagged)}",
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
            seats=seat_views(self.seats, [self.owners.is_free(k, self.people) for k in range(len(self.seats))]),
            ply=self.timeline.ply,
            plies=len(self.timeline.events),
            resigned=self.resigned,
            flagged=self.flagged,
            clock=self.clock.view(),
            thinking=Thinking(seat=seat_and_time[0], seconds=monotonic() - seat_and_time[1]) if seat_and_time else None,
            message=self.message or (None if self.ended else compiling_words(*agents)),
            paused=self.paused,
            delay=self.delay,
            can_undo=not self.clock.wish and (self.resigned is not None or self._earlier() is not None),
            can_redo=not self.clock.wish and self.timeline.ply < len(self.timeline.events),
            helped=self.helped,
            record=self.record,
            shared=self.owners.shared,
            compiling=None if self.ended else being_compiled(*agents),
        )

    # ------------------------------------------------------------ what people do

    def move(self, action: int, ply: int) -> None:
        """A person's move."""
        self._refuse_stale(ply)
        self._refuse_ended()
        if self.thinker:
            raise Problem(409, f"it is the turn of {self.thinker.label}")
        if len(self.timeline.events) >= self.most:
            raise Problem(409, _too_long(self.most))
        if self.clock.is_out():
            self._run_out(self.timeline.position.player)
            raise Problem(409, "the time is over")
        self.timeline.play(action)
        self.clock.press()
        self._changed()

    def chance(self, outcome: int, ply: int) -> None:
        """A chance event, decided by hand."""
        self._refuse_stale(ply)
        if not self.paused:
            raise Problem(409, "chance events happen by themselves; pause the game to decide one")
        self.helped = True
        self.timeline.play_chance(outcome)
        self._changed()

    def undo(self) -> None:
        """Back to the last turn of a person; to the last move where only agents play."""
        self._refuse_with_clock()
        if self.resigned is not None:
            self.helped, self.resigned = True, None
            self._changed(go_on=False)
            return
        earlier = self._earlier()
        if earlier is None:
            raise Problem(409, "there is no move to take back")
        self.jump(earlier)

    def redo(self) -> None:
        """Forward to the next turn of a person, or to the end of what was taken back."""
        self._refuse_with_clock()
        end = len(self.timeline.events)
        if self.timeline.ply == end:
            raise Problem(409, "no move has been taken back")
        later = range(self.timeline.ply + 1, end)
        self.jump(next((k for k in later if self._is_turn(k)), end))

    def jump(self, ply: int) -> None:
        """To any ply of the game. Where an agent would go on differently at once, the game is paused."""
        self._refuse_with_clock()
        if ply > len(self.timeline.events):
            raise Problem(422, f"the game has {len(self.timeline.events)} moves and chance events, not {ply}")
        self.helped = self.helped or ply != self.timeline.ply
        self.resigned = None
        self.timeline.ply = ply
        position = self.timeline.position
        if ply < len(self.timeline.events) and (position.is_chance or self.thinker):
            self.paused = True
        self._changed()

    def restart(self) -> None:
        """The same game from its start, with new luck."""
        self.timeline = Timeline.of(self.game, self.start.events, self.start.state)
        self.seed = fresh_seed()
        self.helped, self.resigned, self.flagged = False, None, None
        self.clock.stop()
        self.clock = self._new_clock()
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

    def share(self, visitor: str) -> None:
        """From now on seats belong to those who take them."""
        self.owners.share(self.people, len(self.seats), visitor)
        self._announce()

    def claim(self, seat: int, visitor: str, name: str) -> None:
        """A visitor takes a free seat of a shared game, under a name."""
        self.owners.claim(self.people, seat, visitor)
        self.seats[seat] = Seated(SeatChoice(person=name), None)
        self._announce()

    def flip(self) -> None:
        """Everybody moves on by one seat."""
        self.helped = self.helped or self.timeline.ply > 0
        self.seats = self.seats[-1:] + self.seats[:-1]
        self.clock.rotate()
        self._changed()

    def seat(self, seats: list[SeatChoice]) -> None:
        """Others take the seats."""
        self.seats = seated(self.parts.agents, self.game, seats)
        self.clock.seat(self.people)
        self.helped = self.helped or self.timeline.ply > 0
        self._changed()

    def pace(self, paused: bool | None, delay: int | None) -> None:
        """Pause, go on, or change the speed."""
        if paused and self.clock.wish and self.owners.shared:
            raise Problem(409, "a game on two devices that has a clock cannot be paused")
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
        self.clock.stop()

    async def close(self) -> None:
        """Stop thinking, and finish storing what has ended."""
        self.leave()
        await self._ends.finish()

    def _changed(self, *, message: str | None = None, go_on: bool = True) -> None:
        """After every change: chance events happen, the agent to move begins to think, pages are told."""
        self.stop()
        self.message = message
        if go_on:
            self._roll()
        self.record = self._ends.record(self._key())
        if self.ended and self.record is None:
            self._ends.store(self._key(), self._storing(), self._was_stored)
        if not self.paused:
            self._begin_turn()
        self._announce()

    def _announce(self) -> None:
        self.revision += 1
        self._wind()
        self.parts.changed(self)
        if self.parts.streams.is_watched(self.id):
            self.parts.streams.publish("table", self.view())

    def _wind(self) -> None:
        """Let the clock run for the person to move; not before the first move, nor while somebody is missing."""
        if self._closed or self.clock.wish is None:
            return
        position, begun = self.timeline.position, self.timeline.has_moves_after(len(self.start.events))
        waits = self.paused or self.ended or position.is_chance or self.thinker is not None or not begun
        if waits or any(self.owners.is_free(seat, self.people) for seat in self.people):
            self.clock.stop()
        else:
            self.clock.run(position.player)

    def _run_out(self, seat: int) -> None:
        """The time of a person is over."""
        if not self.ended and not self._closed:
            self.clock.empty(seat)
            self.flagged = seat
            self._changed()

    def _new_clock(self) -> GameClock:
        return GameClock(self.start.clock, self.people, len(self.seats), self._run_out)

    def _roll(self) -> None:
        while not self.paused and self.loser is None and self.timeline.position.is_chance:
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

    async def _take_turn(self, seat: Seated, once: bool) -> None:
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

    def note_help(self) -> None:
        """Somebody wants to know what an agent thinks."""
        if not self.helped and not self.ended:
            self.helped = True
            self._announce()

    async def hint(self, agent: ChosenAgent) -> dict[str, Any]:
        """What an agent would do here, and what it thinks of all actions."""
        self._refuse_ended()
        if self.timeline.position.is_chance:
            raise Problem(409, "a chance event is due, nobody moves")
        self.note_help()
        question = {"job": "values", **self.timeline.for_worker(), "choose": True, "random": [self.seed, 0]}
        return await self.parts.questions.ask(self.game, agent, question)

    # ------------------------------------------------------------ the end

    def _key(self) -> tuple[Any, ...]:
        """What makes an ended game a different one: what happened, who played, and which game it was (`restart` has a
        seed of its own), so that a game that is taken back and ended again counts once, and one played again twice."""
        ended = (self.resigned, self.flagged)
        return (self.seed, *self.timeline.events[: self.timeline.ply], *ended, *(s.label for s in self.seats))

    def remember_record(self, record: str | None) -> None:
        """The game was stored before under this id."""
        if record is not None:
            self._ends.remember(self._key(), record)
            self.record = record

    def go_on(self) -> None:
        """A game that was kept goes on: the agent to move begins to think."""
        self._changed()

    def _storing(self) -> Callable[[], str]:
        """What stores the game as it is now, in any thread."""
        view = self.view()
        return partial(
            self.parts.stored_games.store,
            game=self.game.spec,
            seats=[Seat(kind=s.kind, label=s.label) for s in view.seats],
            events=self.timeline.codes(),
            scores=view.scores,
            seed=self.seed,
            source="table",
            finished=self.loser is None,
            resigned=self.resigned,
            flagged=self.flagged,
            clock=self.clock.kept(),
            setup=self.start.setup,
            origin=f"{self.id} {self._key()}",
            met=None if self.helped or self.start.given else [s.agent.key if s.agent else "" for s in self.seats],
        )

    def _was_stored(self, key: tuple[Any, ...], record: str) -> None:
        if self._key() == key:
            self.record = record
            self._announce()

    # ------------------------------------------------------------

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

    def _refuse_with_clock(self) -> None:
        if self.clock.wish:
            raise Problem(409, "this game has a clock, so moves stand")

    def _refuse_ended(self) -> None:
        if self.ended:
            raise Problem(409, "the game is over")


def _too_long(most: int) -> str:
    return f"a game here has at most {most:,} moves and chance events"
