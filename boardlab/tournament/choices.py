"""The model behind the ratings: who comes first among players of given strengths, on given seats, with ties.

A game is a row of choices: among all players the winner is chosen, then the second among the others, and so on. In a
choice among the players R, the set T (one player, or several who share the place) has a probability proportional to

    tie(|T|) * product over T of exp((strength of t + advantage of the seat of t) / |T|)

This is the model of Plackett and Luce for ranks, with ties as Davidson 1970 has them, which Turner et al. 2020 extended
to ranks; with two players it is Bradley-Terry with draws and a seat advantage. The logarithm of the likelihood is
concave. It is maximised by Newton's method, all parameters at once.

The prior are games that nobody played: for each strength one against a player of strength 0, half won, half lost, and
the same for each seat and kind of tie. So a perfect score has a finite rating.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

__all__ = ["Choices", "Ranking", "fit"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_STEPS = 100


@dataclass(frozen=True)
class Ranking:
    """What a game says: who sat where, who came where, and which set of games it belongs to."""

    players: tuple[int, ...]
    """The entrant on each seat, by number."""
    ranks: tuple[int, ...]
    """The place of each seat; 0 is the best, equal numbers are ties."""
    unit: int
    """The number of the set. Sets are independent of each other, games of a set need not be."""
    seated: bool = True
    """Whether seats mean anything; not where everybody played alone."""


class Choices:
    """All choices of a list of games as arrays.

    `index` (S, b) has the parameters that a choice depends on, `design` (S, m, b) how much each of its alternatives
    depends on them, `possible` (S, m) which alternatives there are. `cell` (games,) and `unit` (games,) say which
    alternative was chosen, as choice * m + alternative, and in which set.
    """

    def __init__(self, rankings: Sequence[Ranking], entrants: int) -> None:
        self.entrants = entrants
        self.seats = max((len(r.players) for r in rankings if r.seated), default=1)
        self.ties = max((_widest_tie(r.ranks) for r in rankings), default=1)
        self.units = 1 + max((r.unit for r in rankings), default=-1)
        self.size = entrants + (self.seats - 1) + (self.ties - 1)
        """Parameters: the strengths, the advantages of all seats but the last, the ties of 2, 3, ... players."""
        stages: dict[tuple[tuple[int, int], ...], int] = {}
        chosen: list[tuple[int, tuple[int, ...], int]] = []
        for ranking in rankings:
            chosen += _chosen(ranking, stages)
        self._arrange([*stages], chosen)

    def _arrange(
        self, stages: list[tuple[tuple[int, int], ...]], chosen: list[tuple[int, tuple[int, ...], int]]
    ) -> None:
        """Lay the choices out as arrays, those of the prior after those of the games."""
        sizes = {len(stage) for stage in stages}
        alternatives = {n: _alternatives(n, self.ties) for n in sizes}
        self.played, priors = len(stages), self.size
        count = self.played + priors
        most = max([len(a) for a in alternatives.values()] + [2])
        self._tie_column = 2 * max([*sizes, 1])
        width = self._tie_column + self.ties - 1
        self.index = np.full((count, width), self.size, np.int64)
        self.design = np.zeros((count, most, width))
        self.possible = np.zeros((count, most), bool)
        for number, stage in enumerate(stages):
            self._arrange_stage(number, stage, alternatives[len(stage)])
        for parameter in range(priors):
            self.index[self.played + parameter, 0] = parameter
            self.design[self.played + parameter, 0, 0] = 1.0
            self.possible[self.played + parameter, :2] = True
        places = {n: {a: i for i, a in enumerate(found)} for n, found in alternatives.items()}
        self.cell = np.array([s * most + places[len(stages[s])][who] for s, who, _ in chosen], np.int64)
        self.unit = np.array([unit for _, _, unit in chosen], np.int64)

    def _arrange_stage(
        self, number: int, stage: tuple[tuple[int, int], ...], alternatives: list[tuple[int, ...]]
    ) -> None:
        """One choice: of each player its strength and its seat, then the ties of 2, 3, ... players."""
        for place, (entrant, seat) in enumerate(stage):
            self.index[number, 2 * place] = entrant
            if 0 <= seat < self.seats - 1:
                self.index[number, 2 * place + 1] = self.entrants + seat
        for tie in range(self.ties - 1):
            self.index[number, self._tie_column + tie] = self.entrants + self.seats - 1 + tie
        for i, who in enumerate(alternatives):
            self.possible[number, i] = True
            for place in who:
                self.design[number, i, 2 * place : 2 * place + 2] = 1.0 / len(who)
            if len(who) > 1:
                self.design[number, i, self._tie_column + len(who) - 2] = 1.0

    def counts(self, weights: Floats, prior: Floats) -> Floats:
        """How often each alternative was chosen, shape (S, m), where set u counts `weights[u]` times; `prior` (size, 2)
        are the games won and lost that nobody played, for each parameter."""
        shape = self.possible.shape
        found = np.bincount(self.cell, weights[self.unit], shape[0] * shape[1]).reshape(shape).astype(np.float64)
        found[self.played :, :2] = prior
        return found

    def probabilities(self, parameters: Floats) -> Floats:
        """Of each alternative, shape (S, m, n), for n rows of parameters (n, size)."""
        values = np.ascontiguousarray(np.pad(parameters, ((0, 0), (0, 1))).T)
        eta = np.matmul(self.design, values[self.index])
        np.copyto(eta, -np.inf, where=~self.possible[:, :, None])
        eta -= eta.max(axis=1, keepdims=True)
        odds: Floats = np.exp(eta, out=eta)
        odds /= odds.sum(axis=1, keepdims=True)
        return odds


class _Sums:
    """Adds up, for several rows at once, the numbers that belong to the same place."""

    def __init__(self, places: Ints, size: int) -> None:
        flat = places.ravel()
        self.order = np.argsort(flat, kind="stable")
        self.found, self.begins = np.unique(flat[self.order], return_index=True)
        self.size = size

    def __call__(self, numbers: Floats) -> Floats:
        """`numbers` (..., n) has those of n sums beside each other; returns (n, size)."""
        rows = numbers.shape[-1]
        total = np.zeros((self.size, rows))
        total[self.found] = np.add.reduceat(numbers.reshape(-1, rows)[self.order], self.begins, axis=0)
        return total.T


def fit(choices: Choices, counts: Floats, begin: Floats | None = None, accuracy: float = 1e-9) -> Floats:
    """The parameters that make the counted choices most likely: for counts (n, S, m) n rows of them, (n, size). All
    rows take Newton's steps together, each with a length of its own that makes its choices no less likely. Inside,
    arrays are (S, ..., n): what a choice does for all rows is one product of matrices."""
    n, size = len(counts), choices.size
    counts = np.ascontiguousarray(np.moveaxis(counts, 0, 2))
    parameters = np.zeros((n, size)) if begin is None else np.tile(begin, (n, 1))
    step_of = _newton(choices, counts)
    chances = choices.probabilities(parameters)
    likelihood = _log_likelihood(counts, chances)
    for _ in range(_STEPS):
        step = step_of(chances)
        length = np.ones(n)
        while True:
            better = parameters + length[:, None] * step
            chances = choices.probabilities(better)
            found = _log_likelihood(counts, chances)
            worse = (found < likelihood - 1e-12 * np.abs(likelihood)) & (length > 1e-6)
            if not worse.any():
                break
            length[worse] /= 2
        parameters, likelihood = better, found
        if np.max(np.abs(length[:, None] * step), initial=0.0) < accuracy:
            break
    return parameters


def _newton(choices: Choices, counts: Floats) -> Callable[[Floats], Floats]:
    """A function that tells the next step, (n, size), given the probabilities of all alternatives."""
    n, index, design = choices.size + 1, choices.index, choices.design.swapaxes(1, 2)
    one, other = np.triu_indices(index.shape[1])  # the curvature is symmetric
    squares = np.ascontiguousarray(design[:, one] * design[:, other])
    totals = counts.sum(axis=1, keepdims=True)
    observed = np.matmul(design, counts)
    gradients, curvatures = _Sums(index, n), _Sums(index[:, one] * n + index[:, other], n * n)
    mirrored = np.where(one == other, 0.5, 1.0)[:, None]

    def step(chances: Floats) -> Floats:
        mean = np.matmul(design, chances)
        second = np.matmul(squares, chances)
        second -= mean[:, one] * mean[:, other]
        second *= totals * mirrored
        gradient = gradients(observed - totals * mean)[:, :-1]
        half = curvatures(second).reshape(-1, n, n)[:, :-1, :-1]
        found = np.linalg.solve(half + half.swapaxes(1, 2) + 1e-12 * np.eye(n - 1), gradient[..., None])[..., 0]
        return found.astype(np.float64)

    return step


def _log_likelihood(counts: Floats, chances: Floats) -> Floats:
    found: Floats = np.sum(counts * np.log(np.maximum(chances, 1e-300)), axis=(0, 1))
    return found


def _chosen(ranking: Ranking, stages: dict[tuple[tuple[int, int], ...], int]) -> list[tuple[int, tuple[int, ...], int]]:
    """The choices of one game: number of the choice, places of those who were chosen, set. New choices get numbers."""
    found = []
    rest = [*range(len(ranking.players))]
    while len(rest) > 1:
        stage = tuple((ranking.players[s], s if ranking.seated else -1) for s in rest)
        best = min(ranking.ranks[s] for s in rest)
        winners = tuple(place for place, s in enumerate(rest) if ranking.ranks[s] == best)
        found.append((stages.setdefault(stage, len(stages)), winners, ranking.unit))
        rest = [s for s in rest if ranking.ranks[s] != best]
    return found


def _alternatives(players: int, ties: int) -> list[tuple[int, ...]]:
    """Who may have the first place among so many: one of them, or several, as many as ever shared a place."""
    return [who for n in range(1, min(players, ties) + 1) for who in combinations(range(players), n)]


def _widest_tie(ranks: tuple[int, ...]) -> int:
    return max(ranks.count(rank) for rank in ranks)
