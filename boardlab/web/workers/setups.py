"""Positions set up by hand, made in a worker process: the rules of somebody's game may fail on them, or never end."""

from __future__ import annotations

import base64
from collections import OrderedDict

import numpy as np

from boardlab.errors import BoardlabError
from boardlab.game import Game
from boardlab.web.server.models import Setup
from boardlab.web.workers.pool import WorkerPool

__all__ = ["SetupMaker"]

TRY_SECONDS = 10.0
"""How long the rules may take on a position that was set up by hand."""
_KEPT = 256


class SetupMaker:
    """Makes states of what a person has set up, and keeps some of them."""

    def __init__(self, workers: WorkerPool) -> None:
        self._workers = workers
        self._states: OrderedDict[tuple[str, Setup], bytes] = OrderedDict()

    async def state(self, game: Game, setup: Setup | None) -> np.void | None:
        """The state of a position that was set up by hand; None where nothing was."""
        if setup is None:
            return None
        key = (game.spec, setup)
        if key not in self._states:
            most = len(game.setup_values())
            if len(setup.values) != most:  # before it travels
                raise BoardlabError(f"a position of {game.title} has {most} places, not {len(setup.values)}")
            job = {"job": "set_up", "game": game.spec, "values": list(setup.values), "player": setup.player}
            made = await self._workers.run(job, TRY_SECONDS)
            self._states[key] = base64.b64decode(made["state"])
            while len(self._states) > _KEPT:
                self._states.popitem(last=False)
        self._states.move_to_end(key)
        state: np.void = np.frombuffer(self._states[key], game.state)[0]
        return state
