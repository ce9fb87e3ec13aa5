"""Continuous collision detection: impacts within a step, and the guard against tunnelling."""
