"""Complementarity problem of a step (ST96): from constraint rows to (M, q), and from z back to impulses."""
