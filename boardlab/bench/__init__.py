"""Measurements of speed, one module each; `boardlab bench` prints what they return."""
