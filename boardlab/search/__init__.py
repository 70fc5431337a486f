"""Game tree search, compiled for any game: max-n, alpha-beta, flat Monte Carlo and Monte Carlo tree search."""
