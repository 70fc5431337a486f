"""Sweeps: the folders that `boardlab sweep` and `boardlab reproduce` make, shown while they grow."""
