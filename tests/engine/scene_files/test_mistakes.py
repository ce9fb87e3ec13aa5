"""Mistaken and hostile scene files: every mistake with its line and path, nothing hangs, nothing is run, nothing else is read."""

import json
import os
import random

import numpy as np
import pytest

import scenes
from app import cli
from app.engine.scene_files import scene_file
from app.engine.scene_files.scene_file import SceneContext
from app.engine.scene_files.text import MAX_BYTES, line_of, lines_of
from physics import BadInput, step

WRONG = '''\
# a comment
format = 1
titel = "x"
scene = "dor"
[world]
gravity = [0, 0, "down"]
dt = 5.0
[solver]
name = "sequential_impulses"
[solver.options]
iterations = 50.5
[[materials]]
name = "steel"
friction = -1
[[bodies]]
name = "a"
kind = "dynamic"
mass = -1.0
masss = 2
shapes = [
    {kind = "box", half = [0.1, 0.1]},
    {kind = "ball", radius = 1},
    {kind = "sphere", radius = true},
]
[[bodies]]
name = "b"
kind = "dynamic"
pos = [nan, 0, 1]
[[bodies]]
name = "c"
kind = "dynamic"
[[bodies]]
name = "d"
kind = "dynamic"
shapes = [{kind = "sphere", radius = 0.1}]
[[bodies]]
name = "d"
kind = "dynamic"
shapes = [{kind = "sphere", radius = 0.1, material = "steel"}]
[[joints]]
name = "hinge"
kind = "revolute"
a = "world"
b = "d"
point = [0, 0, 0]
limits = {angle = {lower = 2.0, upper = 1.0}}
[[joints]]
name = "to a wrong body"
kind = "fixed"
a = "world"
b = "a"
point = [0, 0, 0]
[[joints]]
name = "to nobody"
kind = "fixed"
a = "world"
b = "e"
point = [0, 0, 0]
'''

TOLD = """\
3: titel is unknown; did you mean 'title' or 'state'?: remove it, or correct the name
4: scene: unknown scene 'dor'; did you mean door? (run `stiction scenes` to list all); without the lines scene, parameters and \
drivers it opens nevertheless
6: world.gravity.2 = 'down': it must be one number
7: world.dt = 5.0: it must be at most 1.0
11: solver.options.iterations = 50.5: it must be a whole number
14: materials.0.friction = -1: it must be at least 0.0
18: bodies.0.mass = -1.0: it must be more than 0.0
19: bodies.0.masss is unknown; did you mean 'mass'?: remove it, or correct the name
21: bodies.0.shapes.0.half = [0.1, 0.1]: it must be of at least 3 elements, not 2
22: bodies.0.shapes.1.kind = 'ball' is unknown; allowed: 'box', 'capsule', 'cone', 'cylinder', 'ellipsoid', 'height_field', \
'hull', 'plane', 'sphere', 'triangle_mesh'
23: bodies.0.shapes.2.radius = True: it must be one number
28: bodies.1.pos.0 = nan: it must be a finite number
29: bodies.2: body 'c' has no shape: specify its mass and inertia
37: bodies.4.name = 'd': bodies.3 has this name: choose another one
40: joints.0: joint 'hinge': the lower limit of angle, 2 rad, exceeds the upper limit, 1 rad
53: joints.2: there is no body 'e'; there are: world, d"""

pytestmark = pytest.mark.usefixtures("no_compilation")


def mistakes(text):
    return scene_file.examined(text.encode() if isinstance(text, str) else text, "x.toml")[1]


def body(*lines):
    return "\n".join(["format = 1", "[[bodies]]", 'name = "a"', 'kind = "dynamic"', *lines])


BALL = 'shapes = [{kind = "sphere", radius = 0.1}]'


def test_every_mistake_is_told_with_its_line(tmp_path, capsys):
    (path := tmp_path / "wrong.toml").write_text(WRONG)
    assert "\n".join(map(str, mistakes(WRONG))) == TOLD
    assert cli.main(["check", str(path)]) == 2
    assert capsys.readouterr().out == "".join(f"{path}:{line}\n" for line in TOLD.splitlines())
    with pytest.raises(BadInput, match=r"wrong.toml, line 3, element titel is unknown.*\(15 more mistakes: `stiction check` l"):
        scene_file.read(path)


