"""Friction problems in local form: impulses r of contacts with dry friction, from W and q alone.

    (1) u = W r + q                                     u: velocities after the impulses, q: without them
    (2) u^ = u + mu |u_t| n,    K* contains u^,  u^ . r = 0,  r in K            K: |r_t| <= mu r_n, round

This is Coulomb's law in De Saxce's form (V. Acary, F. Cadoux, "Applications of an existence result for the Coulomb friction
problem", 2013). W = J M^-1 J^T is usually singular because supports are redundant. There may be several solutions or none.

Algorithms, each on the problem in scaled units (friction_scaled.py), all judged by friction_residual.py:

    sweeps      nonsmooth Gauss-Seidel with conjugate directions: linear in the blocks of W; most problems in milliseconds
    newton      semi-smooth Newton: dense systems; accurate near a solution, unreliable far from it
    interior    interior points with the friction term: some dozen dense systems, from any start
    lemke       on facets: exact in a plane, else a guess
    auto        sweeps; if these are slow, newton, then interior, each finished by newton; returns the best result
"""

from functools import partial
from typing import Any

import numpy as np

from physics.complementarity import friction_facets, friction_sweeps, problem
from physics.complementarity.friction_interior import interior
from physics.complementarity.friction_newton import NewtonVariant, newton
from physics.complementarity.friction_residual import residual
from physics.complementarity.friction_scaled import Scaled, scaled
from physics.core.check import BadInput

METHODS = ("auto", "sweeps", "newton", "interior", "lemke")
SMOOTH = (0.0, 1.0)
"""Epsilons of the interior-point method, tried in order (friction_interior.py, eq 1)."""
NEWTON_VARIANTS = (NewtonVariant(10.0, 1e-4, 8), NewtonVariant(100.0, 1e-4, 0), NewtonVariant(1.0, 1e-8, 0),
                   NewtonVariant(1.0, 1e-4, 8), NewtonVariant(100.0, 1e-2, 8),
                   NewtonVariant(10.0, 1e-2, 8), NewtonVariant(10.0, 1e-8, 8))
"""Variants of Newton's method, tried in order."""
MIN_SWEEP_GAIN = 0.1
"""Sweeps continue while a batch of them reduces the residual to this fraction or less."""
MAX_LEMKE_CONTACTS = 300
"""Maximum number of contacts in a plane for Lemke's algorithm."""
NEWTON_START_RESIDUAL = 1e-2
"""Newton's method is tried if the residual is below this."""


class FrictionSolution(tuple):
    """(impulses, residual), also as attributes; method: the one that found them, iterations: of that method.

    impulses: r, in the shape of q. residual: |r - P_K(r - u^)| / |q|, by friction_residual.py.
    """

    impulses: np.ndarray
    residual: float
    iterations: int
    method: str

    def __new__(cls, impulses: np.ndarray, residual: float, iterations: int, method: str) -> "FrictionSolution":
        made = super().__new__(cls, (impulses, residual))
        made.impulses, made.residual, made.iterations, made.method = impulses, residual, iterations, method
        return made

    def __repr__(self) -> str:
        return (f"FrictionSolution({len(np.ravel(self.impulses))} numbers, residual={self.residual:.1e}, "
                f"iterations={self.iterations}, method={self.method!r})")


def solve_friction(W: Any, q: Any, mu: Any, dim: int = 3, *, method: str = "auto", tolerance: float = 5e-9,
                   facets: int = 16) -> FrictionSolution:
    """Impulses of n contacts, eqs 1 and 2; per contact the normal comes first, then dim - 1 tangents.

    W: (n dim, n dim), dense or scipy-sparse, usually positive semi-definite, symmetric or not; q: (n dim,) or (n, dim);
    mu: (n,) or one number. tolerance: residual at which a method ends. facets: of `lemke`, in space. The best result is
    returned whatever its residual: a problem may have no solution. BadInput names what is wrong.
    """
    W, vector, mu, dim = _checked(W, q, mu, dim)
    if method not in METHODS:
        raise BadInput(f"unknown method = {method!r}; allowed: {', '.join(METHODS)}")
    if not isinstance(tolerance, float | int) or not tolerance > 0.0:
        raise BadInput(f"tolerance = {tolerance!r} must be a positive number")
    if isinstance(facets, bool) or not isinstance(facets, int | np.integer) or facets < 3:
        raise BadInput(f"facets = {facets!r} must be an integer, at least 3")
    search = _Search(W, vector, mu, dim, float(tolerance))
    if not search.done:
        with np.errstate(all="ignore"):         # results that overflow are judged no solution
            {"auto": search.auto, "sweeps": lambda: search.sweep(20000), "newton": lambda: search.newton(100),
             "interior": search.interior, "lemke": lambda: search.lemke(int(facets))}[method]()
    shape = np.shape(q)
    return FrictionSolution(search.best.reshape(shape), search.residual, search.iterations, search.method)


