"""What requests and answers look like, where more than one module of the arena needs it.

Requests derive from `ApiRequest` (unknown keys are refused), answers from `ApiAnswer`. All of them make up the OpenAPI
description.
"""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

from boardlab.position import event_from_code, event_to_code

__all__ = [
    "AgentChoice",
    "ApiAnswer",
    "ApiRequest",
    "ChanceEvent",
    "Event",
    "FormField",
    "GameSpec",
    "Id",
    "LegalAction",
    "LevelName",
    "MoveEvent",
    "MoveLine",
    "Number",
    "Option",
    "OutcomeLine",
    "PersonName",
    "Ply",
    "PositionView",
    "Seat",
    "SeatChoice",
    "Seed",
    "Setup",
    "event_of_code",
]

Id = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]{12}$")]
GameSpec = Annotated[
    str,
    StringConstraints(min_length=1, max_length=300),
    Field(description="a game and its parameters, as connect4:columns=6", examples=["tictactoe"]),
]
PersonName = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=40)]
Number = Annotated[int, Field(ge=0, lt=1 << 31, description="an action or a chance outcome")]
Ply = Annotated[int, Field(ge=0, le=1_000_000, description="how many moves and chance events have happened")]
Seed = Annotated[int, Field(ge=0, le=999_999_999_999)]
Option = (
    bool
    | Annotated[int, Field(ge=-(1 << 62), lt=1 << 62)]
    | Annotated[float, Field(allow_inf_nan=False)]
    | Annotated[str, StringConstraints(max_length=200)]
    | None
)


LevelName = Literal["easy", "medium", "strong", "perfect"]


class ApiRequest(BaseModel):
    """Base of what a client may send."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)


class ApiAnswer(BaseModel):
    """Base of what a client is told; what stands below a field here stands in the description of the API, too."""

    model_config = ConfigDict(use_attribute_docstrings=True)


class FormField(ApiAnswer):
    """One entry of a form: a parameter of a game, an agent or a training."""

    name: str
    kind: Literal["integer", "number", "boolean", "choice", "text", "component"]
    """A component is one of the choices, with parameters of its own after a colon: `tcl-exp:beta=2`."""
    default: Option
    low: float | None = None
    high: float | None = None
    choices: list[Option] = []
    nullable: bool = False
    doc: str = ""
    helps: dict[str, str] = {}
    """What there is to say about each choice."""


class AgentChoice(ApiRequest):
    """An agent: a registered one with its options, an agent file, a registered one that works on a file, or whoever
    plays at a level."""

    agent: Annotated[str, StringConstraints(min_length=1, max_length=300)] | None = None
    options: dict[Annotated[str, StringConstraints(max_length=80)], Option] = {}
    file: Id | None = None
    level: LevelName | None = None

    @model_validator(mode="after")
    def _is_one(self) -> Self:
        if self.level is not None:
            if self.agent is not None or self.file is not None or self.options:
                raise ValueError("name a level or an agent, not both")
            return self
        if self.agent is None and self.file is None:
            raise ValueError("name an agent, a file or a level")
        if self.agent is None and self.options:
            raise ValueError("an agent file has no options")
        return self


class SeatChoice(ApiRequest):
    """Who takes a seat: a person by name, or an agent as in `AgentChoice`."""

    person: PersonName | None = None
    agent: Annotated[str, StringConstraints(min_length=1, max_length=300)] | None = None
    options: dict[Annotated[str, StringConstraints(max_length=80)], Option] = {}
    file: Id | None = None
    level: LevelName | None = None

    @model_validator(mode="after")
    def _is_one(self) -> Self:
        if self.person is None:
            self.choice()
        elif self.agent is not None or self.file is not None or self.options or self.level is not None:
            raise ValueError("a seat has a person or an agent, not both")
        return self

    def choice(self) -> AgentChoice:
        """The agent of the seat."""
        return AgentChoice(agent=self.agent, options=self.options, file=self.file, level=self.level)


class Seat(ApiAnswer):
    """Who has a seat, as shown."""

    kind: Literal["person", "agent"]
    label: str


class MoveEvent(ApiRequest):
    """An action that was played."""

    action: Number

    @property
    def code(self) -> int:
        """The event as it is stored."""
        return event_to_code(self.action, chance=False)


class ChanceEvent(ApiRequest):
    """A chance event and how it came out."""

    chance: Number

    @property
    def code(self) -> int:
        """The event as it is stored."""
        return event_to_code(self.chance, chance=True)


Event = MoveEvent | ChanceEvent


def event_of_code(code: int) -> Event:
    """A stored event as it is sent."""
    number, chance = event_from_code(code)
    return ChanceEvent(chance=number) if chance else MoveEvent(action=number)


class Setup(ApiRequest):
    """A start that was set up by hand: the values of its places, and who is to move."""

    values: Annotated[tuple[Annotated[int, Field(ge=0, lt=1 << 31)], ...], Field(max_length=10_000)]
    player: Annotated[int, Field(ge=0, lt=1000)]


class OutcomeLine(ApiAnswer):
    """How a chance event can come out."""

    outcome: int
    name: str
    chance: float


class LegalAction(ApiAnswer):
    """An action that may be played."""

    action: int
    name: str


class MoveLine(ApiAnswer):
    """A line of a move list; `ply` is the number of events up to and with this one, `number` the action or outcome."""

    ply: int
    player: int | None
    number: int
    name: str
    kind: Literal["action", "chance"]


class PositionView(ApiAnswer):
    """A position as the page shows it."""

    svg: str
    text: str
    status: str
    to_move: int | None
    """The player whose turn it is; None when the game is over or a chance event is due."""
    over: bool
    scores: list[float]
    legal: list[LegalAction]
    last_action: int | None
    chance_due: bool
    outcomes: list[OutcomeLine]
    """How the chance event that is due can come out."""
    moves: list[MoveLine]
    keys: dict[str, int]
    """Actions by the arrow keys that mean them."""
    counts: list[str]
    """What each player has so far, in words; empty where the game does not count."""
    slides: list[list[int]]
    """Which pieces the last action moved, as cells from and to; where two come to one cell they merge."""
