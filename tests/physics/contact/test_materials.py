"""Materials: mixing rules, changes of values, refusals."""

import math

import numpy as np
import pytest

from physics import BadInput, Box, Compound, Material, Plane, Sphere, World, describe_pair, step

ICE = Material(friction=0.1, kinetic_friction=0.05, restitution=0.1, name="ice")
STEEL = Material(friction=0.6, kinetic_friction=0.45, restitution=0.6, rolling=1e-4, name="steel")
DT = 1.0 / 240.0


def pair(a, b, **more) -> World:
    """A box of material a on ground of material b."""
    world = World()
    world.add_body(Plane(), kind="static", material=b, name="ground")
    world.add_body(Box((0.2, 0.2, 0.2)), pos=(0.0, 0.0, 0.2), material=a, name="box", **more)
    return world


def mixed(world: World) -> tuple[float, float]:
    """Friction and restitution of the first contact after a step."""
    step(world, DT)
    return float(world.contacts["friction"][0]), float(world.contacts["restitution"][0])


RULES = {"arithmetic mean": lambda x, y: (x + y) / 2, "geometric mean": lambda x, y: math.sqrt(x * y), "minimum": min,
         "maximum": max, "product": lambda x, y: x * y}


@pytest.mark.parametrize("rule", RULES)
def test_rules_mix_friction_and_restitution(rule):
    mixing = {"friction": rule, "restitution": rule}
    world = pair(Material(friction=0.8, restitution=0.3, mixing=mixing), Material(friction=0.2, restitution=0.7))
    assert mixed(world) == pytest.approx((RULES[rule](0.2, 0.8), RULES[rule](0.3, 0.7)), rel=1e-15)
    assert rule in describe_pair(world, "box", "ground")


def test_of_two_rules_the_later_one_is_taken():
    one, two = Material(friction=0.8, mixing={"friction": "minimum"}), Material(friction=0.2, mixing={"friction": "maximum"})
    assert mixed(pair(one, two))[0] == mixed(pair(two, one))[0] == 0.8


def test_without_materials_the_defaults_apply():
    world = World()
    world.add_body(Plane(), kind="static", friction=0.8, restitution=0.3)
    world.add_body(Box((0.2, 0.2, 0.2)), pos=(0.0, 0.0, 0.2), friction=0.2)
    assert world.materials.plain
    assert mixed(world) == pytest.approx((0.4, 0.3), rel=1e-15)


def test_pair_values_override_rules_and_can_be_removed():
    world = pair(STEEL, ICE)
    world.set_pair("ice", "steel", friction=0.02, restitution=0.9)
    assert mixed(world) == (0.02, 0.9)
    assert "static friction 0.02: set for this pair" in describe_pair(world, "box", "ground")
    world.set_pair("steel", "ice", friction=None, restitution=None)
    assert mixed(world) == pytest.approx((math.sqrt(0.06), 0.6))


def test_body_values_override_their_material():
    world = pair(STEEL, ICE, friction=0.4)
    assert mixed(world)[0] == pytest.approx(math.sqrt(0.04))
    world.set_friction(0.9, world.body("box"))
    assert mixed(world)[0] == pytest.approx(math.sqrt(0.09))
    world.change_material("ice", friction=0.4, restitution=0.8)
    assert mixed(world) == pytest.approx((0.6, 0.8))
    world.set_material(world.body("box"), "ice")
    assert mixed(world) == pytest.approx((0.4, 0.8))


def test_equal_materials_are_one_and_pairs_see_every_combination():
    world = World()
    world.add_body(Plane(), kind="static")
    for i, material in enumerate((ICE, STEEL, ICE, Material(friction=0.3), Material(friction=0.9, restitution=0.2))):
        world.add_body(Box((0.2, 0.2, 0.2)), pos=(float(i), 0.0, 0.2), material=material)
    assert len(world.materials.items) == 3
    assert world.shapes["material"].tolist() == [0, 1, 2, 1, 0, 0]
    assert len(world.materials.pairs) == 6
    step(world, DT)
    for c in world.contacts:
        mu = math.sqrt(float(np.prod(world.shapes["friction"][[c["shape_a"], c["shape_b"]]])))
        assert c["friction"] == pytest.approx(mu)


