"""Readings of a world and of a step: reports, energy totals, quantities by key; the auditor."""
