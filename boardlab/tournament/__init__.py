"""Tournaments: who is how strong, by as many games as it takes, for any game and any number of players."""
