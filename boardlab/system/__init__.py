"""The machine that we run on: `machine` (cores and memory), and child processes that end with us: `lifeline`; `child`
and `pipe` are the two sides of a process that talks with its parent.
"""
