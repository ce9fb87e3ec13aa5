"""Breakpoints: conditions that pause the simulation."""
