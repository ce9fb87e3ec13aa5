"""Compilation of every kernel ahead of the first step."""
