"""Eligibility as a sparse trace vector: one trace for each weight that was active in the episode, per player.

Section 3.2.2 and Algorithm 1 of Thill 2015. A trace fades by gamma * lambda with every move of the player; the weights
of a new afterstate add their gradient to it (accumulating traces, ET) or replace it (REP). RES clears all traces of the
player on a random move. Only the traces that are not zero are touched.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from boardlab.compiler import helper
from boardlab.learn.trail import dot, make_signal
from boardlab.learn.values import activate, slope
from boardlab.system.machine import own_zeros

__all__ = ["Traces", "adapt_traces", "add_trace", "clear_traces", "make_traces"]


class Traces(NamedTuple):
    """N players. With the horizon method nothing of this is used, and all sizes are 0."""

    trace: NDArray[np.float32]
    """Eligibility of every weight, shape (N, weights)."""
    active: NDArray[np.int32]
    """Indices of the traces that are not 0, shape (N, room)."""
    sizes: NDArray[np.int64]
    """How many they are, shape (N,)."""
    e: NDArray[np.float32]
    """Work space: the traces of the weights that are being adapted, shape (K,)."""


def make_traces(players: int, weights: int, most_indices: int, max_moves: int, used: bool) -> Traces:
    """Traces for every weight, or no room at all where they are not used."""
    if not used:
        weights, most_indices, max_moves = 0, 0, 0
    return Traces(
        trace=own_zeros((players, weights), np.float32),
        active=own_zeros((players, min(weights, most_indices * max_moves)), np.int32),
        sizes=own_zeros(players, np.int64),
        e=own_zeros(most_indices, np.float32),
    )


@helper
def clear_traces(traces: Any, player: int) -> None:
    """Set all traces of a player to 0."""
    for k in range(traces.sizes[player]):
        traces.trace[player, traces.active[player, k]] = 0.0
    traces.sizes[player] = 0


@helper
def add_trace(network: Any, settings: Any, trail: Any, traces: Any, player: int, table: int) -> None:
    """Fade the traces of a player and add the gradient of his newest afterstate."""
    trace = traces.trace[player]
    active = traces.active[player]
    kept = 0
    for k in range(traces.sizes[player]):
        i = active[k]
        trace[i] *= settings.fade
        if trace[i] != 0.0:  # what has faded to nothing leaves the list, so that nothing is listed twice
            active[kept] = i
            kept += 1
    traces.sizes[player] = kept
    place = trail.head[player]
    index = trail.indices[player, place]
    times = trail.times[player]
    count = trail.sizes[player, place]
    weights = network.weights[table]
    for k in range(count):
        trail.weights[k] = weights[index[k]]
    gain = np.float32(slope(network.output, activate(network.output, dot(times, trail.weights, count))))
    for k in range(count):
        if times[k] > 0.0:
            i = index[k]
            if trace[i] == 0.0 and gain > 0.0:
                active[traces.sizes[player]] = i
                traces.sizes[player] += 1
            old = np.float32(0.0) if settings.replace_traces else trace[i]
            trace[i] = old + gain * times[k]


@helper
def adapt_traces(
    rule: Any,
    network: Any,
    settings: Any,
    trail: Any,
    traces: Any,
    player: int,
    table: int,
    target: float,
    alpha: float,
) -> None:
    """Adapt the player's newest afterstate towards the target, and every weight by its trace."""
    weights = network.weights[table]
    memory = network.memory[table]
    place = trail.head[player]
    count = trail.sizes[player, place]
    for k in range(count):
        trail.weights[k] = weights[trail.indices[player, place, k]]
    value = activate(network.output, dot(trail.times[player], trail.weights, count))
    delta = np.float32(target - value)
    step = np.float32(alpha / count) if settings.divide_alpha else np.float32(alpha)
    room = len(trail.weights)
    signal = make_signal(trail, settings, step, delta, slope(network.output, value))
    for first in range(0, traces.sizes[player], room):
        n = min(room, traces.sizes[player] - first)
        for k in range(n):
            i = traces.active[player, first + k]
            traces.e[k] = traces.trace[player, i]
            trail.weights[k] = weights[i]
            for slot in range(rule.slots):
                trail.memory[slot, k] = memory[i, slot]
        for k in range(n):
            rule.update(trail.weights, trail.memory, k, traces.e[k], np.float32(0.0), signal)
        for k in range(n):
            i = traces.active[player, first + k]
            weights[i] = trail.weights[k]
            for slot in range(rule.slots):
                memory[i, slot] = trail.memory[slot, k]
