"""Evaluators: named procedures that measure how strong an agent is. They are found by the registry."""
