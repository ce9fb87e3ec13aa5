"""The law of a joint's friction from a motor log: torque against velocity, without a simulation. GL-free.

    tau = I q'' + g(q) + f(q'),    f(v) = sign(v) (F_k + (F_s - F_k) exp(-(v / v_s)^2) + mu r R) + c v            (1)

Samples that slip are equations. They are taken in blocks under a bump b that is zero at both ends, so that no measured velocity
is differentiated more than over a block; with sums over its samples of weights w = b dt, sum w = 1,

    sum w (tau - g) - I sum b (v_after - v_before) / 2 = sum w f(v)                                               (2)

A short block has more noise than a long one, by its length to the power -3/2 where that of the velocity prevails; so rows of (2)
are weighted by the noise that force and velocity have in the log.

Samples that stick only bound the static friction, from below: |tau - g| <= F_s. Where a stretch that sticks ends, the force from
the last sample at rest to the first that slips bounds it from above: F_s <= max |tau - g|; of a straight line through the samples
around, if they are one but for noise. Measured forces are allowed the noise that the largest of n samples has at 97.5 %, so the
bounds hold whatever n is.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from app.analysis.friction_fit.coordinates import coordinate, joint_place, turn_to
from app.analysis.friction_fit.fit_parameters import JOINT, FitParameter, law_with
from app.analysis.friction_fit.simulated_run import FittedExperiment
from app.i18n.message import message
from physics import BadInput, Friction
from physics.joints._settings import friction_of

MIN_REST = 4
"""Fewest samples of a stretch that sticks; a shorter one is a reversal."""

BLOCKS = 12
"""Blocks of a stretch that slips, at least, where it is long enough."""

MAX_BLOCK = 25
"""Most samples of a block."""

ANGLES = 241
"""Places at which the weight on the joint is computed."""

STIFF = 10.0
"""Weight of a violated bound, in units of the noise."""

WINDOWS = (1, 4, 16, 64)
"""Numbers of samples that stick of which means are taken."""

AROUND = (32, 16, 8)
"""Samples on each side of the moment at which a joint lets go that may be one line with it."""

STARTING = 2
"""Times as long as from the noise to rest's limit a joint may have moved within the noise before."""

SPURIOUS = 6.0
"""Velocities below so many times their noise count as rest."""


@dataclass(frozen=True, eq=False)
class MotorLog:
    """Samples (n,) of a joint: times [s], velocity [m/s], [rad/s], net: the force that friction balances, without inertia, tau -
    g [N], [N m]; load: reaction of the joint [N]; inertia: I, 0 where `net` is friction itself."""

    times: np.ndarray
    velocity: np.ndarray
    net: np.ndarray
    load: np.ndarray
    inertia: float


@dataclass(frozen=True, eq=False)
class Equations:
    """(2) and the bounds. speed, load (m,): of all samples in blocks; weight (m,): b; first (k,): where blocks begin; right
    (k,): left side of (2); scatter (k,): its noise, in units of their median; time (k,): of their middles; sticks: forces of
    samples that stick; breaks (breaks, 2): sizes that bound F_s from above, and their noise over that of a single force; rest:
    speed below which a sample sticks; noise: of a single force."""

    speed: np.ndarray
    load: np.ndarray
    weight: np.ndarray
    first: np.ndarray
    right: np.ndarray
    scatter: np.ndarray
    time: np.ndarray
    sticks: np.ndarray
    breaks: np.ndarray
    rest: float
    noise: float


def force_of(law: Friction, v: np.ndarray, load: np.ndarray) -> np.ndarray:
    """f of (1) at velocities v that are not zero."""
    dry = np.full(v.shape, law.kinetic)
    if law.stribeck > 0.0:
        dry += (law.static - law.kinetic) * np.exp(-((v / law.stribeck) ** 2))
    return np.sign(v) * (dry + law.load * law.radius * load) + law.viscous * v


def weight_on(experiment: FittedExperiment, position: np.ndarray | None) -> tuple[float, np.ndarray | float]:
    """(I, g at the measured positions) of the joint, with all other bodies where the scene puts them.

    Raises:
        BadInput: other joints carry its body, or gravity changes on its way and there is no position.
    """
    world, at = experiment.world(np.array([one.start for one in experiment.wanted]))
    space, k = joint_place(world, at)
    if (np.abs(np.delete(space.H[k], k)) > 1e-9 * space.H[k, k]).any():
        raise BadInput(message("the inertia of '{at}' couples it to other joints: fit the motion instead, with --method "
                               "trajectory", at=experiment.at))
    inertia, here = float(space.H[k, k]), float(space.g[k])
    span = np.array([0.0, 1.0]) if position is None else np.linspace(position.min(), position.max(), ANGLES)
    start, found, before = _read(world, experiment.at), np.empty(len(span)), 0.0
    for n, place in enumerate(span):
        change = place if position is None else place - start
        turn_to(world, at, change - before)
        before, found[n] = change, world.joint_space().g[k]
    if position is None:
        if abs(found[1] - here) > 1e-9 * max(abs(here), 1e-300):
            raise BadInput(message("gravity acts on '{at}' as it moves: the data need a column with its position",
                                   at=experiment.at))
        return inertia, here
    return inertia, np.interp(position, span, found)


