"""Step-size rules: how far each weight moves. `base` says what a rule is and finds them by name; each other module has
one rule, or a family of them (docs/rules.md)."""

from boardlab.learn.rules.base import (
    Signal,
    StepSizeRule,
    make_rule,
    offer_rule,
    refusal,
    rule_class,
    rule_classes,
    rule_names,
)
from boardlab.learn.rules.coherence import TemporalCoherence
from boardlab.learn.rules.plain import Plain

__all__ = [
    "Plain",
    "Signal",
    "StepSizeRule",
    "TemporalCoherence",
    "make_rule",
    "offer_rule",
    "refusal",
    "rule_class",
    "rule_classes",
    "rule_names",
]