class _Search:
    """The best impulses so far, and the methods that search for better ones."""

    def __init__(self, W: Any, q: np.ndarray, mu: np.ndarray, dim: int, tolerance: float) -> None:
        self.W, self.q, self.mu, self.dim, self.tolerance = W, q, mu, dim, tolerance
        self.best, self.method, self.iterations = np.zeros(len(q)), "open", 0
        self.residual = residual(W, q, mu, self.best, dim)
        self.name, self.count = "", 0
        if not self.done:
            self.problem: Scaled = scaled(W, q, mu, dim)

    @property
    def done(self) -> bool:
        return self.residual <= self.tolerance

    def is_accepted(self, r: np.ndarray) -> bool:
        """Judge r in scaled units, keep it if it is the best; returns whether it is good enough. Counts as an iteration."""
        own = self.problem.given(r)
        missed = residual(self.W, self.q, self.mu, own, self.dim)
        if missed < self.residual:
            self.best, self.residual, self.method, self.iterations = own, missed, self.name, self.count
        self.count += 1
        return missed <= self.tolerance

    def auto(self) -> None:
        """Try one method after the other."""
        attempts = [lambda: self.sweep(400), partial(self.finish, NEWTON_VARIANTS[:2])]
        attempts += [partial(self.interior, SMOOTH[0]), self.finish]
        if self.dim == 2 and len(self.mu) <= MAX_LEMKE_CONTACTS:
            attempts.append(lambda: self.lemke(2))
        attempts += [lambda: self.sweep(3000), self.finish]
        for smooth in SMOOTH[1:]:
            attempts += [partial(self.interior, smooth), self.finish, lambda: self.sweep(5000), self.finish]
        for go in attempts:
            if self.done:
                return
            go()

    def finish(self, manners: tuple[NewtonVariant, ...] = NEWTON_VARIANTS) -> None:
        """Newton's method, if near a solution."""
        if self.residual < NEWTON_START_RESIDUAL:
            self.newton(30, manners)

    def sweep(self, most: int) -> None:
        """Nonsmooth Gauss-Seidel from the best so far; more than `most` sweeps if they converge fast."""
        self._begin("sweeps")
        p = self.problem
        n, dim = p.q.shape
        blocks, q = np.zeros((len(p.row), 3, 3)), np.zeros((n, 3))
        blocks[:, :dim, :dim], q[:, :dim] = p.blocks, p.q
        diagonal = p.first[:-1]
        if dim == 2:
            blocks[diagonal, 2, 2] = 1.0
        inverse = np.linalg.pinv(blocks[diagonal], rcond=1e-14)
        r, direction, change = np.zeros((n, 3)), np.zeros((n, 3)), np.zeros((n, 3))
        r[:, :dim] = p.own(self.best)
        go, part = np.zeros(1, np.int32), 10
        before = np.inf
        while self.count < most or (self.residual < MIN_SWEEP_GAIN * before and self.count < 4 * most):
            before = self.residual
            direction[:] = 0.0
            done, size = friction_sweeps.sweep(p.first, p.column, blocks, inverse, q, p.mu, direction, change, go, part, 1e-34, r)
            self.count += done - 1
            if self.is_accepted(np.ascontiguousarray(r[:, :dim])) or size <= 1e-34:
                return
            part = min(2 * part, 200)

    def newton(self, steps: int, manners: tuple[NewtonVariant, ...] = NEWTON_VARIANTS) -> None:
        """Semi-smooth Newton from the best so far, with one variant after the other."""
        for manner in manners:
            if not self.done:
                self._begin("newton")
                newton(self.problem, self.problem.own(self.best), steps, manner, self.is_accepted)

    def interior(self, smooth: float = 0.0) -> None:
        """Interior-point method."""
        self._begin("interior")
        interior(self.problem, 80, smooth, self.is_accepted)

    def lemke(self, facets: int) -> None:
        """Lemke's algorithm on facets."""
        self._begin("lemke")
        r, self.count = friction_facets.solve(self.problem, facets)
        self.is_accepted(r)

    def _begin(self, name: str) -> None:
        self.name, self.count = name, 0


def _checked(W: Any, q: Any, mu: Any, dim: Any) -> tuple[Any, np.ndarray, np.ndarray, int]:
    """(W, q (n dim,), mu (n,), dim); else BadInput."""
    if isinstance(dim, bool) or dim not in (2, 3):
        raise BadInput(f"dim = {dim!r} is not allowed; allowed: 2 (planar contacts) or 3 (spatial contacts)")
    dim, vector, mu = int(dim), problem.numbers("q", q), problem.numbers("mu", mu)
    if hasattr(W, "tocoo"):
        problem.numbers("W's numbers", W.tocoo().data)
    else:
        W = problem.numbers("W", W)
    if len(W.shape) != 2 or W.shape[0] != W.shape[1]:
        raise BadInput(f"W has the shape {W.shape}; it must be square, (n, n)")
    size = W.shape[0]
    if size % dim:
        raise BadInput(f"W has {size} rows; with dim = {dim} it must have {dim} for each contact")
    if vector.shape not in ((size,), (size // dim, dim)):
        raise BadInput(f"q has the shape {vector.shape}; beside W of the shape {W.shape} it must be ({size},)")
    if mu.shape not in ((1,), (size // dim,)):
        raise BadInput(f"mu has the shape {mu.shape}; for {size // dim} contacts it must be ({size // dim},), or one number")
    mu = np.broadcast_to(mu, (size // dim,))
    if np.any(mu < 0.0):
        i = int(np.argmin(mu))
        raise BadInput(f"mu[{i}] = {mu[i]} is not allowed; friction coefficients must be non-negative")
    return W, vector.reshape(size), np.ascontiguousarray(mu), dim
