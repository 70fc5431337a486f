"""Other programs as players: engines that speak GTP or NBoard, started on this machine."""

from __future__ import annotations

from typing import Literal, Never

from pydantic import Field, model_validator

from boardlab.agents.base import Agent
from boardlab.engines.gtp import GtpEngine
from boardlab.engines.nboard import NBoardEngine
from boardlab.engines.notation import notation_of, notations
from boardlab.engines.process import EngineProcess
from boardlab.errors import BoardlabError
from boardlab.game import Game, action_list
from boardlab.position import Position
from boardlab.rng import Rng, random_below

__all__ = ["Engine"]

USUAL_DEPTH = 6


class Engine(Agent):
    """Lets another program on this machine play Othello, Hex, Connect Four or a game of your own that has a notation,
    such as edax -gtp. If it resigns, any
    legal action is played, since every game is played to its end."""

    name = "engine"
    runs_programs = True

    class Parameters(Agent.Parameters):
        """The options of an engine."""

        command: str = Field(description="the program with its arguments, as edax -gtp")
        protocol: Literal["gtp", "nboard"] = Field("gtp", description="how the program speaks; nboard is for Othello")
        depth: int | None = Field(
            None, ge=1, le=100, description="how far it looks ahead, 6 where nobody says; only with nboard"
        )
        time: int | None = Field(None, ge=1, le=86_400, description="seconds for a move; only with gtp")
        timeout: float = Field(
            60.0, gt=0.0, le=86_400, description="seconds, besides time, after which a silent program is stopped"
        )
        startup: str = Field("", description="commands that the program gets first, with semicolons between them")

        @model_validator(mode="after")
        def protocol_has_the_command(self) -> Engine.Parameters:
            """What a protocol cannot say is refused."""
            if self.protocol == "gtp" and self.depth is not None:
                raise ValueError("GTP has no command for the depth; many programs take it in their command")
            if self.protocol == "nboard" and self.time is not None:
                raise ValueError("NBoard has no command for the time of a move; use depth")
            return self

    parameters: Parameters

    @classmethod
    def refusal(cls, game: Game) -> str | None:
        if notations.class_for(game) is not None:
            return None
        return f"engines play {', '.join(notations.games())}, not {game.spec}"

    def setup(self) -> None:
        options = self.parameters
        notation = notation_of(self.game)
        assert notation is not None
        if options.protocol not in notation.protocols:
            raise BoardlabError(f"engines that speak nboard play Othello, not {self.game.spec}; others speak gtp")
        self.notation = notation
        self.process = EngineProcess(options.command, options.timeout)
        startup = [command.strip() for command in options.startup.split(";") if command.strip()]
        self.engine: GtpEngine | NBoardEngine
        if options.protocol == "gtp":
            self.engine = GtpEngine(self.process, self.notation, seconds=options.time, startup=startup)
        else:
            depth = options.depth or USUAL_DEPTH
            self.engine = NBoardEngine(self.process, self.notation, depth=depth, startup=startup)

    def choose(self, position: Position, rng: Rng) -> int:
        """What the program answers; `rng` decides nothing but how a game is played on that it has resigned."""
        answer = self.engine.answer(position)
        legal = position.legal_actions
        if answer.lower() == "resign":
            return legal[random_below(rng, len(legal))]
        action = self.notation.action(answer)
        if action is None or action not in legal:
            self.process.fail(f"answers {answer!r}, which is not legal here; legal: {action_list(self.game, legal)}")
        return action

    def values(self, position: Position) -> dict[int, float] | None:
        """What the program says about every legal action, in its own unit (most count discs); None where it leaves out
        some, as all do that speak GTP."""
        said = {self.notation.action(vertex): value for vertex, value in self.engine.values(position).items()}
        legal = position.legal_actions
        return {action: said[action] for action in legal} if said.keys() >= set(legal) else None

    def __reduce__(self) -> Never:
        raise BoardlabError(f"{self.spec} is a running program, which cannot be copied or pickled; make another one")

    def close(self) -> None:
        """End the program now; it ends in any case when the agent is no longer used."""
        self.process.close()
