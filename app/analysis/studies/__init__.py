"""Studies of many runs: convergence, cost, truth."""
