"""A planar chain of rigid links in generalised coordinates: an independent reference for worlds of bodies and joints."""

import numpy as np
from scipy.integrate import solve_ivp

G = 9.81


class PlanarChain:
    """A chain of links on hinges from a fixed point; angles theta from straight down.

    length, centre, mass, inertia (n,): of each link: its length, distance from hinge to centre, mass, inertia about the centre.
    Lagrange's equations, with d_ij = theta_i - theta_j:

        sum_j a_ij cos(d_ij) theta_j'' = -sum_j a_ij sin(d_ij) theta_j'^2 - g b_i sin(theta_i)
    """

    def __init__(self, length, centre, mass, inertia) -> None:
        length, centre, mass = (np.asarray(x, float) for x in (length, centre, mass))
        n = len(mass)
        reach = np.zeros((n, n))    # [k, i]: d x_k / d theta_i over cos theta_i
        for k in range(n):
            reach[k, :k] = length[:k]
            reach[k, k] = centre[k]
        self.a = (reach.T * mass) @ reach + np.diag(inertia)
        self.b = reach.T @ mass
        self.reach, self.mass = reach, mass

    def accelerations(self, theta, rate):
        delta = theta[:, None] - theta[None, :]
        return np.linalg.solve(self.a * np.cos(delta), -(self.a * np.sin(delta)) @ rate**2 - G * self.b * np.sin(theta))

    def swing(self, theta, rate, times, tolerance=1e-11):
        """Return theta (times, n) at those times [s]."""
        n = len(self.mass)
        found = solve_ivp(lambda _, y: np.concatenate([y[n:], self.accelerations(y[:n], y[n:])]), (0.0, max(times)),
                          np.concatenate([theta, rate]), "DOP853", times, rtol=tolerance, atol=tolerance)
        return found.y[:n].T
