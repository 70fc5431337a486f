"""The last afterstates of every player, and the TD(lambda) update over them (Algorithm 7 of the FARL paper).

An afterstate is kept as the list of the weights that it activates. Several symmetric boards may activate the same
weight; it learns only once then (the set M of Algorithm 7), while the value counts it as often as it is hit: the first
of equal indices stays and counts them all, the others are sent to a spare weight behind the tables that nobody reads.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from boardlab.compiler import helper, inlined
from boardlab.compiler.bits import prefetch_row
from boardlab.learn.rules import Signal
from boardlab.learn.values import activate, slope
from boardlab.system.machine import own_zeros

__all__ = ["Trail", "adapt", "announce", "dot", "look_back", "make_signal", "make_trail", "push_afterstate"]


class Trail(NamedTuple):
    """N players, horizon H (places of a ring), K the most indices of a position."""

    indices: NDArray[np.int32]
    """Indices of the stored afterstates, repeated ones replaced by the spare index, shape (N, H, K)."""
    sizes: NDArray[np.int32]
    """How many they are, m * N_S, shape (N, H)."""
    times: NDArray[np.float32]
    """How often the newest afterstate hits each of its indices, 0 for a spare one, shape (N, K)."""
    gain: NDArray[np.float32]
    """Derivative of the output at the player's move after the afterstate, shape (N, H)."""
    head: NDArray[np.int64]
    """Place of the newest afterstate, shape (N,)."""
    length: NDArray[np.int64]
    """How many afterstates are stored; 0 before the player's first move, shape (N,)."""
    score: NDArray[np.float64]
    """The player's score when he was last rewarded, shape (N,)."""
    weights: NDArray[np.float32]
    """Work space: the weights that are being adapted, side by side, shape (K,)."""
    memory: NDArray[np.float32]
    """Work space: their step-size memory, shape (slots, K)."""


def make_trail(players: int, horizon: int, most_indices: int, slots: int) -> Trail:
    """Room for `horizon` afterstates of every player, for a step-size rule with so many slots."""
    return Trail(
        indices=own_zeros((players, horizon, most_indices), np.int32),
        sizes=own_zeros((players, horizon), np.int32),
        times=own_zeros((players, most_indices), np.float32),
        gain=own_zeros((players, horizon), np.float32),
        head=own_zeros(players, np.int64),
        length=own_zeros(players, np.int64),
        score=own_zeros(players, np.float64),
        weights=own_zeros(most_indices, np.float32),
        memory=own_zeros((slots, most_indices), np.float32),
    )


@inlined
def push_afterstate(trail: Any, player: int, indices: Any, count: int, num_tuples: int, spare: int) -> None:
    """Make the board with these indices the player's newest afterstate. Indices come symmetry by symmetry, so
    those of one tuple lie `num_tuples` apart, and only these can be equal."""
    horizon = trail.sizes.shape[1]
    place = (trail.head[player] + 1) % horizon
    trail.head[player] = place
    trail.length[player] = min(horizon, trail.length[player] + 1)
    trail.sizes[player, place] = count
    kept = trail.indices[player, place]
    times = trail.times[player]
    for k in range(count):
        kept[k] = indices[k]
        times[k] = 1.0
    for distance in range(num_tuples, count, num_tuples):
        if _any_equal(kept[distance:count], kept[: count - distance]):
            for later in range(distance, count, num_tuples):
                earlier = later - distance
                _merge(
                    kept[earlier : earlier + num_tuples],
                    times[earlier : earlier + num_tuples],
                    kept[later : later + num_tuples],
                    times[later : later + num_tuples],
                    spare,
                )


@inlined
def _any_equal(later: Any, earlier: Any) -> bool:
    """Whether any two boards so far apart share an index. Often none do; this form becomes vector instructions."""
    found = 0
    for k in range(len(later)):
        found |= later[k] == earlier[k]
    return found != 0