def _read(world: object, key: str) -> float:
    from physics.observe import quantities

    return quantities.find(world, key).read(world)


def rest_speed(velocity: np.ndarray) -> float:
    """Speed below which a sample may be at rest: a multiple of the noise of the velocity, at least a trace of its range."""
    return max(SPURIOUS * noise_of([velocity]), 1e-6 * float(np.abs(velocity).max()))


def noise_of(series: Sequence[np.ndarray]) -> float:
    """Standard deviation of white noise on smooth series, from how they bend; leaps do not count. 0 without samples."""
    bends = joined([one[1:-1] - 0.5 * (one[2:] + one[:-2]) for one in series])
    return float(np.median(np.abs(bends))) / 0.6745 / np.sqrt(1.5) if len(bends) else 0.0


def equations(log: MotorLog, rest: float) -> Equations:
    """The equations and bounds of a log; rest: speed below which a sample sticks.

    Raises:
        BadInput: no sample slips and none sticks.
    """
    sign = np.where(np.abs(log.velocity) <= rest, 0, np.sign(log.velocity)).astype(int)
    usual = float(np.median(np.diff(log.times)))
    ends = np.flatnonzero((np.diff(sign) != 0) | (np.diff(log.times) > 5.0 * usual)) + 1
    stretches = list(zip((0, *ends.tolist()), (*ends.tolist(), len(sign))))
    blocks = [block for a, b in stretches if sign[a] for block in _blocks(log, a, b)]
    held = [_quiet(log, a, b, rest / SPURIOUS) for a, b in stretches if not sign[a] and b - a >= MIN_REST]
    held = [(a, b, end) for a, b, end in held if b - a >= MIN_REST]
    if not blocks and not held:
        raise BadInput(message("no stretch of the data slips or sticks for {min_rest} samples, with rest below {rest:.3g}: "
                               "sample faster, or set --rest-speed", min_rest=MIN_REST, rest=rest))
    stuck = [log.net[a:b] for a, b, _ in held]
    breaks = [_let_go(log.net, b - 1, end + 2, noise_of(stuck)) for _, b, end in held if end < len(sign) and sign[end]]
    first = np.cumsum([0, *(len(weight) for _, _, weight, _ in blocks)])[:-1].astype(int)
    index = joined([np.arange(a, b) for a, b, _, _ in blocks]).astype(int)
    return Equations(log.velocity[index], log.load[index], joined([weight for _, _, weight, _ in blocks]), first,
                     np.array([right for *_, right in blocks]), _scatter(log, blocks),
                     np.array([log.times[a:b].mean() for a, b, _, _ in blocks]), joined(stuck), np.reshape(breaks, (-1, 2)), rest,
                     noise_of(stuck))


def joined(parts: Sequence[np.ndarray]) -> np.ndarray:
    """Arrays one behind the other; none: an empty one."""
    return np.concatenate(parts) if parts else np.empty(0)


def _let_go(net: np.ndarray, a: int, b: int, noise: float) -> tuple[float, float]:
    """(largest size of the force in samples a .. b - 1, its noise over that of one)."""
    for more in AROUND:
        first, last = a - more, min(b, len(net)) + more
        if first < 0 or last > len(net) or noise <= 0.0:
            continue
        x = np.arange(first, last) - 0.5 * (first + last - 1)
        line = net[first:last].mean() + x * (x @ net[first:last] / (x @ x))
        off = np.abs(net[first:last] - line)
        if np.sqrt(np.mean(off**2)) < 1.2 * noise and off.max() < 5.0 * noise:
            k = more + int(np.argmax(np.abs(line[more:-more])))
            return float(abs(line[k])), float(np.sqrt(1.0 / len(x) + x[k] ** 2 / (x @ x)))
    return float(np.abs(net[a:b]).max()), 1.0


def _quiet(log: MotorLog, a: int, b: int, noise: float) -> tuple[int, int, int]:
    """(first, behind the last, b) of the part of a slow stretch that is certainly at rest: while it comes to rest or breaks away
    it is slower than the limit, too, and carries inertia. Speeds beyond the noise at its ends are no rest; nor are the samples
    before them, for which it may have moved already as slowly as the noise."""
    calm = a + np.flatnonzero(np.abs(log.velocity[a:b]) <= noise)
    return (b, b, b) if not len(calm) else (int(calm[0]) + 1, int(calm[-1]) - STARTING * (b - int(calm[-1])), b)


