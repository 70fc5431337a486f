"""The machine that we run on: `machine` (cores and memory) and `lifeline` (child processes that end with us)."""