@inlined
def _merge(first: Any, first_times: Any, again: Any, again_times: Any, spare: int) -> None:
    """Count equal indices of two symmetric boards at the first of them. Written without branches, so that it
    becomes vector instructions; two spare indices are equal, too, but there is nothing to count."""
    zero = np.float32(0.0)
    for t in range(len(again)):
        same = first[t] == again[t]
        counted = again_times[t]
        first_times[t] += counted if same else zero
        again_times[t] = zero if same else counted
        again[t] = spare if same else again[t]


@inlined
def announce(trail: Any, memory: Any, player: int) -> None:
    """Fetch what the next adaptation of the player's newest afterstate will need."""
    place = trail.head[player]
    for k in range(trail.sizes[player, place]):
        prefetch_row(memory, trail.indices[player, place, k])


@helper
def adapt(
    rule: Any, network: Any, settings: Any, trail: Any, player: int, table: int, target: float, alpha: float
) -> None:
    """Adapt the player's newest afterstate, and with lambda > 0 those before it, towards the target. The weights
    are gathered, moved side by side (so that the compiler can use vector instructions) and put back."""
    weights = network.weights[table]
    place = trail.head[player]
    horizon = trail.sizes.shape[1]
    delta = np.float32(target - look_back(network, trail, player, table))
    decay = np.float32(1.0)
    for age in range(trail.length[player]):
        if age > 0:
            _gather(trail, weights, player, place)
        step = np.float32(alpha / trail.sizes[player, place]) if settings.divide_alpha else np.float32(alpha)
        e = trail.gain[player, place] * decay
        signal = make_signal(trail, settings, step, delta, trail.gain[player, trail.head[player]])
        _move(rule, trail, network.memory[table], weights, player, place, age, e, signal)
        decay *= settings.fade
        place = (place + horizon - 1) % horizon


@inlined
def look_back(network: Any, trail: Any, player: int, table: int) -> float:
    """The value of the player's newest afterstate. Its weights are gathered, and the derivative is kept: the horizon of
    later adaptations reaches back to this afterstate, whether it learns now or not."""
    place = trail.head[player]
    _gather(trail, network.weights[table], player, place)
    value = activate(network.output, dot(trail.times[player], trail.weights, trail.sizes[player, place]))
    trail.gain[player, place] = slope(network.output, value)
    return value


@inlined
def _gather(trail: Any, weights: Any, player: int, place: int) -> None:
    index = trail.indices[player, place]
    for k in range(trail.sizes[player, place]):
        trail.weights[k] = weights[np.uint64(index[k])]


@inlined
def dot(times: Any, values: Any, count: int) -> Any:
    """The network's sum: every weight as often as it is hit. Four partial sums, so that additions overlap."""
    zero = np.float32(0.0)
    a, b, c, d = zero, zero, zero, zero
    whole = count & ~3
    for k in range(0, whole, 4):
        a += times[k] * values[k]
        b += times[k + 1] * values[k + 1]
        c += times[k + 2] * values[k + 2]
        d += times[k + 3] * values[k + 3]
    for k in range(whole, count):
        a += times[k] * values[k]
    return (a + b) + (c + d)


@inlined
def make_signal(trail: Any, settings: Any, step: Any, delta: Any, slope: Any) -> Any:
    """What all weights of an update have in common."""
    zero = np.float32(0.0)
    return Signal(step, delta, np.float32(slope), np.float32(settings.gamma), zero, zero, trail.weights[:0])


@inlined
def _move(
    rule: Any, trail: Any, memory: Any, weights: Any, player: int, place: int, age: int, e: Any, signal: Any
) -> None:
    """Let the rule move the gathered weights of one stored afterstate, and put them back."""
    newest = np.float32(age == 0)
    index = trail.indices[player, place]
    count = trail.sizes[player, place]
    side, notes = trail.weights, trail.memory
    for k in range(count):
        i = np.uint64(index[k])
        for slot in range(rule.slots):
            notes[slot, k] = memory[i, slot]
    for k in range(count):
        rule.update(side, notes, k, e, newest * trail.times[player, k], signal)
    for k in range(count):
        i = np.uint64(index[k])
        weights[i] = side[k]
        for slot in range(rule.slots):
            memory[i, slot] = notes[slot, k]
