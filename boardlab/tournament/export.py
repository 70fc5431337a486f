"""The games of a journal for people and other programs: text in the manner of PGN with the game's own names of moves,
and SGF (FF[4]) for Hex and Othello."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from boardlab import __version__
from boardlab.engines.notation import COLOURS, PASS, Notation, notation_of
from boardlab.errors import BoardlabError
from boardlab.game import Game
from boardlab.position import Position
from boardlab.tournament.journal import PlayedGame
from boardlab.tournament.standings import ranks_of
from boardlab.tournament.starts import Start

__all__ = ["games_text", "replay", "require_sgf", "sgf_text"]

_SGF_GAMES = {"hex": 11, "othello": 2}
"""The numbers of games in SGF, and by that which games it has."""


def replay(game: Game, played: PlayedGame) -> Position:
    """The last position of a game, with its history."""
    position = Start(state=played.state).position(game)
    for code in played.codes:
        position.play_code(code)
    return position


def games_text(game: Game, games: Sequence[PlayedGame]) -> str:
    """All games, each as a head of tags and its moves by name; chance events stand in braces."""
    return "\n".join(_game_text(game, played) for played in games)


def _game_text(game: Game, played: PlayedGame) -> str:
    position = replay(game, played)
    tags = {
        "Game": game.spec,
        "Id": played.id,
        "Set": played.set,
        **{game.player_name(seat).capitalize(): name for seat, name in enumerate(played.seats)},
        "Result": _result(played),
        "Scores": " ".join(f"{score:g}" for score in played.scores),
    }
    if played.start:
        tags["StartPlies"] = str(played.start)
    if played.state:
        tags["StartState"] = played.state
    if played.forfeits:
        tags["Forfeit"] = "; ".join(f"{game.player_name(f.seat)}: {f.reason}" for f in played.forfeits)
    if played.adjudicated:
        tags["Termination"] = "adjudication"
    head = "".join(f'[{name} "{_quoted(value)}"]\n' for name, value in tags.items())
    moves = textwrap.fill(" ".join([*_moves(game, position), _result(played)]), 100, break_on_hyphens=False)
    return f"{head}\n{moves}\n"


def _moves(game: Game, position: Position) -> list[str]:
    """The events by their names, with a number before the first action of every round of the players."""
    found, actions = [], 0
    for event in position.history:
        if event.player is None:
            found.append(f"{{{game.outcome_name(event.number)}}}")
            continue
        if actions % game.num_players == 0:
            found.append(f"{actions // game.num_players + 1}.")
        found.append(game.action_name(event.number).replace(" ", "_"))
        actions += 1
    return found


def _result(played: PlayedGame) -> str:
    """As chess has it for two players; else the place of each."""
    if len(played.scores) == 2:
        one, other = ranks_of(played.scores)
        return "1/2-1/2" if one == other else "1-0" if one < other else "0-1"
    if len(played.scores) == 1:
        return f"{played.scores[0]:g}"
    return "-".join(str(rank + 1) for rank in ranks_of(played.scores))


def _quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ")


# ---------------------------------------------------------------- SGF


def require_sgf(game: Game) -> Notation:
    """The notation of a game that SGF has; others are refused."""
    notation = notation_of(game)
    if notation is None or notation.name not in _SGF_GAMES:
        raise BoardlabError(f"SGF is written for {' and '.join(_SGF_GAMES)}, not for {game.spec}; take .txt or .jsonl")
    return notation


def sgf_text(game: Game, games: Sequence[PlayedGame]) -> str:
    """All games as one collection of SGF."""
    notation = require_sgf(game)
    return "\n".join(_sgf(game, notation, played) for played in games) + "\n"


def _sgf(game: Game, notation: Notation, played: PlayedGame) -> str:
    root = {
        "FF": "4",
        "GM": str(_SGF_GAMES[notation.name]),
        "CA": "UTF-8",
        "AP": f"boardlab:{__version__}",
        "SZ": notation.board_size,
        "PB": played.seats[0],
        "PW": played.seats[1],
        "RE": _sgf_result(played),
        "GN": played.id,
    }
    if played.forfeits or played.adjudicated:
        root["GC"] = "; ".join(f.reason for f in played.forfeits) or "adjudicated by the solver"
    text = "".join(f"{name}[{_escaped(value)}]" for name, value in root.items())
    nodes = [f"(;{text}{_setup(game, notation, played)}"]
    for move in notation.moves(replay(game, played)):
        nodes.append(f";{COLOURS[move.player][0].upper()}[{_point(notation, move.vertex)}]")
    if nodes[-1].endswith("[]") and len(nodes) > 1:  # a turn that was still to come is no move
        nodes.pop()
    return "".join(nodes) + ")"


def _setup(game: Game, notation: Notation, played: PlayedGame) -> str:
    """The stones of a start that has no history, and of Othello's, which SGF does not know by itself."""
    start = Start(state=played.state).position(game)
    stones: dict[int, list[str]] = {0: [], 1: []}
    for cell, owner in notation.stones(start).items():
        stones[owner].append(f"[{_point(notation, game.action_name(cell))}]")
    text = "".join(f"A{COLOURS[owner][0].upper()}{''.join(found)}" for owner, found in stones.items() if found)
    return f"{text}PL[{COLOURS[start.player][0].upper()}]" if text else ""


def _point(notation: Notation, vertex: str) -> str:
    """A cell: `c5` in Hex, two letters (column, row) elsewhere; a pass is empty."""
    if vertex == PASS:
        return ""
    vertex = vertex.lower()
    return vertex if notation.name == "hex" else vertex[0] + chr(ord("a") + int(vertex[1:]) - 1)


def _sgf_result(played: PlayedGame) -> str:
    one, other = ranks_of(played.scores)
    if one == other:
        return "0"
    return f"{'B' if one < other else 'W'}+{'F' if played.forfeits else ''}"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("]", "\\]").replace(":", "\\:").replace("boardlab\\:", "boardlab:")