def test_snapshots_keep_materials():
    world = pair(STEEL, ICE)
    world.set_pair("steel", "ice", friction=0.02)
    kept = world.snapshot()
    world.set_pair("steel", "ice", friction=0.5)
    world.change_material("ice", restitution=1.0)
    world.restore(kept)
    assert mixed(world) == (0.02, 0.6)
    other = World()
    other.restore(kept)
    assert mixed(other) == (0.02, 0.6)


def test_a_compound_has_one_material():
    world = World()
    shape = Compound((Box((0.1, 0.1, 0.1)), (0.0, 0.0, 0.0)), (Sphere(0.1), (0.3, 0.0, 0.0)))
    body = world.add_body(shape, material=STEEL)
    assert set(world.shapes["material"][world.shapes["body"] == body]) == {1}


def test_pair_descriptions_are_complete():
    world = pair(STEEL, Material(friction=0.5, anisotropy=0.2, surface_velocity=(1.0, 0.0, 0.0), adhesion=3.0))
    text = describe_pair(world, world.body("box"), "ground")
    for part in ("box (steel)", "ground (unnamed material)", "static friction 0.5477: geometric mean of 0.6 and 0.5",
                 "kinetic friction 0.4743", "rolling friction 0.0001 m: maximum", "adhesion 3 N: maximum of 0 and 3", "0.2 times",
                 "surface of ground moves"):
        assert part in text, part
    with pytest.raises(BadInput, match="no shape"):
        describe_pair(world, 0, 1)


@pytest.mark.parametrize("bad", [
    {"friction": -0.1}, {"friction": math.nan}, {"friction": math.inf}, {"friction": "high"}, {"kinetic_friction": -1.0},
    {"friction": 0.3, "kinetic_friction": 0.4}, {"restitution": 1.2}, {"restitution": -0.1}, {"tangential_restitution": 1.1},
    {"tangential_restitution": -1.1}, {"rolling": -1e-3}, {"rolling": math.nan}, {"torsional": -1.0}, {"adhesion": -1.0},
    {"anisotropy": 0.0}, {"anisotropy": math.nan}, {"axis": (0.0, 0.0, 0.0)}, {"axis": (1.0, 0.0)},
    {"surface_velocity": (math.nan, 0.0, 0.0)}, {"mixing": {"friction": "sum"}}, {"mixing": {"colour": "minimum"}},
    {"mixing": {"tangential_restitution": "geometric mean"}}])
def test_bad_materials_are_refused(bad):
    with pytest.raises(BadInput, match="material"):
        Material(**bad)


def test_a_refused_change_changes_nothing():
    world = pair(STEEL, ICE)
    before, shapes = world.materials, world.shapes.copy()
    for call in (lambda: world.add_body(Sphere(0.1), material=Material(friction=0.9, name="ice")),
                 lambda: world.add_body(Sphere(0.1), material="wood"), lambda: world.add_body(Sphere(0.1), material=0.3),
                 lambda: world.add_body(Sphere(0.1), friction=math.nan, material=Material(rolling=1.0)),
                 lambda: world.add_body(Sphere(-0.1), material=Material(rolling=1.0)),
                 lambda: world.set_material(1, "wood"), lambda: world.set_material(99, ICE),
                 lambda: world.change_material("wood", friction=0.1), lambda: world.change_material("ice", friction=-1.0),
                 lambda: world.change_material("ice", colour=1.0), lambda: world.change_material("ice", name="snow"),
                 lambda: world.set_pair("ice", "wood", friction=0.1), lambda: world.set_pair("ice", "steel", friction=-0.1),
                 lambda: world.set_pair("ice", "steel", colour=1.0),
                 lambda: world.set_pair("ice", "steel", friction=0.1, kinetic_friction=0.2),
                 lambda: world.set_pair(Material(name="new"), "wood", friction=0.1)):
        with pytest.raises(BadInput):
            call()
    assert world.materials is before and (world.shapes == shapes).all()


def test_too_many_materials_are_refused():
    world = World()
    with pytest.raises(BadInput, match="at most 200"):
        for i in range(300):
            world.set_pair(Material(name=f"m{i}"), Material(name=f"m{i}"), friction=0.1)


def test_very_strong_friction_is_allowed_with_a_warning():
    world = World()
    world.add_body(Sphere(0.1), friction=20.0, name="glue")
    assert any("body 'glue': friction = 20" in sentence for sentence in world.warnings)
    world.set_friction(11.0)
    assert len(world.warnings) == 2