@pytest.mark.parametrize("text, told", [
    ("", "1: format is missing: add format = 1 above the first table"),
    ("format = 2.5", "1: format = 2.5: it must be one of 1"),
    ('format = "1"', "1: format = '1': it must be one of 1"),
    (body(BALL, "density = 0.0"), "6: bodies.0.density = 0.0: it must be more than 0.0"),
    (body(BALL, "density = 1.0", "mass = 1.0"), "2: bodies.0: mass and density exclude one another: remove one of the two"),
    (body(BALL, "pos = [1e9, 0, 0]"), "6: bodies.0.pos.0 = 1000000000.0: it must be at most 100000.0"),
    (body(BALL, "quat = [0, 0, 0, 0]"),
     "2: bodies.0: body 'a': quat = [0, 0, 0, 0] must be four finite numbers (w, x, y, z), not all zero"),
    (body(BALL, "inertia = [1.0, 1.0, 9.0]"),
     "2: bodies.0: body 'a': principal moments 1, 1, 9 kg m^2 are not physical: the two smaller ones must sum to at least the "
     "largest; omit it to compute it from the shape"),
    (body(BALL, "index = 19999"), ""),
    (body(BALL, "index = 20000"), "6: bodies.0.index = 20000: it must be less than 20000"),
    (body('shapes = [{kind = "hull", points = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]]}]'),
     "2: bodies.0: body 'a': the hull points are coplanar within 0 m and enclose no volume: add points off the plane, or use a "
     "thin Box"),
    (body('shapes = [{kind = "triangle_mesh", vertices = [[0, 0, 0], [1, 0, 0], [0, 1, 0]], triangles = [[0, 1, 2]]}]'),
     "2: bodies.0: body 'a': a triangle_mesh has no finite mass: make the body static or kinematic"),
    (body(BALL).replace('"a"', '"world"'), "2: bodies.0: body 'world': the name is taken"),
    (body(BALL).replace('"a"', '"a\\u0000"'), r"3: bodies.0.name = 'a\x00': it must be a text without control letters"),
    ('format = 1\nscene = "door"\nparameters = {push = 1e9}',
     "3: parameters.push: push = 1000000000.0 is out of range; allowed: 0 .. 300 N m"),
    ('format = 1\nstate = {data = "AAAA"}', "2: state.data: it is damaged; delete [state] to start from the tables"),
    (body("mass = -1.0", BALL, "[[bodies]]", 'name = "a"', 'kind = "none"'),
     "5: bodies.0.mass = -1.0: it must be more than 0.0\n8: bodies.1.name = 'a': bodies.0 has this name: choose another one\n"
     "9: bodies.1.kind = 'none': it must be one of 'static', 'kinematic' or 'dynamic'"),
    ('format = 1\nsolver = {name = "x"}', "2: solver.name = 'x' is unknown; allowed: " + ", ".join(
        f"'{name}'" for name in ("compliant_contact", "event_driven", "joint_space", "sequential_impulses", "soft_steps",
                                 "stewart_trinkle", "subsystems"))),
])
def test_a_mistake_is_one_sentence(text, told):
    found = mistakes(text)
    assert "\n".join(map(str, found)) == told


@pytest.mark.parametrize("data, told", [
    (b"format = 1\nformat = 1\nscene = ''", "x.toml, line 2: this is not TOML: Cannot overwrite a value"),
    (b"format = 1\nx = [\n\n", "x.toml, line 2: this is not TOML: "),
    (b"format = 1\n# \xff\xfe", "x.toml, line 2: this is not text in UTF-8"),
    (b"format = 99", "of a newer version of Stiction"),
    (b"format = 1\nx = " + b"[" * 40 + b"]" * 40, "nested 40 deep; allowed: 12"),
    (b"format = 1\nx = " + b"[" * 100_000 + b"]" * 100_000, "nested too deep"),
    (b"#" * (MAX_BYTES + 1), "exceeds 8 MB, the limit of scene files"),
], ids=["twice", "open", "no text", "newer", "deep", "deeper", "large"])
def test_what_is_no_file_is_refused(data, told):
    with pytest.raises(BadInput, match=r"x\.toml") as error:
        scene_file.understood(data, "x.toml")
    assert told in str(error.value) and "\n" not in str(error.value) and len(str(error.value)) < 400


def test_only_regular_small_files_are_read(tmp_path):
    os.mkfifo(tmp_path / "pipe.toml")
    with open(tmp_path / "large.toml", "wb") as file:
        file.truncate(100_000_000)
    for path, told in ((tmp_path / "pipe.toml", "is a pipe"), (tmp_path / "large.toml", "exceeds 8 MB"),
                       ("/dev/zero", "is a device"), (tmp_path, "is a folder"), (tmp_path / "none.toml", "No such file")):
        with pytest.raises(BadInput, match=told):
            scene_file.read(path)


def test_thousands_of_bodies_and_mistakes_are_no_burden():
    """Bounded in number, before they are built."""
    many = "format = 1\n" + "[[bodies]]\n" * 300_000
    found = mistakes(many)
    assert str(found[0]).startswith("2: bodies = [") and "must be of at most 20000 elements" in str(found[0])
    some = mistakes("format = 1\n" + "[[bodies]]\n" * 3_000)
    assert len(some) == 201 and some[-1].text == "5800 more mistakes"


