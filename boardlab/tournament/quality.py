"""Mistakes in the games of a tournament: every move of an agent held against perfect play, where a solver knows it
(`boardlab.matches.mistakes`)."""

from __future__ import annotations

from collections import defaultdict

from boardlab.errors import BoardlabError
from boardlab.matches.mistakes import PHASES, JudgedMove, MistakeCount, Values, by_phase, judged, remembered
from boardlab.solvers.judge import judge_of
from boardlab.tournament.journal import PlayedGame
from boardlab.tournament.result import TournamentResult
from boardlab.tournament.starts import Start

__all__ = ["mistakes_in_tournament"]


def mistakes_in_tournament(result: TournamentResult, values: Values | None = None) -> dict[str, list[MistakeCount]]:
    """The mistakes of each agent by phase and in all, in the order of the rating list. The plies of a start are
    nobody's moves. Moves that the solver does not know are left out, and so are agents without any other."""
    game, field = result.game, result.field
    known = remembered(values or judge_of(game).values)
    moves: dict[str, list[JudgedMove]] = defaultdict(list)
    for played in field.games:
        position = Start(state=played.state).position(game)
        for code in played.codes[: played.start]:
            position.play_code(code)
        for where, code in _by_phase(played):
            worth = known(position) if code >= 0 else None
            if worth is not None:
                moves[played.agents[position.player]].append(judged(where, code, worth, played.id))
            position.play_code(code)
    if not moves:
        raise BoardlabError(f"no solver knows a position of these games of {game.spec}, so no mistakes can be counted")
    found = {line.name: moves[field.keys[line.entrant]] for line in result.lines}
    return {name: by_phase(some, game.score_range) for name, some in found.items() if some}


def _by_phase(played: PlayedGame) -> list[tuple[str, int]]:
    """The events after the start, each with its third of the game, by actions."""
    codes = played.codes[played.start :]
    actions = sum(code >= 0 for code in codes)
    found, done = [], 0
    for code in codes:
        found.append((PHASES[min(2, 3 * done // max(1, actions))], code))
        done += code >= 0
    return found
