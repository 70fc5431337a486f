"""Leagues of agents, which play while the machine is idle, and the ladder of people."""
