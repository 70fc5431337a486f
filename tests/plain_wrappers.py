"""The searches over an agent's values as the book says them: recursive, on `Position`s, without pruning or tables."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from itertools import pairwise

from boardlab import Position
from boardlab.agents.base import Agent
from boardlab.rng import Rng, random_below

Values = tuple[float, ...]


class PlainJudge:
    """What a position is worth to every player, by an agent that says what actions are worth to the player to move."""

    def __init__(self, agent: Agent, *, zero_sum: bool) -> None:
        self.agent, self.players, self.zero_sum = agent, agent.game.num_players, zero_sum

    def ratings(self, position: Position) -> dict[int, float]:
        low, high = self.agent.game.score_range
        values = self.agent.values(position)
        assert values is not None
        return {action: min(max(value, low), high) for action, value in values.items()}

    def judge(self, position: Position) -> Values:
        return tuple(self._ask(position, frozenset(), 0)[p] for p in range(self.players))

    def _ask(self, position: Position, asked: frozenset[int], length: int) -> dict[int, float]:
        """The values of all players who have not been asked: each at his own next turn, after the best actions of the
        others. After 4 events for each player the scores count."""
        others = [p for p in range(self.players) if p not in asked]
        if position.is_chance and length < 4 * self.players:
            total = dict.fromkeys(others, 0.0)
            for outcome, chance in position.chance_outcomes.items():
                found = self._ask(position.copy().play_chance(outcome), asked, length + 1)
                total = {p: total[p] + chance * found[p] for p in others}
            return total
        if position.is_over or length == 4 * self.players:
            return {p: position.scores[p] for p in others}
        ratings = self.ratings(position)
        best = max(ratings, key=lambda action: ratings[action])
        mover = position.player
        if self.zero_sum:
            return {mover: ratings[best], 1 - mover: -ratings[best]}
        found = {mover: ratings[best]} if mover in others else {}
        if asked | {mover} == frozenset(range(self.players)):
            return found
        return self._ask(position.copy().play(best), asked | {mover}, length + 1) | found


class PlainNPly:
    """Max-n and expectimax with a judge at the depth limit."""

    def __init__(self, judge: PlainJudge) -> None:
        self.judge = judge

    def values(self, position: Position, depth: int) -> dict[int, float]:
        player = position.player
        return {a: self._value(position.copy().play(a), depth - 1)[player] for a in position.legal_actions}

    def _value(self, position: Position, depth: int) -> Values:
        if position.is_chance:
            found = [
                (chance, self._value(position.copy().play_chance(outcome), depth))
                for outcome, chance in position.chance_outcomes.items()
            ]
            return tuple(sum(chance * value[p] for chance, value in found) for p in range(self.judge.players))
        if position.is_over:
            return tuple(position.scores)
        if depth == 0:
            return self.judge.judge(position)
        player = position.player
        children = [self._value(position.copy().play(a), depth - 1) for a in position.legal_actions]
        return max(children, key=lambda value: value[player])


@dataclass
class PlainNode:
    edge: int = -1
    rating: float = 0.0
    prior: float = 0.0
    visits: int = 0
    total: float = 0.0
    player: int | None = None
    children: list[PlainNode] = field(default_factory=list)

    @property
    def mean(self) -> float:
        return self.total / self.visits if self.visits else self.rating


class PlainPuct:
    """PUCT with the values of leaves, which takes the same random numbers as the kernel."""

    def __init__(self, judge: PlainJudge, exploration: float, temperature: float, rng: Rng, depth: int = 0) -> None:
        self.judge, self.exploration, self.temperature, self.rng = judge, exploration, temperature, rng
        self.depth = depth
        self.root = PlainNode()
        self.seen: list[float] = []

    def simulate(self, start: Position) -> None:
        position, path = start.copy(), [self.root]
        result: Values | None = None
        while True:
            node = path[-1]
            if not node.children:
                if position.is_chance and node.visits > 0:
                    self._add_children(node, dict.fromkeys(position.chance_outcomes, 0.0))
                elif position.is_chance or position.is_over:
                    break
                else:
                    ratings = self.judge.ratings(position)
                    result = self.judge.judge(position) if self.depth == 0 else None
                    self._add_children(node, {action: ratings[action] for action in position.legal_actions})
                    node.player = position.player
                    self._set_priors(node)
                    break
            path.append(self._follow(node, position))
        self._back_up(path, result or self._play_on(position))

    def _play_on(self, position: Position) -> Values:
        position.roll(self.rng)
        for _ in range(self.depth):
            if position.is_over:
                break
            legal = position.legal_actions
            position.play(legal[random_below(self.rng, len(legal))]).roll(self.rng)
        return tuple(position.scores) if position.is_over else self.judge.judge(position)

    def _add_children(self, node: PlainNode, edges: dict[int, float]) -> None:
        order = list(edges)
        for i in range(len(order)):
            k = i + random_below(self.rng, len(order) - i)
            order[i], order[k] = order[k], order[i]
        node.children = [PlainNode(edge, edges[edge]) for edge in order]

    def _set_priors(self, node: PlainNode) -> None:
        ratings = [child.rating for child in node.children]
        self.seen += ratings
        spread = max(ratings) - min(ratings)
        weights = [math.exp((r - max(ratings)) / (self.temperature * spread)) if spread else 1.0 for r in ratings]
        for child, weight in zip(node.children, weights, strict=True):
            child.prior = weight / sum(weights)

    def _follow(self, node: PlainNode, position: Position) -> PlainNode:
        if node.player is None:
            outcome = self.judge.agent.game.sample_chance(position.state, self.rng)
            position.play_chance(outcome)
            return next(child for child in node.children if child.edge == outcome)
        low, high = min(self.seen), max(self.seen)

        def bound(child: PlainNode) -> float:
            mean = (child.mean - low) / (high - low) if high > low else 0.0
            return mean + self.exploration * child.prior * math.sqrt(node.visits) / (1 + child.visits)

        best = max(node.children, key=bound)
        position.play(best.edge)
        return best

    def _back_up(self, path: list[PlainNode], result: Values) -> None:
        self.seen += result
        self.root.visits += 1
        for parent, child in pairwise(path):
            child.visits += 1
            if parent.player is not None:
                child.total += result[parent.player]
