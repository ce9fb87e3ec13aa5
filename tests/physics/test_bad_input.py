"""Bad input is one sentence at the call and changes nothing: common cases and hypothesis' examples."""

import copy
import inspect
import math

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import physics
from physics import (
    BadInput,
    Box,
    Capsule,
    Compound,
    Cone,
    Cylinder,
    Diverged,
    Ellipsoid,
    Friction,
    HeightField,
    Hull,
    Material,
    Motor,
    Plane,
    Sphere,
    TriangleMesh,
    World,
    set_option,
    solvers,
    step,
)
from physics.world import queries

DT = 1.0 / 240.0
CUBE = [(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)]


def room() -> World:
    """A floor, a box, a ball on a hinge, a kinematic plate; a material of its own."""
    world = World()
    world.add_body(Plane(), kind="static", name="floor")
    world.add_body(Box((0.1, 0.1, 0.1)), pos=(0, 0, 0.1), name="box", material=Material(name="oak"))
    ball = world.add_body(Sphere(0.1), pos=(1, 0, 1), name="ball")
    world.add_body(Box((1, 1, 0.1)), kind="kinematic", pos=(5, 0, 1), name="plate")
    world.add_joint("revolute", 0, ball, anchor=(1, 0, 1.5), axis=(0, 1, 0), name="hinge")
    return world


def all_of(world) -> tuple:
    """All that a person can see of a world but for the warnings."""
    return (world.bodies.tobytes(), world.shapes.tobytes(), world.joints.tobytes(), world.contacts.tobytes(),
            tuple(world.body_names), tuple(world.joint_names), world.gravity.tobytes(), world.margin, world.time, world.steps,
            frozenset(world.unchecked_bodies), repr(world.solver.options), type(world.solver), world.materials,
            world.pool is None, repr(world.sleeping), len(world.drivers))


def refused(world, call, *said):
    """The sentence of a call that must be refused."""
    before = all_of(world)
    with pytest.raises(BadInput) as error:
        call(world)
    sentence = str(error.value)
    assert "\n" not in sentence and all(word in sentence for word in said), sentence
    assert all_of(world) == before
    return sentence


# ---- what is taken


@pytest.mark.parametrize("half", [[0.1, 0.2, 0.3], np.array([0.1, 0.2, 0.3]), np.float32([0.1, 0.2, 0.3]), (0.1, 0.2, 0.3)])
@pytest.mark.parametrize("shape", [Box, Ellipsoid])
def test_sizes_are_taken_as_lists_and_arrays(shape, half):
    made = shape(half)
    assert isinstance(made.half, tuple) and made.half == pytest.approx((0.1, 0.2, 0.3), rel=1e-7)
    assert hash(made) is not None and made.volume() == pytest.approx(shape((0.1, 0.2, 0.3)).volume(), rel=1e-6)
    world = World()
    world.add_body(made)
    assert world.shapes["dims"][0] == pytest.approx((0.1, 0.2, 0.3), rel=1e-7)


@pytest.mark.parametrize("taken", [list, tuple, np.array, lambda v: np.array(v, np.float32),
                                   lambda v: [np.float64(x) for x in v]])
def test_triples_are_taken_as_lists_and_arrays_everywhere(taken):
    def build(world, t):
        body = world.add_body(Sphere(0.5), pos=t((1, 2, 3)), quat=t((1, 0, 0, 0)), vel=t((1, 0, 0)), omega=t((0, 1, 0)))
        one = world.add_body(Compound((Box(t((1, 1, 1))), t((0, 0, 4)))), inertia=t((1, 1, 1)), mass=2)
        world.set_gravity(t((0, 0, -1)))
        world.set_pose(body, t((0, 0, 8)), t((1, 0, 0, 0)))
        world.set_velocity(body, t((0, 0, 1)), t((1, 0, 0)))
        world.apply_force(body, t((0, 1, 0)), t((0, 0, 1)))
        world.apply_torque(body, t((0, 1, 0)))
        world.add_joint("universal", body, one, anchor=t((0, 0, 6)), axis=t((0, 0, 1)), across=t((1, 0, 0)))
        world.add_joint("revolute", 0, one, anchor=t((0, 0, 6)), limits=t((-1.0, 1.0)))
        return world

    plain, other = build(World(gravity=(0, 0, -2)), tuple), build(World(gravity=taken((0, 0, -2))), taken)
    for mine, theirs in ((plain.bodies, other.bodies), (plain.joints, other.joints)):
        assert all(np.array_equal(mine[f], theirs[f], equal_nan=True) for f in mine.dtype.names)