def test_lines_are_those_of_the_values():
    text = '''\
a = 1
[b]
"c d" = [
    1, # one, [two
    "x, ]", 3,
]
e.f = {g = 1}
[[h]]
i = """
[not] = a
key"""
[[h]]
i = 2
[h.j]
k = 3
[[h.l]]
m = '#'
[[h.l]]
m = 2
'''
    lines = lines_of(text)
    wanted = {("a",): 1, ("b",): 2, ("b", "c d"): 3, ("b", "c d", 0): 4, ("b", "c d", 1): 5, ("b", "e", "f"): 7, ("h", 0): 8,
              ("h", 0, "i"): 9, ("h", 1): 12, ("h", 1, "i"): 13, ("h", 1, "j"): 14, ("h", 1, "j", "k"): 15, ("h", 1, "l", 0): 16,
              ("h", 1, "l", 0, "m"): 17, ("h", 1, "l", 1, "m"): 19}
    assert {path: lines.get(path) for path in wanted} == wanted
    assert line_of(lines, ("b", "e", "f", "g")) == 7 and line_of(lines, ("z",)) == 1


def test_the_schema_allows_what_is_written():
    """Structure of the JSON Schema; the models behind it judge all other tests."""
    from app.engine.scene_files import schema

    found = json.loads(json.dumps(schema.json_schema()))
    assert found["required"] == ["format"] and found["additionalProperties"] is False
    assert set(found["properties"]) >= {"bodies", "joints", "materials", "solver", "state", "view", "world"}
    assert found["$defs"]["Body"]["properties"]["mass"] == {"description": "[kg]", "exclusiveMinimum": 0.0, "maximum": 1e12,
                                                           "title": "Mass", "type": "number"}
    assert "null" not in json.dumps(found)


def mutated(text, chance):
    """The text with something changed at random."""
    lines = text.split("\n")
    k = chance.randrange(len(lines))
    kind = chance.randrange(6)
    if kind == 0:
        del lines[k]
    elif kind == 1:
        lines.insert(k, chance.choice(lines))
    elif kind == 2:
        lines[k] = lines[k][:chance.randrange(len(lines[k]) + 1)]
    elif kind == 3 and lines[k]:
        at = chance.randrange(len(lines[k]))
        lines[k] = lines[k][:at] + chance.choice("0123456789.-,[]{}\"'= e\x00é") + lines[k][at + 1:]
    else:
        words = lines[k].split(" ")
        words[chance.randrange(len(words))] = chance.choice(
            ["nan", "inf", "-1", "0", "1e300", "-1e9", '""', '"world"', "[]", "{}", "true", "9" * 20, "1979-05-27", "0.1,"])
        lines[k] = " ".join(words)
    return "\n".join(lines)


@pytest.mark.parametrize("name", ["door", "joint_gallery", "rimless_wheel"])
def test_mutated_files_are_refused_or_good(name):
    """Refused in a sentence; or a world that steps, stays finite, and is the same when written again."""
    scene, chance = scenes.find(name), random.Random(name)
    world = scenes.without_clock(scenes.make_world(scene))
    for _ in range(3):
        step(world, scene.dt)
    text, _ = scene_file.text_of(world, scene.dt, SceneContext("x", name, scene.parameters()))
    good = 0
    for _ in range(40):
        try:
            found, wrong = scene_file.examined(mutated(text, chance).encode("utf-8", "surrogatepass"), "x")
        except BadInput as error:
            assert "\n" not in str(error)
            continue
        if wrong:
            assert all("\n" not in str(one) and str(one) for one in wrong)
            continue
        good += 1
        again, _ = scene_file.text_of(found.world, found.dt, SceneContext())
        assert not scene_file.examined(again.encode(), "x")[1]
        step(found.world, found.dt)
        assert np.isfinite(found.world.bodies["pos"]).all()
    assert 0 < good < 40


def test_a_file_runs_like_its_scene(tmp_path, capsys):
    """`run` and `sweep` take a file; a parameter of its scene builds the scene anew."""
    scene = scenes.find("slider")
    world = scenes.make_world(scene)
    text, _ = scene_file.text_of(world, scene.dt, SceneContext("My slider", "slider", scene.parameters()))
    (path := tmp_path / "mine.toml").write_text(text)
    assert cli.main(["check", str(path)]) == 0 and "valid: a scene file" in capsys.readouterr().out

    def rows(word, *more):
        assert cli.main(["run", word, "--seconds", "0.2", "--csv", "-", *more]) == 0
        return capsys.readouterr().out

    assert rows(str(path)) == rows("slider")
    name = scene.parameters.__dataclass_fields__
    first = next(iter(name))
    value = 0.9 * getattr(scene.parameters(), first)
    assert rows(str(path), "--set", f"{first}={value}") == rows("slider", "--set", f"{first}={value}") != rows("slider")
    assert cli.main(["run", str(tmp_path / "none.toml")]) == 2
