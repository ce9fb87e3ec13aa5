"""Observers of steps: traces, impacts."""