def test_bodies_and_joints_are_taken_by_name():
    world, twin = room(), room()
    for w, box, ball, hinge in ((world, "box", "ball", "hinge"), (twin, 2, 3, 0)):
        w.apply_force(box, (1, 0, 0))
        w.apply_torque(box, (1, 0, 0))
        w.set_velocity(ball, (1, 0, 0), (0, 0, 0))
        w.set_pose(box, (0, 0, 0.2), (1, 0, 0, 0))
        w.set_mass(box, 2.0)
        w.set_friction(0.3, box)
        w.set_restitution(0.1, box)
        w.set_filter(box, category=2)
        w.set_joint_friction(0.1, hinge)
        w.set_joint_limits(hinge, -1.0, 1.0)
        w.set_joint_motor(hinge, Motor(target=1.0, force=1.0))
        w.set_joint_strength(hinge, 1e3)
        w.add_joint("rod", box, ball, anchor=(0, 0, 0.2), anchor_b=(1, 0, 1))
        w.wake(box)
        w.remove_joint(hinge)
        w.remove_body(ball, with_joints=True)
        w.set_material(box, "oak")
    for mine, theirs in ((world.bodies, twin.bodies), (world.joints, twin.joints), (world.shapes, twin.shapes)):
        assert all(np.array_equal(mine[f], theirs[f], equal_nan=True) for f in mine.dtype.names)


# ---- what is refused, in one sentence


