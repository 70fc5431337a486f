"""Solvers of single games: what theory or exhaustive search knows about them."""
