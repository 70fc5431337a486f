"""Matches between agents."""
