"""Complementarity problems without bodies: LCP(q, M), find z >= 0 with w = q + M z >= 0 and z.w = 0; friction on round cones."""

from physics.complementarity.friction_problem import FrictionSolution, solve_friction

__all__ = ["FrictionSolution", "solve_friction"]
