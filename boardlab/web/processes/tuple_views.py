"""What an n-tuple agent knows, taken apart for people: the weights behind one value, and its look-up tables.

Runs in the worker processes, where the agents are.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from boardlab.agents.base import Agent
from boardlab.agents.td_ntuple import TDNTuple
from boardlab.errors import BoardlabError
from boardlab.learn.values import activate
from boardlab.ntuple.indexing import make_board, set_up, variant_indices
from boardlab.position import Position
from boardlab.web.server.json_numbers import finite

__all__ = ["contributions", "table_rows"]


def contributions(agent: Agent, position: Position, player: int) -> dict[str, Any]:
    """The value that `player` gives to a position (an afterstate, or the position he is to move in), and for each tuple
    what it adds to the sum behind it: one weight for every symmetric board."""
    network, layout = _network(agent)
    learner, game = network.learner, agent.game
    cells = np.zeros(-(-game.num_cells // 8) * 8, np.int8)
    if learner.network.inversion:
        game.cells_of(position.state, player, cells)
    else:
        game.cells(position.state, cells)
    table = 0 if learner.table_sets == 1 else player
    found = learner.network.weights[table][_indices(network, cells)]
    by_tuple = found.reshape(-1, len(layout.tuples))
    total = float(found.sum(dtype=np.float64))
    value = (activate(learner.network.output, total) - learner.network.shift) / learner.network.scale
    return {
        "value": finite(value),
        "total": finite(total),
        "tuples": [
            {
                "index": k,
                "cells": list(layout.tuples[k]),
                "length": len(layout.tuples[k]),
                "contribution": finite(by_tuple[:, k].sum(dtype=np.float64)),
                "weights": [finite(w) for w in by_tuple[:, k]],
            }
            for k in range(len(layout.tuples))
        ],
    }


def table_rows(agent: Agent, player: int, number: int, offset: int, limit: int, order: str) -> dict[str, Any]:
    """A stretch of the look-up table of one tuple, in the order of the indices, or the heaviest weights first, or those
    that learning has moved most."""
    network, layout = _network(agent)
    learner = network.learner
    if number >= len(layout.tuples):
        raise BoardlabError(
            f"the agent has {len(layout.tuples)} tuples, so the last one has the number"
            f" {len(layout.tuples) - 1}, not {number}"
        )
    if player >= learner.table_sets:
        raise BoardlabError(
            f"the agent has {learner.table_sets} table sets, so the last one has the number"
            f" {learner.table_sets - 1}, not {player}"
        )
    start, size = layout.offsets[number], layout.sizes[number]
    weights = learner.network.weights[player, start : start + size]
    activity = _activity(learner, player, start, size)
    visited = (weights != 0) | (activity != 0)
    chosen = _ordered(order, weights, activity, offset, limit)
    symbols = agent.game.symbols
    rows = []
    for index in chosen.tolist():
        values = layout.pattern(number, index)
        shown = "".join(symbols[v] for v in values) if max(values, default=0) < len(symbols) else ""
        rows.append(
            {
                "index": index,
                "values": values,
                "text": shown or " ".join(map(str, values)),
                "weight": finite(weights[index]),
                "visited": bool(visited[index]),
            }
        )
    return {
        "size": size,
        "visited": int(visited.sum()),
        "players": learner.table_sets,
        "cells": list(layout.tuples[number]),
        "rows": rows,
    }


def _network(agent: Agent) -> tuple[TDNTuple, Any]:
    if not isinstance(agent, TDNTuple):
        raise BoardlabError(f"{agent.name} has no n-tuples")
    return agent, agent.learner.layout


def _indices(agent: TDNTuple, cells: NDArray[np.int8]) -> NDArray[np.int32]:
    """The look-up indices of a board: symmetry by symmetry, and, where cells are exchangeable, variant by variant."""
    structure = agent.learner.layout.structure
    if len(structure.pairs):
        board = make_board(agent.game, structure, 1)
        found = np.zeros(len(structure.base) << len(structure.pairs), np.int32)
        return found[: variant_indices(structure, board, cells, found)]
    index = np.zeros(len(structure.base), np.int32)
    set_up(structure, cells, np.zeros(len(structure.num_states), np.int32), index)
    return index


def _activity(learner: Any, player: int, start: int, size: int) -> NDArray[np.float32]:
    """How much learning has moved each weight: what temporal coherence sums up (A), else the weight itself."""
    first = learner.rule.first_memory()
    kept: NDArray[np.float32] = learner.network.weights[player, start : start + size]
    if first:
        kept = learner.network.memory[player, start : start + size, -1] - np.float32(first[-1])
    moved: NDArray[np.float32] = np.abs(kept)
    return moved


def _ordered(
    order: str, weights: NDArray[np.float32], activity: NDArray[np.float32], offset: int, limit: int
) -> NDArray[np.int64]:
    if order == "index":
        return np.arange(offset, min(offset + limit, len(weights)), dtype=np.int64)
    measure = np.abs(weights) if order == "weight" else activity
    return np.argsort(-measure, kind="stable")[offset : offset + limit]
