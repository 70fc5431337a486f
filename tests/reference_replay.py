"""The replay memory of the slow references: a plain list of transitions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from reference_network import Draws, Input

from boardlab.rng import random_below


@dataclass(frozen=True)
class Transition:
    """A position that learned, the reward that followed, and the positions that may come next: none at the end."""

    position: Input
    reward: float
    following: list[Input]
    chooser: int = 0
    """In self-play, who chooses among them."""


class Memories:
    """The last so many transitions. A new one takes the place of the oldest one."""

    def __init__(self, capacity: int) -> None:
        self.capacity, self.transitions, self.added = capacity, [], 0
        self.transitions: list[Transition]

    def add(self, transition: Transition) -> None:
        if self.capacity == 0:
            return
        if len(self.transitions) < self.capacity:
            self.transitions.append(transition)
        else:
            self.transitions[self.added % self.capacity] = transition
        self.added += 1

    def draw(self, number: int, draws: Draws) -> Iterator[Transition]:
        """So many of them, each drawn from all."""
        for _ in range(number if self.transitions else 0):
            assert draws.known, "it is not known which transitions the kernels drew"
            yield self.transitions[random_below(draws.rng, len(self.transitions))]
