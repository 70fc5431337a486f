"""Agents as a user might write them, each with one mistake, and what `check_agent` says about it."""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from boardlab.agents.base import Agent
from boardlab.agents.learning import LearningAgent
from boardlab.agents.td_ntuple import TDNTuple
from boardlab.rng import make_rng, random_below


class Right(Agent):
    """Likes actions with a high number; no mistake."""

    name = "right"
    greedy = bounded = True

    def choose(self, position, rng):
        values = self.values(position)
        best = [a for a, v in values.items() if v == max(values.values())]
        return best[random_below(rng, len(best))]

    def values(self, position):
        return {action: action // 3 / 3 for action in position.legal_actions}


class Illegal(Right):
    """Plays the centre even if it is taken."""

    greedy = False

    def choose(self, position, rng):
        return 4


class Nowhere(Right):
    def choose(self, position, rng):
        return 9


class Silent(Right):
    def choose(self, position, rng):
        position.legal_actions.sort()


class Crashing(Right):
    greedy = False

    def choose(self, position, rng):
        return position.legal_actions[3]


class Playing(Right):
    """Plays on the very position that it is asked about."""

    def choose(self, position, rng):
        action = super().choose(position, rng)
        position.play(action)
        return action


class Changing(Right):
    """Takes a stone off the board while it thinks."""

    greedy = False

    def choose(self, position, rng):
        return position.legal_actions[0]

    def values(self, position):
        found = super().values(position)
        position.state.stones[0] = 0
        return found


class Seedless(Right):
    """Uses random numbers of its own."""

    greedy = False

    def choose(self, position, rng):
        return random.choice(position.legal_actions)


class Moody(Right):
    """Remembers how often it was asked."""

    asked = 0

    def choose(self, position, rng):
        self.asked += 1
        return position.legal_actions[self.asked % len(position.legal_actions)]


class Hasty(Right):
    """Draws one random number more every time."""

    asked = 0

    def choose(self, position, rng):
        self.asked += 1
        for _ in range(self.asked):
            random_below(rng, 2)
        return position.legal_actions[0]

    values = Agent.values


class Peeking(Right):
    """Plays otherwise once it has been looked at."""

    looked = False

    def choose(self, position, rng):
        return position.legal_actions[-1 if self.looked else 0]

    def values(self, position):
        self.looked = True
        return {action: 0.0 for action in position.legal_actions}


class Wavering(Right):
    """Thinks something else every time."""

    greedy = False
    times = 0

    def choose(self, position, rng):
        return position.legal_actions[0]

    def values(self, position):
        self.times += 1
        return {action: self.times * 1e-6 for action in position.legal_actions}


class NotFinite(Right):
    def choose(self, position, rng):
        return position.legal_actions[0]

    def values(self, position):
        return {action: 0.0 if action else float("nan") for action in position.legal_actions}


class Missing(Right):
    def choose(self, position, rng):
        return position.legal_actions[0]

    def values(self, position):
        return {action: 0.0 for action in position.legal_actions[1:]}


class Surplus(Right):
    def values(self, position):
        return dict.fromkeys(range(9), 0.0)

    def choose(self, position, rng):
        return position.legal_actions[0]


class Listing(Right):
    def values(self, position):
        return list(super().values(position).values())

    def choose(self, position, rng):
        return position.legal_actions[0]


class Boasting(Right):
    """Promises more than can be won."""

    def values(self, position):
        return {action: 1.5 + action for action in position.legal_actions}


class Timid(Right):
    """Does not play the best action."""

    def choose(self, position, rng):
        return position.legal_actions[0]


class Careless(Right):
    """Has no guard, because its methods are those of an object."""

    greedy = False

    def setup(self):
        self.choose = lambda position, rng: (position.legal_actions or [0])[0]


class Wordless(Right):
    """Refuses without a word."""

    @classmethod
    def refusal(cls, game):
        return "" if game.name == "2048" else None


class Rigid(Right):
    """Cannot be made of its own spec."""

    @property
    def spec(self):
        return "random:depth=2"


class Shared(Right):
    """Its bytes are those of the position only until it is copied."""

    greedy = False

    def setup(self):
        self.states = np.zeros(1, self.game.state)
        self.data = self.states.view(np.uint8)

    def choose(self, position, rng):
        self.states[0] = position.state
        return position.legal_actions[int(self.data.sum()) % len(position.legal_actions)]


SENTENCES: dict[type[Agent], str] = {
    Illegal: "choose played b2 (action 4), which is not legal; legal: ",
    Nowhere: "choose played action 9, which is not legal; legal: a1, b1, c1",
    Silent: "choose returned None, which is no action",
    Crashing: "choose of right failed: choose (wrong_agents.py, line ",
    Playing: "choose played on the position that it was asked about; it must take a copy()",
    Changing: "values changed the state of the position (field 'stones'); take a copy()",
    Seedless: "; all chance must come from rng",
    Moody: "with the same random numbers; all chance must come from rng",
    Hasty: "choose draws differently many random numbers when it is asked again",
    Peeking: "after values was asked: a look must change nothing",
    Wavering: "values gives other numbers when it is asked again",
    NotFinite: "the value of a1 (action 0) is nan",
    Missing: "values has no number for the legal a1 (action 0)",
    Surplus: "which is not legal",
    Listing: "not a dict of numbers by action, or None",
    Boasting: "but bounded promises scores within the game's score_range -1 to 1",
    Timid: "choose plays a1 (action 0) of value 0, but a3 (action 6) has 0.666667, and greedy promises to play",
    Careless: "choose answers 0 in a finished game; it must refuse",
    Shared: "in a copy (copy.deepcopy) with the same random numbers",
    Wordless: "refusal(Game2048()) must be None or a sentence in one line, not ''",
}


# ------------------------------------------------------------ learners


class Forgetful(TDNTuple):
    """Leaves some weights out when it is loaded."""

    @classmethod
    def restored(cls, game, parameters, facts, array):
        def other(name: str, *more: Any) -> np.ndarray:
            found = array(name, *more)
            return np.where(found < 0, np.float32(0.0), found) if name == "weights0" else found

        return super().restored(game, parameters, facts, other)


class Reseeded(TDNTuple):
    """Begins its random numbers anew when it is loaded."""

    @classmethod
    def restored(cls, *given: Any) -> Any:
        agent = super().restored(*given)
        agent.loaded = True
        return agent

    def dump(self):
        facts, arrays = super().dump()
        return facts, {**arrays, "rng": make_rng(1)[None, :]}  # what differs does not show


class Idle(TDNTuple):
    """Learns less than it is told."""

    def train(self, episodes, threads=1):
        return super().train(episodes - 1, threads)


class Fragile(TDNTuple):
    """Cannot be trained by two threads."""

    def train(self, episodes, threads=1):
        return super().train(episodes // (2 - threads), threads)


class Changed(TDNTuple):
    """Has other parameters when it is loaded."""

    @classmethod
    def restored(cls, game, parameters, facts, array):
        return super().restored(game, {**parameters, "alpha": 0.25}, facts, array)


class Uncopied(TDNTuple):
    """Holds something that cannot be copied."""

    def setup(self):
        super().setup()
        self.file = open(__file__, "rb")  # noqa: SIM115


LEARNERS: dict[type[LearningAgent], str] = {
    Forgetful: "when an agent is saved and loaded, the array ",
    Reseeded: "20 episodes, save, load and 20 more, compared with 40 at once: the array ",
    Idle: "after train(40) the number of episodes is 39, not 40",
    Fragile: "failed: train (wrong_agents.py, line ",
    Changed: "the parameters of an agent that was saved and loaded are other ones",
    Uncopied: "cannot be copied (copy.deepcopy): TypeError",
}
