"""Phase maps: away from the border the classes of the runs are those of the laws, which are computed here in another way.

Statics is decided by linear programming: whether any forces within the friction angles are in equilibrium (contacts at corners,
in the plane of motion). The swing of stick-slip is integrated numerically.
"""

import itertools
import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import linprog

import scenes
from app.analysis.studies.phase_map import outcome_of, plan
from app.build_scene import Choices
from physics.core.options import fields
from scenes import maps
from scenes.maps import cone_facets, ladder, painleve, tipping, wedge
from tests.helpers import ALL_TESTS
from tests.tools.each_value import each_value

G = 9.81
SOLVERS = ("sequential_impulses", "stewart_trinkle")
FACETS = {"cone_facets": 4}
"""The exact solver has a range of facets of its own, so it does not take over those of the scene."""
STEPS = (1.0 / 240.0, 1.0 / 400.0)


def balanced(columns, loads):
    """Whether some nonnegative multiples of the columns balance the loads (force, force, moment per body)."""
    found = linprog(np.zeros(len(columns)), A_eq=np.array(columns).T, b_eq=-np.array(loads), bounds=(0.0, None))
    return found.status == 0


def edges(point, normal, mu, centre):
    """The two edges of a friction angle in a plane as (fx, fz, moment about the centre)."""
    n, t = np.array(normal), np.array([normal[1], -normal[0]])
    arm = np.array(point) - np.array(centre)
    forces = [n + mu * t, n - mu * t]
    return [(f[0], f[1], arm[1] * f[0] - arm[0] * f[1]) for f in forces]


def law_of_tipping(p):
    """In the frame of the slope. If it does not stay: it keeps its attitude if it can slide with all friction used."""
    b, h, theta = tipping.HALF[0], tipping.HALF[2], math.radians(p.angle)
    weight = (G * math.sin(theta), -G * math.cos(theta), 0.0)
    if balanced([*edges((-b, 0.0), (0.0, 1.0), p.mu, (0.0, h)), *edges((b, 0.0), (0.0, 1.0), p.mu, (0.0, h))], weight):
        return "sticks"
    sliding = [(-p.mu, 1.0, -h * -p.mu - x) for x in (-b, b)]     # forces per normal force; the moment must vanish
    upright = balanced([(s[1], s[2]) for s in sliding], (weight[1], 0.0)) and math.tan(theta) > p.mu
    return "slides" if upright else "tips"


def law_of_ladder(p):
    theta, r = math.radians(p.angle), ladder.THIN
    wide, tall = ladder.LONG * math.cos(theta), ladder.LONG * math.sin(theta)
    centre = (0.5 * wide, r + 0.5 * tall)
    forces = [*edges((0.0, 0.0), (0.0, 1.0), p.mu, centre), *edges((wide + r, r + tall), (-1.0, 0.0), p.wall, centre)]
    return "sticks" if balanced(forces, (0.0, -G, 0.0)) else "slips"


def law_of_wedge(p):
    """Two bodies: wedge (x, z, moment) and load (z alone, the guide takes the rest)."""
    slope = math.radians(p.angle)
    long, tall = wedge.LONG, wedge.LONG * math.tan(slope)
    centre, normal = (long / 3.0, tall / 3.0), (-math.sin(slope), -math.cos(slope))
    columns = []
    for x in (0.0, long):
        columns += [(*force, 0.0) for force in edges((x, 0.0), (0.0, 1.0), p.mu, centre)]
    for x in wedge.LOADED:
        columns += [(*force, -force[1]) for force in edges((x, (long - x) * math.tan(slope)), normal, p.mu, centre)]
    return "sticks" if balanced(columns, (0.0, -wedge.MASS * G, 0.0, -wedge.LOAD * G)) else "slips"


def law_of_painleve(p):
    """Acceleration of the tip's normal per unit of normal force, from the equations of motion of the rod."""
    theta = math.radians(p.angle)
    tip = np.array([-painleve.HALF * math.cos(theta), -painleve.HALF * math.sin(theta) - painleve.THIN])
    force = np.array([p.mu, 1.0])       # friction towards +x, against the motion
    spin = (tip[1] * force[0] - tip[0] * force[1]) / painleve.INERTIA       # about y
    return "slides" if force[1] / painleve.MASS - spin * tip[0] > 0.0 else "no force solution"


def law_of_stick_slip(p):
    inertia, k = 2.0 / 3.0 * (0.40**2 + 0.05**2), 2.0

    def motion(t, y):
        return [y[1], (p.kinetic + p.viscous * (p.speed - y[1]) - k * y[0]) / inertia]

    def back(t, y):
        return y[1] - p.speed + 1e-9
    back.direction, back.terminal = 1.0, True
    found = solve_ivp(motion, (0.0, 6.0), [p.static / k, p.speed - 1e-8], events=back, rtol=1e-9, atol=1e-10)
    return "stick-slip" if len(found.t_events[0]) else "slides"