SENTENCES = {
    "a number for a box": (lambda w: Box(0.1), "half of a box", "0.1", "three"),
    "two numbers for an ellipsoid": (lambda w: Ellipsoid((1, 2)), "half of a ellipsoid", "three"),
    "a text for a box": (lambda w: Box("abc"), "half of a box", "three"),
    "nan in a box": (lambda w: w.add_body(Box((1, math.nan, 1)), name="b"), "'b'", "its box", "nan"),
    "a triple for a ball": (lambda w: w.add_body(Sphere((1, 1, 1))), "its sphere", "number"),
    "inf for a capsule": (lambda w: w.add_body(Capsule(0.1, math.inf)), "its capsule", "inf"),
    "none for a cylinder": (lambda w: w.add_body(Cylinder(None, 1)), "its cylinder", "None"),
    "a text for a cone": (lambda w: w.add_body(Cone("1", 1)), "its cone", "number"),
    "a hull in a plane": (lambda w: w.add_body(Hull([(0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0)])), "hull", "plane"),
    "a hull in almost a plane": (lambda w: w.add_body(Hull([(x, y, 3e-8 * x * y) for x in range(4) for y in range(3)])), "hull",
                                 "plane"),
    "a hull on a line": (lambda w: Hull([(k, k, k) for k in range(6)]).centre, "hull", "plane"),
    "a hull of one point": (lambda w: Hull([(1, 2, 3)] * 5).volume(), "hull"),
    "a hull of three points": (lambda w: Hull(CUBE[:3]).centre, "hull", "4 points"),
    "a hull of texts": (lambda w: Hull("abcd").dims, "hull", "numbers"),
    "a hull with nan": (lambda w: w.add_body(Hull([*CUBE, (math.nan, 0, 0)])), "hull", "finite"),
    "a mesh of nothing": (lambda w: TriangleMesh([], []), "triangle mesh"),
    "a field of one row": (lambda w: HeightField([[1, 2]]), "height field"),
    "a class for a shape": (lambda w: w.add_body(Box), "shape", "Box"),
    "a number for a shape": (lambda w: w.add_body(5, name="five"), "five", "unknown shape 5"),
    "a velocity for a static body": (lambda w: w.add_body(Plane(), kind="static", vel=(1, 0, 0), name="belt"), "belt", "static",
                                     "kinematic"),
    "a spin for a static body": (lambda w: w.add_body(Plane(), kind="static", omega=(1, 0, 0)), "static", "kinematic"),
    "a velocity given to a static body": (lambda w: w.set_velocity("floor", (1, 0, 0), (0, 0, 0)), "floor", "static"),
    "a force on a static body": (lambda w: w.apply_force("floor", (1, 0, 0)), "floor", "not dynamic"),
    "a force on nobody": (lambda w: w.apply_force("boxx", (1, 0, 0)), "boxx", "did you mean", "box"),
    "a force on a fraction": (lambda w: w.apply_force(1.5, (1, 0, 0)), "1.5", "index or its name"),
    "a force on none": (lambda w: w.apply_force(None, (1, 0, 0)), "None", "index or its name"),
    "a force on body -1": (lambda w: w.apply_force(-1, (1, 0, 0)), "there is no body -1"),
    "a force at a bad point": (lambda w: w.apply_force("box", (1, 0, 0), (1, 2)), "point", "three"),
    "texts for a force": (lambda w: w.apply_force("box", ("1", "2", "3")), "force", "three numbers"),
    "a number for a name": (lambda w: w.add_body(Sphere(1), name=5), "name", "5", "string"),
    "none for a name": (lambda w: w.add_body(Sphere(1), name=None), "name", "string"),
    "an array for a name": (lambda w: w.add_body(Sphere(1), name=np.zeros(3)), "name", "string"),
    "a number for a joint's name": (lambda w: w.add_joint("fixed", 0, "box", anchor=(0, 0, 0), name=7), "name", "7", "string"),
    "a number for a material's name": (lambda w: Material(name=3), "name", "3", "string"),
    "a list for a kind": (lambda w: w.add_body(Sphere(1), kind=["static"]), "kind", "dynamic"),
    "a number for a joint's kind": (lambda w: w.add_joint(5, 0, "box", anchor=(0, 0, 0)), "5"),
    "parallel pins": (lambda w: w.add_joint("universal", 0, "box", anchor=(0, 0, 0), axis=(1, 0, 0), axis_b=(0, 1, 0)), "axis_b",
                      "`across`"),
    "one limit": (lambda w: w.add_joint("revolute", 0, "box", anchor=(0, 0, 0), limits={"angle": 1.0}), "limits", "(lo, hi)"),
    "a number for a motor": (lambda w: w.set_joint_motor("hinge", 5), "hinge", "Motor"),
    "an axis by number": (lambda w: w.set_joint_limits("hinge", -1, 1, axis=1), "axis", "1"),
    "mixing by a text": (lambda w: Material(mixing="minimum"), "mixing"),
    "a list for a solver": (lambda w: w.use_solver(["soft_steps"]), "unknown solver"),
    "anything for a snapshot": (lambda w: w.restore(5), "Snapshot"),
    "gravity by a number": (lambda w: setattr(w, "gravity", -9.81), "gravity", "three"),
    "gravity by a text": (lambda w: setattr(w, "gravity", "down"), "gravity", "three"),
    "a margin below zero": (lambda w: setattr(w, "margin", -1.0), "margin"),
    "a text for collide": (lambda w: w.add_joint("fixed", 0, "box", anchor=(0, 0, 0), collide="no"), "collide", "true or false"),
    "more than a float holds": (lambda w: w.set_mass("box", 10**400), "mass"),
    "a step of a huge whole number": (lambda w: step(w, 10**400), "dt"),
    "a text for a step": (lambda w: step(w, "1/240"), "dt", "number"),
    "a step of nothing": (lambda w: step(w, 0.0), "dt"),
    "a step of something else": (lambda w: step(5, DT), "World"),
}


