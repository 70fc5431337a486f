"""Output functions of a network: sigma(f), its derivative, and the factor of the gradient that belongs to its loss."""

from __future__ import annotations

import math

import numpy as np

from boardlab.compiler import inlined
from boardlab.errors import BoardlabError

__all__ = ["IDENTITY", "LOGISTIC", "OUTPUTS", "TANH", "activate", "gain", "inverse", "slope"]

TANH, LOGISTIC, IDENTITY = 0, 1, 2
OUTPUTS = {"tanh": TANH, "logistic": LOGISTIC, "identity": IDENTITY}


@inlined
def activate(output: int, total: float) -> float:
    """The output function sigma of the network."""
    if output == TANH:
        return np.tanh(total)
    if output == LOGISTIC:
        return 1.0 / (1.0 + np.exp(-total))
    return total


@inlined
def slope(output: int, value: float) -> float:
    """The derivative of the output function, from its value."""
    if output == TANH:
        return 1.0 - value * value
    if output == LOGISTIC:
        return value * (1.0 - value)
    return 1.0


@inlined
def gain(output: int, value: float) -> float:
    """What the error is multiplied by in the gradient of the loss: the squared error, and for a logistic output the
    cross-entropy, whose gradient is free of the derivative."""
    if output == TANH:
        return 1.0 - value * value
    return 1.0


def inverse(output: int, value: float) -> float:
    """The total that has this value."""
    low, high = {TANH: (-1.0, 1.0), LOGISTIC: (0.0, 1.0), IDENTITY: (-math.inf, math.inf)}[output]
    if not low < value < high:
        raise BoardlabError("no weights promise the lowest or the highest score; take a start_value between them")
    if output == TANH:
        return math.atanh(value)
    return math.log(value / (1.0 - value)) if output == LOGISTIC else value
