"""OpenSpiel beside boardlab: which of its games are ours, and how it calls our actions.

`pyspiel` (the extra `open_spiel`) is imported when it is used. A `Twin` is one of our games and the same game there: it
takes a position to OpenSpiel's state, and a state to our position, by playing all moves of the one in the other.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

from boardlab.errors import BoardlabError
from boardlab.game import Game
from boardlab.position import Position
from boardlab.registry import make

__all__ = ["Twin", "installed_pyspiel", "is_installed", "same_game", "twin_of", "twin_of_theirs"]

_2048_ACTIONS = (3, 0, 1, 2)
"""OpenSpiel's numbers of left, up, right and down."""


_OF_NO_CONSEQUENCE = {
    *("egocentric_obs_tensor", "plain_obs_tensor", "string_rep"),
    *("utility_margin", "max_tile"),
}
"""Parameters of OpenSpiel's games that change what is seen, how a result is counted or how far a game goes on, but not
how it is played."""


def is_installed() -> bool:
    """Whether OpenSpiel is there."""
    return find_spec("pyspiel") is not None


def installed_pyspiel() -> Any:
    """OpenSpiel itself, or the sentence that says how it is installed."""
    try:
        import pyspiel
    except ImportError as error:
        raise BoardlabError("this needs pyspiel, which is not installed: pip install 'boardlab[open_spiel]'") from error
    return pyspiel


def same_game(game: Game) -> str | None:
    """How OpenSpiel calls this very game with these parameters; None where it has no such game, or refuses these
    parameters."""
    name = _name_of(game)
    return name if name is not None and (not is_installed() or _accepts(name)) else None


def _accepts(name: str) -> bool:
    pyspiel = installed_pyspiel()
    try:
        pyspiel.load_game(name).new_initial_state()
    except pyspiel.SpielError:
        return False
    return True


def _name_of(game: Game) -> str | None:
    name, settings = type(game).name, game.__dict__["settings"]
    if name == "tictactoe":
        return "tic_tac_toe"
    if name == "connect4":
        return f"connect_four(rows={settings['rows']},columns={settings['columns']})"
    if name == "othello" and settings["size"] == 8:
        return "othello"
    if name == "hex":
        return f"hex(board_size={settings['size']})"
    if name == "2048":
        return "2048(max_tile=131072)"
    if name == "dots":
        return f"dots_and_boxes(num_rows={settings['rows']},num_cols={settings['columns']},utility_margin=true)"
    if name == "nim" and settings["players"] == 2 and settings["heaps"] > 1:  # it reads a single heap as a number
        piles = ";".join([str(settings["stones"])] * settings["heaps"])
        return f"nim(pile_sizes={piles},is_misere=false)"
    return None


class Twin:
    """One of our games (`game`), the same game in OpenSpiel (`theirs`), and how the numbers of actions correspond."""

    passing: int | None = None
    """The action of OpenSpiel's that ours does not have: a pass, which is the only legal one where there is it."""

    def __init__(self, game: Game, theirs: Any) -> None:
        self.game, self.theirs = game, theirs
        self.kind = type(game).name
        if self.kind == "othello":
            self.passing = 64

    def to_theirs(self, action: int) -> int:
        """OpenSpiel's number of an action of ours."""
        if self.kind == "2048":
            return _2048_ACTIONS[action]
        if self.kind == "nim":
            heap, take = divmod(action, self.game.stones)  # type: ignore[attr-defined]
            return int(take * self.game.heaps + heap)  # type: ignore[attr-defined]
        return action

    def to_ours(self, action: int) -> int:
        """Our number of an action of OpenSpiel's."""
        if self.kind == "2048":
            return _2048_ACTIONS.index(action)
        if self.kind == "nim":
            take, heap = divmod(action, self.game.heaps)  # type: ignore[attr-defined]
            return int(heap * self.game.stones + take)  # type: ignore[attr-defined]
        return action

    def start(self) -> Any:
        """OpenSpiel's state at the start of the game."""
        return self.theirs.new_initial_state()

    def follow(self, state: Any, number: int, *, chance: bool) -> None:
        """Let an event of ours happen in OpenSpiel's state; passes go by themselves."""
        state.apply_action(number if chance else self.to_theirs(number))
        while self.passing is not None and not state.is_terminal() and state.legal_actions() == [self.passing]:
            state.apply_action(self.passing)

    def state_of(self, position: Position) -> Any:
        """OpenSpiel's state of a position, which has to come from the start of its game."""
        state = self.start()
        for event in position.history:
            self.follow(state, event.number, chance=event.player is None)
        theirs = {self.to_ours(action) for action in state.legal_actions()} if state.current_player() >= 0 else set()
        if not theirs or not theirs <= set(position.legal_actions):
            raise BoardlabError("OpenSpiel follows games from their start: it cannot play from a position set up")
        return state

    def position_of(self, state: Any) -> Position:
        """Our position of one of OpenSpiel's states."""
        position = self.game.start()
        for action in state.history():
            if position.is_chance:
                position.play_chance(int(action))
            elif action != self.passing:
                position.play(self.to_ours(int(action)))
        return position


def twin_of(game: Game) -> Twin | None:
    """The twin of one of our games; None where OpenSpiel has no such game. Its own games are their own twins."""
    own = game.__dict__.get("_theirs")
    if own is not None:
        return Twin(game, own)
    name = same_game(game)
    return Twin(game, installed_pyspiel().load_game(name)) if name is not None else None


def twin_of_theirs(theirs: Any) -> Twin | None:
    """The twin of one of OpenSpiel's games; None where we have no such game."""
    given = theirs.get_parameters()
    spec = _spec_of(theirs.get_type().short_name, given)
    try:
        twin = twin_of(make(spec)) if spec is not None else None
    except BoardlabError:  # a board that is too large for ours
        return None
    if twin is None:
        return None
    ours = twin.theirs.get_parameters()
    same = all(value == ours.get(name) for name, value in given.items() if name not in _OF_NO_CONSEQUENCE)
    return Twin(twin.game, theirs) if same else None


def _spec_of(name: str, given: dict[str, Any]) -> str | None:
    """Our specification of the game that OpenSpiel calls so, with these parameters."""
    if name == "tic_tac_toe":
        return "tictactoe"
    if name == "connect_four":
        return f"connect4:rows={given['rows']},columns={given['columns']}"
    if name == "hex":
        return f"hex:size={given['board_size']}"
    if name == "dots_and_boxes":
        return f"dots:rows={given['num_rows']},columns={given['num_cols']}"
    if name == "nim":
        piles = str(given["pile_sizes"]).split(";")
        return f"nim:heaps={len(piles)},stones={piles[0]}" if len(set(piles)) == 1 else None
    return {"othello": "othello", "2048": "2048"}.get(name)
