"""Any game of OpenSpiel with perfect information as a game of boardlab: `openspiel:breakthrough`, with OpenSpiel's own
parameters, as `openspiel:breakthrough:rows=6,columns=6`.

Its rules are C++ behind Python, so it does not compile: it can be played by people, at random, by searches (which then
run as plain Python) and by OpenSpiel's own bots, but not learned by compiled learners. A state is the list of all
actions and chance outcomes so far; OpenSpiel's states that belong to the last ones are kept.
"""

from __future__ import annotations

from collections import OrderedDict
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boardlab import drawing
from boardlab.compiler.fences import BrokenRule
from boardlab.components.component import parameters_of
from boardlab.engines.openspiel import installed_pyspiel
from boardlab.errors import BoardlabError, unknown_name
from boardlab.game import Game, State
from boardlab.parameters import parameter
from boardlab.registry import make
from boardlab.rng import make_rng, random_below

__all__ = ["OpenSpielGame", "openspiel_game_class"]

KEPT_STATES = 4000
NAMED_GAMES, NAMED_MOVES = 20, 5000
"""From so many random games, and so many moves of them at most, the names of actions are known."""
BUTTON = 88, 26


@cache
def openspiel_game_class(name: str) -> type[Game]:
    """The class of one of OpenSpiel's games, with its parameters."""
    types = {kind.short_name: kind for kind in installed_pyspiel().registered_games()}
    if name not in types:
        raise unknown_name("game of OpenSpiel", name, sorted(n for n, kind in types.items() if not _refusal(kind)))
    refusal = _refusal(types[name])
    if refusal:
        raise BoardlabError(f"openspiel:{name} {refusal}")
    declared = {
        key: parameter(value, doc="as OpenSpiel has it")
        for key, value in types[name].parameter_specification.items()
        if isinstance(value, int | float | str)
    }
    body = {
        "__doc__": f"{types[name].long_name}, by the rules of OpenSpiel.",
        "__module__": __name__,
        "name": f"openspiel:{name}",
        "title": types[name].long_name,
    }
    return type(f"OpenSpiel_{name}", (OpenSpielGame,), {**body, **declared})


def _refusal(kind: Any) -> str:
    """Why a game of OpenSpiel cannot be one of boardlab; empty where it can."""
    pyspiel = installed_pyspiel()
    if kind.dynamics != pyspiel.GameType.Dynamics.SEQUENTIAL:
        return "lets players move at the same time; here they move in turn"
    if kind.information != pyspiel.GameType.Information.PERFECT_INFORMATION:
        return "hides something from players; here all is seen by all"
    if kind.chance_mode == pyspiel.GameType.ChanceMode.SAMPLED_STOCHASTIC:
        return "does not tell how likely chance events are"
    return ""


