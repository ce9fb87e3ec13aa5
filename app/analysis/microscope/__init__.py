"""The inside of one step: sweeps, pivots, budgets."""
