"""Experiments: presets, training runs, their curves."""
