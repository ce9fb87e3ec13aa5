"""Compiled leaf layer: decorators, vector mathematics, record layouts. Imports nothing else of physics."""
