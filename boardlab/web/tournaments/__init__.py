"""Tournaments of agents: asked for, played in a process of their own, judged, and their games."""
