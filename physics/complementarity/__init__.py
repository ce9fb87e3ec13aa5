"""Linear complementarity problems LCP(q, M): find z >= 0 with w = q + M z >= 0 and z.w = 0. Knows no bodies."""
