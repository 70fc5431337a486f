"""Eligibility: which weights an error moves, besides those of the newest position."""