def law_of_cone_facets(p):
    """A push is held if it is a convex combination of the polygon's corners."""
    corners = 2.0 * math.pi * np.arange(p.facets) / p.facets
    phi = math.radians(p.angle)
    columns = [(math.cos(a), math.sin(a), 1.0) for a in corners] + [(0.0, 0.0, 1.0)]
    return "sticks" if balanced(columns, (-p.push * math.cos(phi), -p.push * math.sin(phi), -1.0)) else "slides"


LAWS = {"tipping": law_of_tipping, "ladder": law_of_ladder, "wedge": law_of_wedge, "painleve": law_of_painleve,
        "stick_slip": law_of_stick_slip, "cone_facets": law_of_cone_facets}


def probes(name, columns):
    """(point, class by the law) right beside the border, where the class is the same one cell further in all directions."""
    made, law = plan(name), LAWS[name]
    found = []
    for x in columns:
        known = {}

        def at(a, b, known=known):
            if (a, b) not in known:
                known[a, b] = law(made.parameters_at((a, b)))
            return known[a, b]
        column = [at(x, y) for y in range(65)]
        for y in np.flatnonzero([a != b for a, b in itertools.pairwise(column)]):
            for beside in (int(y) - 1, int(y) - 2, int(y) + 2, int(y) + 3):
                if 1 <= beside <= 63 and len({at(x + a, beside + b) for a, b in ((0, 0), (1, 0), (-1, 0), (0, 1), (0, -1))}) == 1:
                    found.append(((x, beside), column[beside]))
    return found


def test_every_map_has_a_law_here():
    assert set(LAWS) == set(maps.all_maps())


@pytest.mark.parametrize("name", sorted(LAWS))
def test_the_drawn_border_is_where_the_law_changes(name):
    """Between two points of the line's neighbourhood that have different classes, or on a vertical line."""
    made, known = plan(name), maps.find(name)
    for line in made.border(9):
        for x, y in line[np.isfinite(line).all(axis=1)][1:-1]:
            step = 1e-3 * (made.x.hi - made.x.lo), 1e-3 * (made.y.hi - made.y.lo)
            found = set()
            for dx, dy in ((0.0, step[1]), (0.0, -step[1]), (step[0], 0.0), (-step[0], 0.0)):
                parameters = made.parameters_at()
                setattr(parameters, known.x.name, x + dx)
                setattr(parameters, known.y.name, y + dy)
                found.add(LAWS[name](parameters))
            assert len(found) > 1, (name, x, y)


@each_value(solver="sequential_impulses")
@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("name", sorted(LAWS))
def test_runs_beside_the_border_end_as_the_law_says(name, solver):
    """Within one cell of 64 x 64, at two step sizes, under two solvers; without STICTION_ALL_TESTS the second solver and the
    long runs of stick-slip at one step size, and every other column under the second solver."""
    columns = (8, 32, 56) if name == "stick_slip" else (4, 14, 24, 34, 44, 54)
    beside = probes(name, columns if solver == SOLVERS[0] or ALL_TESTS else columns[::2])
    assert len(beside) >= 3 and len({outcome for _, outcome in beside}) >= 2
    wrong = []
    once = (name, solver) == ("stick_slip", SOLVERS[1]) or ((solver == SOLVERS[1] or name == "stick_slip") and not ALL_TESTS)
    for dt in STEPS[:1] if once else STEPS:
        made = plan(name, choices=Choices(solver, facets=FACETS.get(name)), dt=dt)
        for node, expected in beside:
            outcome, why = outcome_of(made, node)
            got = why or made.map.classes[outcome]
            if got != expected:
                wrong.append((dt, made.values(node), got, expected))
    assert not wrong


@pytest.mark.parametrize("name", sorted(LAWS))
def test_a_map_is_consistent(name):
    known = maps.find(name)
    scene = scenes.find(known.scene)
    options = {f.name: f for f in fields(scene.parameters)}
    for axis in (known.x, known.y):
        assert options[axis.name].metadata["lo"] <= axis.lo < axis.hi <= options[axis.name].metadata["hi"]
    assert known.source and known.law and known.law_text and len(known.classes) >= 2


def test_facets_other_than_four():
    parameters = cone_facets.Parameters(facets=6)
    (line,) = cone_facets.border(parameters, np.array([0.0, 30.0, 60.0, 75.0]))
    assert line[:3, 1] == pytest.approx([1.0, math.cos(math.pi / 6.0), 1.0])


def test_no_border_is_drawn_where_the_solver_contradicts_the_parameters():
    assert plan("cone_facets").border()
    for facets, drawn in ((4, True), (8, False)):
        made = plan("cone_facets", choices=Choices("stewart_trinkle", options=(("facets", facets),)))
        assert bool(made.border()) == drawn
