"""Positions taken apart: what agents think of them, and their fields for a form."""
