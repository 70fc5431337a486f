"""What an agent has learned, taken apart for people: the weights behind one value, its look-up tables, and the weights
of its features.

Runs in the worker processes, where the agents are. Each agent says itself what there is to see.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from boardlab.agents.base import Agent
from boardlab.agents.learning import LearningAgent
from boardlab.agents.tuple_views import Table, TupleViews
from boardlab.errors import BoardlabError
from boardlab.position import Position
from boardlab.web.server.json_numbers import finite

__all__ = ["contributions", "feature_weights", "table_rows", "tuple_list"]


def tuple_list(agent: Agent) -> dict[str, Any]:
    """The cells of all tuples and the number of table sets; no tuples where the agent has none."""
    views = agent.tuple_views() if isinstance(agent, LearningAgent) else None
    if views is None:
        return {"tuples": [], "players": 0}
    return {"tuples": [list(cells) for cells in views.tuples], "players": views.table_sets}


def feature_weights(agent: Agent) -> dict[str, Any]:
    """The weights of the features by their names; none where the agent has no features."""
    rows = agent.weight_table() if isinstance(agent, LearningAgent) else None
    return {"rows": [{"name": name, "weights": [finite(w) for w in weights]} for name, weights in rows or []]}


def contributions(agent: Agent, position: Position, player: int, action: int | None) -> dict[str, Any]:
    """The value that `player` gives to an action, or to the position he is to move in, and for each tuple what it adds
    to the sum behind it: one weight for every symmetric board."""
    views = _views(agent)
    look = views.look(position, player, action)
    return {
        "value": finite(look.value),
        "total": finite(look.total),
        "tuples": [
            {
                "index": k,
                "cells": list(cells),
                "length": len(cells),
                "contribution": finite(look.weights[:, k].sum(dtype=np.float64)),
                "weights": [finite(w) for w in look.weights[:, k]],
            }
            for k, cells in enumerate(views.tuples)
        ],
    }


def table_rows(agent: Agent, player: int, number: int, offset: int, limit: int, order: str) -> dict[str, Any]:
    """A stretch of the look-up table of one tuple, in the order of the indices, or the heaviest weights first, or those
    that learning has moved most."""
    views = _views(agent)
    _refuse_beyond(number, len(views.tuples), "tuples")
    _refuse_beyond(player, views.table_sets, "table sets")
    table = views.table(player, number)
    visited = (table.weights != 0) | (table.moved != 0)
    symbols = agent.game.symbols
    rows = []
    for index in _ordered(order, table, offset, limit).tolist():
        values = views.pattern(number, index)
        shown = "".join(symbols[v] for v in values) if max(values, default=0) < len(symbols) else ""
        rows.append(
            {
                "index": index,
                "values": values,
                "text": shown or " ".join(map(str, values)),
                "weight": finite(table.weights[index]),
                "visited": bool(visited[index]),
            }
        )
    return {
        "size": len(table.weights),
        "visited": int(visited.sum()),
        "players": views.table_sets,
        "cells": list(views.tuples[number]),
        "rows": rows,
    }


def _views(agent: Agent) -> TupleViews:
    views = agent.tuple_views() if isinstance(agent, LearningAgent) else None
    if views is None:
        raise BoardlabError(f"{agent.name} has no n-tuples")
    return views


def _refuse_beyond(number: int, count: int, what: str) -> None:
    if number >= count:
        raise BoardlabError(f"the agent has {count} {what}, so the last one has the number {count - 1}, not {number}")


def _ordered(order: str, table: Table, offset: int, limit: int) -> NDArray[np.int64]:
    if order == "index":
        return np.arange(offset, min(offset + limit, len(table.weights)), dtype=np.int64)
    measure = np.abs(table.weights) if order == "weight" else table.moved
    return np.argsort(-measure, kind="stable")[offset : offset + limit]