@pytest.mark.parametrize("case", SENTENCES)
def test_a_wrong_value_is_one_sentence_at_the_call(case):
    call, *said = SENTENCES[case]
    refused(room(), call, *said)


def test_a_sentence_is_not_longer_than_a_line_or_two():
    world = room()
    for wrong in (np.zeros((50, 50)), ["x" * 1000] * 20, "x" * 5000, {k: k for k in range(500)}):
        assert len(refused(world, lambda w, wrong=wrong: w.set_gravity(wrong), "gravity")) < 400


# ---- options


@pytest.mark.parametrize("name", solvers.available())
def test_options_are_checked_where_they_are_set(name):
    world = World()
    world.use_solver(name)
    options = world.solver.options
    for field in physics.fields(options):
        good, m = getattr(options, field.name), field.metadata
        wrong = [None, "nonsense", math.nan, [1], 10**400] + [x for x in (m["lo"] and m["lo"] - 1, m["hi"] and m["hi"] + 1) if x]
        for value in wrong:
            with pytest.raises(BadInput, match=field.name):
                setattr(options, field.name, value)
            with pytest.raises(BadInput, match=field.name):
                set_option(options, field.name, value)
            with pytest.raises(BadInput, match=field.name):
                type(options)(**{field.name: value})
        assert getattr(options, field.name) == good
        setattr(options, field.name, good)
    with pytest.raises(BadInput, match="unknown option 'iteration'"):
        options.iteration = 5
    with pytest.raises(BadInput, match="unknown option"):
        set_option(options, 5, 5)
    assert copy.copy(options) == options == copy.deepcopy(options)
    step(world, DT)


def test_the_ends_of_a_range_are_in_it():
    for solver in solvers.available().values():
        for field in physics.fields(solver().options):
            ends = [field.metadata[end] for end in ("lo", "hi") if field.metadata[end] is not None]
            for end in ends:
                options = solver().options
                set_option(options, field.name, end)
                assert getattr(options, field.name) == end, (field.name, end)


def test_options_of_sleeping_are_checked_where_they_are_set():
    world = World()
    for name, value in (("enabled", 1), ("delay", -1.0), ("delya", 1.0), ("speed", math.inf)):
        with pytest.raises(BadInput, match=name):
            setattr(world.sleeping, name, value)


def test_an_option_takes_the_numbers_of_numpy_as_its_own_type():
    options = World().solver.options
    options.iterations, options.tolerance, options.warm_start = np.int64(7), np.float32(0.5), np.bool_(False)
    assert type(options.iterations) is int and type(options.tolerance) is float and options.warm_start is False
    options.iterations = 8.0
    assert type(options.iterations) is int


# ---- whatever else

JUNK = st.one_of(
    st.none(), st.booleans(), st.integers(-3, 6), st.sampled_from([10**30, -10**400, 2**63]), st.floats(), st.text(max_size=4),
    st.sampled_from(["box", "ball", "hinge", "floor", "plate", "world", "oak", "revolute", "fixed", "slide", "angle", "static"]),
    st.binary(max_size=3), st.complex_numbers(), st.just(object()), st.just(Box), st.just(Box((1, 1, 1))), st.just(Plane()),
    st.just(Friction()), st.just(Motor()), st.just(Material()), st.just(Material), st.just(len), st.just(np.float64("nan")),
    st.lists(st.floats(-1e3, 1e3), min_size=3, max_size=4),
    st.lists(st.one_of(st.none(), st.text(max_size=2), st.floats()), max_size=4),
    st.sampled_from([np.zeros(3), np.zeros((3, 3)), np.array(["a", "b", "c"]), np.zeros(0), np.array(1.0),
                     np.eye(3, dtype=complex), np.array([None] * 3), np.ma.masked_array([1, 2, 3], [0, 1, 0]),
                     np.array([1, 2, 3], "M8[s]")]),
    st.dictionaries(st.sampled_from(["angle", "slide", "turn", "friction", ""]),
                    st.one_of(st.none(), st.floats(), st.text(max_size=2)), max_size=2),
    st.sets(st.integers(0, 3), max_size=3), st.tuples(st.floats(-2, 2), st.floats(-2, 2)))