class OpenSpielGame(Game):
    """Base class of OpenSpiel's games; `openspiel_game_class` derives one for each."""

    plain = True
    feature_modes = ("tensor",)

    def setup(self) -> None:
        pyspiel = installed_pyspiel()
        values = self.__dict__
        declared = parameters_of(type(self))
        changed = {key: value for key, value in values["settings"].items() if value != declared[key].default}
        try:
            theirs = pyspiel.load_game(type(self).name.partition(":")[2], changed)
            first = theirs.new_initial_state()
        except pyspiel.SpielError as error:
            reason = " ".join(str(error).split()).rpartition(".cc:")[2]
            raise BoardlabError(f"OpenSpiel refuses {type(self).name} with these parameters: {reason}") from error
        values["_theirs"], values["_kept"] = theirs, OrderedDict({b"": first})
        self.num_players = theirs.num_players()
        self.num_actions = theirs.num_distinct_actions()
        self.num_outcomes = theirs.max_chance_outcomes()
        self.max_moves = theirs.max_game_length()
        self.score_range = (float(theirs.min_utility()), float(theirs.max_utility()))
        longest = theirs.max_history_length()
        self.state = np.dtype([("events", np.int32, (longest,)), ("length", np.int32), ("player", np.int8)])

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return make, (self.spec,)

    # ------------------------------------------------------------ rules

    def reset(self, s: State) -> None:
        s.length = 0
        s.player = max(0, self.at(s).current_player())

    def legal_actions(self, s: State, actions: NDArray[np.int64]) -> int:
        legal = self.at(s).legal_actions()
        actions[: len(legal)] = legal
        return len(legal)

    def advance(self, s: State, action: int) -> None:
        state = self.at(s).child(int(action))
        s.events[int(s.length)] = action
        s.length = int(s.length) + 1
        s.player = max(0, state.current_player())  # chance and the end have numbers below 0
        self._keep(s, state)

    def is_chance(self, s: State) -> bool:
        return bool(self.at(s).is_chance_node())

    def chance_outcomes(self, s: State, outcomes: NDArray[np.int64], chances: NDArray[np.float64]) -> int:
        listed = self.at(s).chance_outcomes()
        if len(listed) > self.num_outcomes:
            raise BrokenRule(f"{self.spec} lists {len(listed)} chance outcomes, but says {self.num_outcomes} at most")
        for i, (outcome, chance) in enumerate(listed):
            outcomes[i], chances[i] = outcome, chance
        return len(listed)

    def advance_chance(self, s: State, outcome: int) -> None:
        self.advance(s, outcome)

    def is_over(self, s: State) -> bool:
        return bool(self.at(s).is_terminal())

    def scores(self, s: State, out: NDArray[np.float64]) -> None:
        out[:] = self.at(s).returns()

    def at(self, s: State) -> Any:
        """OpenSpiel's state of a record; it must stay as it is. Python only."""
        kept = self.__dict__["_kept"]
        key = s.events[: int(s.length)].tobytes()
        state = kept.get(key)
        if state is None:
            state = self.__dict__["_theirs"].new_initial_state()
            for event in s.events[: int(s.length)].tolist():
                state.apply_action(event)
            self._keep(s, state)
        return state

    def _keep(self, s: State, state: Any) -> None:
        kept = self.__dict__["_kept"]
        kept[s.events[: int(s.length)].tobytes()] = state
        if len(kept) > KEPT_STATES:
            kept.popitem(last=False)

    # ------------------------------------------------------------ the learner's view

    def num_features(self, mode: int) -> int:
        theirs = self.__dict__["_theirs"]
        seen = theirs.get_type().provides_observation_tensor
        return int(np.prod(theirs.observation_tensor_shape())) if seen else 0

    def features(self, s: State, mode: int, out: NDArray[np.float64]) -> None:
        """OpenSpiel's observation tensor of the player to move."""
        if self.num_features(mode):
            out[:] = self.at(s).observation_tensor(int(s.player))

    # ------------------------------------------------------------ the person's view

    def action_name(self, action: int) -> str:
        return self._names()[0].get(int(action), f"#{int(action)}")

    def parse_action(self, text: str) -> int:
        """A name that OpenSpiel has for the action, or its number after a #."""
        wanted = text.strip().lower()
        number = wanted.removeprefix("#")
        if number.isdecimal() and wanted.startswith("#") and int(number) < self.num_actions:
            return int(number)
        found = self._names()[1].get(wanted)
        if found is None:
            raise BoardlabError(
                f"{text.strip()!r} is no action of {self.title}; one looks like {self._example()}, or #0 by its number"
            )
        return found

    def _example(self) -> str:
        names = self._names()[0]
        return next(iter(names.values()), "#0")

    def _names(self) -> tuple[dict[int, str], dict[str, int]]:
        """The name of each action, and the action of each name, from random games that are always the same. OpenSpiel's
        names may depend on the position and on the player: the first player's count."""
        values = self.__dict__
        if "_named" not in values:
            seen: list[dict[int, set[str]]] = [{} for _ in range(self.num_players)]
            for number in range(NAMED_GAMES):
                self._collect_names(number, seen)
            names: dict[int, str] = {}
            actions: dict[str, int] = {}
            for of_player in seen:
                for action, variants in of_player.items():
                    for name in sorted(variants):
                        if actions.setdefault(name.lower(), action) == action:
                            names.setdefault(action, name)
            values["_named"] = names, actions
        named: tuple[dict[int, str], dict[str, int]] = values["_named"]
        return named

    def _collect_names(self, number: int, seen: list[dict[int, set[str]]]) -> None:
        state, rng = self.__dict__["_theirs"].new_initial_state(), make_rng(number)
        for _ in range(NAMED_MOVES // NAMED_GAMES):
            if state.is_terminal():
                return
            player, legal = state.current_player(), state.legal_actions()
            if player >= 0:
                for action in legal:
                    name = state.action_to_string(player, action).strip()
                    seen[player].setdefault(action, set()).add(name)
            state.apply_action(legal[random_below(rng, len(legal))])

    def describe(self, s: State) -> str:
        return str(self.at(s))

    def draw(self, s: State, last_action: int | None = None) -> str:
        """OpenSpiel's text, and below it a button for every legal action."""
        lines = self.describe(s).splitlines() or [""]
        state = self.at(s)
        legal = [] if state.is_chance_node() else state.legal_actions()
        wide, high = BUTTON
        width = max(6 * wide, 10 * max(len(line) for line in lines) + 24)
        across = int(width // wide)
        top = 20 * len(lines) + 16
        picture = drawing.Picture(width, top + -(-len(legal) // across) * high + 8, self.title)
        picture.rect(0, 0, picture.width, picture.height, drawing.PAPER, rx=6)
        for i, line in enumerate(lines):
            picture.text(12, 18 + 20 * i, line.replace(" ", "\u00a0"), 15, font_family="monospace", text_anchor="start")
        for i, action in enumerate(legal):
            row, column = divmod(i, across)
            x, y = column * wide + 4, top + row * high
            picture.rect(x, y, wide - 6, high - 4, drawing.BOARD, rx=5, action=action)
            picture.text(x + wide / 2 - 3, y + high / 2 - 2, self.action_name(action)[:14], 11)
        return picture.svg()