def _scatter(log: MotorLog, blocks: Sequence[tuple[int, int, np.ndarray, float]]) -> np.ndarray:
    """Noise of the left side of (2) of each block, in units of their median; 1 where there is none."""
    of_force, of_velocity = noise_of([log.net]), log.inertia * noise_of([log.velocity])
    found = np.array([math.hypot(of_force * np.linalg.norm(weight), of_velocity * _velocity_share(log.times[a:b]))
                      for a, b, weight, _ in blocks])
    usual = float(np.median(found)) if len(found) else 0.0
    return found / usual if usual > 0.0 else np.ones(len(found))


def _bump(t: np.ndarray) -> np.ndarray:
    return (t - t[0]) * (t[-1] - t)


def _velocity_share(t: np.ndarray) -> float:
    """Noise of sum b (v_after - v_before) / 2 of a block, by that of a velocity."""
    if len(t) < 3:
        return 0.0
    bump = _bump(t)
    of_each = 0.5 * (np.concatenate([[0.0, 0.0], bump[1:-1]]) - np.concatenate([bump[1:-1], [0.0, 0.0]]))
    return float(np.linalg.norm(of_each) / (bump @ np.gradient(t)))


def _blocks(log: MotorLog, a: int, b: int) -> list[tuple[int, int, np.ndarray, float]]:
    """(first sample, behind the last, b of (2), its left side) of the blocks of a stretch that slips, of a sample each where
    there is no inertia. The samples at its ends, where the velocity changes within a sample's time, are left out."""
    if log.inertia == 0.0:
        return [(n, n + 1, np.ones(1), float(log.net[n])) for n in range(a, b)]
    a, b = a + 1, b - 1
    size = max(3, min(MAX_BLOCK, (b - a) // BLOCKS))
    found = []
    for first in range(a, b - size + 1, size):
        t, part = log.times[first : first + size], slice(first, first + size)
        bump, v = _bump(t), log.velocity[part]
        weight = bump * np.gradient(t)
        change = 0.5 * bump[1:-1] @ (v[2:] - v[:-2])
        found.append((first, first + size, weight / weight.sum(),
                      float((weight @ log.net[part] - log.inertia * change) / weight.sum())))
    return found


def residuals_of(made: Equations, law: Friction, offset: float, sigma: float, spread: float) -> np.ndarray:
    """Rows of (2), then those of the two bounds, zero where they hold. sigma: noise of a single force; spread: of the rows."""
    rows = made.right - offset
    if len(made.first):
        rows = (np.add.reduceat(made.weight * force_of(law, made.speed, made.load), made.first) - rows) / made.scatter
    most, least = bounds(made, sigma)
    violated = np.array([max(0.0, most - abs(offset) - law.static), max(0.0, law.static - least - abs(offset))])
    return np.concatenate([rows, violated * STIFF * spread / sigma])


def bounds(made: Equations, sigma: float) -> tuple[float, float]:
    """(least, largest) static friction allowed by samples that stick or break loose [N], [N m]; 0 and inf without such samples.

    A mean of samples that stick is below F_s, too, and has less noise: of all means over WINDOWS the most informative one counts.
    """
    allowance = sigma * NormalDist().inv_cdf(1.0 - 0.025 / max(1, len(WINDOWS) * len(made.sticks) + len(made.breaks)))
    most = 0.0
    for count in WINDOWS:
        sums = np.concatenate([[0.0], np.cumsum(made.sticks)])
        means = np.abs(sums[count:] - sums[:-count]) / count
        most = max(most, float(means.max(initial=0.0)) - allowance / np.sqrt(count))
    return float(most), float(np.min(made.breaks[:, 0] + allowance * made.breaks[:, 1], initial=np.inf))


def law_at(law: Friction, wanted: Sequence[FitParameter], point: np.ndarray) -> tuple[Friction, float]:
    """(law, offset of the force) at a point."""
    terms = {one.term: float(value) for one, value in zip(wanted, point)}
    offset = terms.pop("offset", 0.0)
    return law_with(law, terms), offset


def law_before(experiment: FittedExperiment) -> Friction:
    """The joint's law in the scene."""
    world, _ = experiment.world(np.array([one.start for one in experiment.wanted]))
    return friction_of(world.joints[coordinate(world, experiment.at).joint], 0)


def check(wanted: Sequence[FitParameter], joint: int, has_load: bool) -> None:
    """Refuse parameters that a motor log does not show.

    Raises:
        BadInput: a parameter of something else, or of load without a column of the reaction.
    """
    for one in wanted:
        if one.name != "offset" and (one.belongs != JOINT or one.joint != joint):
            raise BadInput(message("--parameters {name}: a motor log shows the friction of its own joint alone: fit the motion "
                                   "instead, with --method trajectory", name=one.name))
        if one.term == "load" and not has_load:
            raise BadInput(message("--parameters {name}: the data need a column 'load [N]' with the reaction of the joint",
                                   name=one.name))