SHAPES = (Box, Sphere, Capsule, Cylinder, Cone, Ellipsoid, Hull, TriangleMesh, HeightField, Compound, Material)
METHODS = tuple(name for name, _ in inspect.getmembers(World, inspect.isfunction) if not name.startswith("_") and name not in (
    "put_body", "put_joint", "mix_materials", "invalidate_layout", "refresh_after_edit", "snapshot"))
QUESTIONS = ("ray", "shape_cast", "closest", "overlap")


def called(function, data, first=()):
    """Call it with junk for all it wants, some of what it may have, now and then with something that is right."""
    good = {"anchor": (0.0, 0.0, 1.0), "shape": Sphere(0.2), "a": 0, "b": "box", "i": "box", "j": "hinge", "body": "box",
            "pos": (0.0, 0.0, 3.0), "kind": "revolute" if "anchor" in inspect.signature(function).parameters else "dynamic",
            "name": "", "quat": (1.0, 0.0, 0.0, 0.0), "vel": (0, 0, 0), "omega": (0, 0, 0), "force": (1, 0, 0)}
    args, named = list(first), {}
    for name, p in list(inspect.signature(function).parameters.items())[len(first):]:
        if p.kind in (p.VAR_KEYWORD, p.VAR_POSITIONAL):
            if p.kind is p.VAR_POSITIONAL:
                args += data.draw(st.lists(JUNK, max_size=2))
            continue
        if p.default is not p.empty and data.draw(st.integers(0, 3)) > 0:
            continue
        value = good[name] if name in good and data.draw(st.booleans()) else data.draw(JUNK)
        if p.kind is p.KEYWORD_ONLY or named:
            named[name] = value
        else:
            args.append(value)
    return function(*args, **named)


@pytest.mark.filterwarnings("ignore")
@settings(max_examples=250, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_calls_of_a_world_raise_only_bad_input_and_change_nothing(data):
    world = room()
    method = data.draw(st.sampled_from(METHODS))
    before = all_of(world)
    try:
        called(getattr(World, method), data, (world,))
    except BadInput as error:
        assert "\n" not in str(error) and str(error)
        assert all_of(world) == before
    try:
        step(world, DT)
    except (BadInput, Diverged) as error:
        assert "\n" not in str(error)


@pytest.mark.filterwarnings("ignore")
@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_shapes_and_materials_raise_only_bad_input(data):
    kind = data.draw(st.sampled_from(SHAPES))
    world = room()
    try:
        made = called(kind, data)
    except BadInput as error:
        assert "\n" not in str(error)
        return
    before = all_of(world)
    try:
        if kind is Material:
            world.add_body(Sphere(0.1), pos=(0, 0, 9), material=made)
        else:
            world.add_body(made, pos=(0, 0, 9), kind=data.draw(st.sampled_from(["dynamic", "static"])))
    except BadInput as error:
        assert "\n" not in str(error) and all_of(world) == before
        return
    step(world, DT)


@pytest.mark.filterwarnings("ignore")
@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_queries_raise_only_bad_input(data):
    try:
        called(getattr(queries, data.draw(st.sampled_from(QUESTIONS))), data, (ROOM,))
    except BadInput as error:
        assert "\n" not in str(error)


@pytest.mark.filterwarnings("ignore")
@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
@given(wrong=JUNK, gravity=st.booleans())
def test_worlds_and_steps_raise_only_bad_input(wrong, gravity):
    for call in (lambda: World(gravity=wrong), lambda: World(margin=wrong), lambda: step(room(), wrong), lambda: step(wrong, DT)):
        try:
            call()
        except (BadInput, Diverged) as error:
            assert "\n" not in str(error)


ROOM = room()
step(ROOM, DT)
