"""Approximators: n-tuples, linear functions and perceptrons, for values of afterstates or of actions."""
