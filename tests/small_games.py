"""Games of the tests' own, as a user would write them. In a module of their own, because the compiled code of a game
depends on all that its module can reach."""

from __future__ import annotations

import numpy as np

from boardlab.game import Game
from boardlab.search.evaluation import StaticEvaluation


class Harvest(Game):
    """Two players take one or two fruits in turn; of two, one goes to the other player. Nobody loses what the other
    wins, so it is not zero-sum."""

    name = "harvest"
    num_actions = 2
    fruits = 7
    max_moves = 7
    score_range = (0.0, 7.0)
    state = np.dtype([("left", np.int8), ("basket", np.int8, (2,)), ("player", np.int8)])

    def reset(self, s):
        s.left = self.fruits

    def legal_actions(self, s, actions):
        actions[0] = 0
        actions[1] = 1
        return min(2, int(s.left))

    def advance(self, s, action):
        player = int(s.player)
        s.basket[player] = int(s.basket[player]) + 1
        if action == 1:
            s.basket[1 - player] = int(s.basket[1 - player]) + 1
        s.left = int(s.left) - 1 - action
        s.player = 1 - player

    def is_over(self, s):
        return int(s.left) == 0

    def scores(self, s, out):
        out[:] = 0.0
        out[0] += int(s.basket[0])
        out[1] += int(s.basket[1])


class Dice(Game):
    """Three players, three turns each: 2 points for sure, or 0, 3 or 6 by chance. At the end the leaders get 5 more."""

    name = "dice"
    num_players = 3
    num_actions = 2
    num_outcomes = 3
    max_moves = 9
    score_range = (0.0, 23.0)
    state = np.dtype([("points", np.int8, (3,)), ("turn", np.int8), ("rolling", np.bool_)])

    def reset(self, s):
        s.turn = 0

    def player(self, s):
        return int(s.turn) % 3

    def legal_actions(self, s, actions):
        actions[0] = 0
        actions[1] = 1
        return 2

    def advance(self, s, action):
        if action == 1:
            s.rolling = True
        else:
            self.gain(s, 2)

    def gain(self, s, points):
        player = int(s.turn) % 3
        s.points[player] = int(s.points[player]) + points
        s.turn = int(s.turn) + 1
        s.rolling = False

    def is_chance(self, s):
        return bool(s.rolling)

    def chance_outcomes(self, s, outcomes, chances):
        outcomes[0], outcomes[1], outcomes[2] = 0, 1, 2
        chances[0], chances[1], chances[2] = 0.5, 0.25, 0.25
        return 3

    def advance_chance(self, s, outcome):
        self.gain(s, 3 * outcome)

    def is_over(self, s):
        return int(s.turn) == 9

    def scores(self, s, out):
        top = 0
        for p in range(3):
            top = max(top, int(s.points[p]))
        for p in range(3):
            out[p] = int(s.points[p])
            if int(s.turn) == 9 and int(s.points[p]) == top:
                out[p] += 5.0


class CellWeights(StaticEvaluation):
    """What the cells of Tic-tac-toe are worth; the weights are read at run time."""

    def __init__(self, weights):
        self.weights = np.asarray(weights, np.float64)

    def evaluate(self, game, s, out):
        total = 0.0
        for cell in range(9):
            total += self.weights[cell] * ((int(s.stones[0]) >> cell & 1) - (int(s.stones[1]) >> cell & 1))
        out[0] = total
        out[1] = -total
