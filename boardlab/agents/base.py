"""What an agent is: something that chooses an action in any position of the game that it was made for.

An agent file derives one class from `Agent`, with its options as a nested model (or in its body, see
`boardlab.components.component`):

    class Patient(Agent):
        '''Waits a little before it moves at random.'''

        name = "patient"

        class Parameters(Agent.Parameters):
            seconds: float = Field(1.0, ge=0.0, le=60.0, description="how long it waits")

        parameters: Parameters

        def choose(self, position, rng):
            time.sleep(self.parameters.seconds)
            return position.legal_actions[random_below(rng, len(position.legal_actions))]

`choose` and `values` stand behind a guard (`boardlab.agents.guard`): they get positions of the game in which somebody
is to move, and never run in two threads at once.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar, Self

from boardlab.agents.guard import Turn, guarded_choose, guarded_values
from boardlab.compiler import is_our_own
from boardlab.components.component import Component, settings_of, settings_text_of, take_parameters
from boardlab.components.models import Model
from boardlab.errors import BoardlabError
from boardlab.game import Game, require_game
from boardlab.position import Position
from boardlab.rng import Rng

if TYPE_CHECKING:
    from boardlab.search.action_values import ActionValues
    from boardlab.search.player import Player

__all__ = ["Agent"]


class Agent(Component, ABC):
    """Base class of all agents. The class docstring of an agent says in a sentence what it does."""

    runs_programs: ClassVar[bool] = False
    """Whether its options name programs that it starts. Such an agent is for the owner of the machine alone, never for
    visitors of a server."""

    class Parameters(Model):
        """The options of the agent, each a documented field; none by default. It may declare them by `parameter` in its
        own body instead."""

    parameters: Parameters
    turn: Turn
    """Who has it may use the agent; a thread waits for it while another one does."""

    def __init_subclass__(cls, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        for name, guarded in (("choose", guarded_choose), ("values", guarded_values)):
            if name in vars(cls):
                setattr(cls, name, guarded(vars(cls)[name]))

    def __new__(cls, *_arguments: object, **_settings: object) -> Self:
        agent = super().__new__(cls)
        agent.turn = Turn()
        return agent

    def __init__(self, game: Game, **settings: object) -> None:
        """Make the agent for a game with the given options, as `Mcts(game, iterations=1000)`."""
        require_game(game)
        self.game = game
        take_parameters(self, settings, self.name or type(self).__name__)
        refusal = self.refusal(game)
        if refusal is not None:
            raise BoardlabError(refusal)
        self.setup()

    @classmethod
    def refusal(cls, game: Game) -> str | None:
        """Why the agent cannot play a game, told without preparing anything; None where nothing speaks against it."""
        return None

    def setup(self) -> None:
        """Prepare what follows from game and options (tables, trees), and refuse what only turns out thereby."""

    @abstractmethod
    def choose(self, position: Position, rng: Rng) -> int:
        """The action to play; some player is to move in `position`, which stays as it is. All chance comes
        from `rng`."""

    @guarded_values
    def values(self, position: Position) -> dict[int, float] | None:
        """What the agent thinks of every legal action: the score it expects for the player to move. None where
        it has no such opinion."""
        return None

    @property
    def greedy(self) -> bool:
        """Whether it promises to play only actions with the highest of its `values`. A class may say `greedy = True`;
        `check_agent` holds it to that."""
        return False

    @property
    def bounded(self) -> bool:
        """Whether it promises that its `values` are scores which the game can have, within `score_range`. A class may
        say `bounded = True`."""
        return False

    @property
    def repeatable(self) -> bool:
        """Whether position and random numbers alone decide what it plays: not with a time limit (an option `time`),
        nor where another program plays."""
        return not self.runs_programs and settings_of(self).get("time") is None

    def action_values(self) -> ActionValues | None:
        """The same opinion for searches in compiled code (`boardlab.search.action_values`). None where `values` is all
        there is: a search over it is then plain Python."""
        return None

    def player(self) -> Player | None:
        """The same agent for whole games in compiled code (`boardlab.search.player`), with a work space of its own: a
        new one at each call. It chooses what `choose` does, from the same random numbers. None where `choose` is all
        there is: games are then played move by move."""
        return None

    @property
    def plays_compiled(self) -> bool:
        """Whether `player` may be asked for. A class of a user's that derives from one of ours may choose otherwise
        than that, so it has to have its own."""
        cls = type(self)
        return cls.player is not Agent.player and (is_our_own(cls.__module__) or "player" in vars(cls))

    @property
    def spec(self) -> str:
        """The text from which `make_agent` makes this very agent again, as `mcts:iterations=100`; the file of a
        trained one."""
        origin: str = self.__dict__.get("_origin", "")
        return origin if origin.endswith(".agent") else super().spec

    def __repr__(self) -> str:
        inside = settings_text_of(self).replace(",", ", ")
        return f"{type(self).__name__}({', '.join(filter(None, [self.game.spec, inside]))})"
