"""`stiction export --gltf`: Assimp, which comes with Pinocchio, finds in the file the motion that the engine makes."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

import scenes
from app.cli import main
from app.render import gltf
from app.render.web_page import MotionRecorder, record_run
from physics import BadInput, Box, Plane, Sphere, World, step
from physics.core.quaternions import to_matrix
from scenes import without_clock

ASSIMP = shutil.which("assimp", path=str(Path(sys.executable).parent))


def dumped(path: Path) -> ElementTree.Element:
    """The scene of a file, as Assimp read it."""
    if ASSIMP is None:
        pytest.skip("needs assimp, which comes with Pinocchio")
    out = path.with_suffix(".xml")
    subprocess.run([ASSIMP, "dump", str(path), str(out)], check=True, capture_output=True, timeout=60)
    return ElementTree.fromstring(out.read_text())


def numbers(element: ElementTree.Element) -> np.ndarray:
    return np.array(element.text.split(), float)


def keys(found: ElementTree.Element, node: str, kind: str) -> tuple[np.ndarray, np.ndarray]:
    """(times [s], values) of a node's animation."""
    of, = (one for one in found.iter("NodeAnim") if one.get("node") == node)
    every = list(of.iter(kind))
    return np.array([float(key.get("time")) for key in every]) * 1e-3, np.array([numbers(key) for key in every])


def test_assimp_reads_the_motion_that_the_engine_makes(tmp_path):
    """Of the door: its times, places and orientations."""
    path = tmp_path / "door.glb"
    assert main(["export", "door", "--seconds", "1.2", "--fps", "50", "--gltf", str(path)]) == 0
    found = dumped(path)
    times, places = keys(found, "door", "PositionKey")
    _, turns = keys(found, "door", "RotationKey")
    world = without_clock(scenes.make_world(scenes.find("door")))
    assert times == pytest.approx(np.arange(61) * 0.02, abs=1e-6)
    for n in range(1, 61):
        step(world, 0.01)
        step(world, 0.01)
        body = world.bodies[world.body("door")]
        assert places[n] == pytest.approx(body["pos"], abs=1e-5)
        assert to_matrix(turns[n][[3, 0, 1, 2]]) == pytest.approx(to_matrix(body["quat"]), abs=1e-5)
    assert sorted(node.get("name") for node in found.iter("Node"))[1:] == sorted(
        name for name in world.body_names[1:] if name)


def test_a_spinning_body_never_turns_the_long_way(tmp_path):
    world = World(gravity=(0.0, 0.0, 0.0))
    box = world.add_body(Box((0.1, 0.2, 0.3)), omega=(0.0, 0.0, 40.0), name="box")
    motion = MotionRecorder(world, ())
    for n in range(60):
        step(world, 0.01)
        if n % 7 == 0:
            world.set_pose(box, box.pos, -box.quat)       # the same orientation
        motion.record()
    path = tmp_path / "s.gltf"
    path.write_bytes(gltf.gltf_of(motion, "s", binary=False))
    _, turns = keys(dumped(path), "box", "RotationKey")
    assert len(turns) == 61 and ((turns[1:] * turns[:-1]).sum(axis=1) > 0.9).all()
    assert turns.min() < -0.5


def test_shapes_have_their_size_and_y_is_up(tmp_path):
    """The corners of a box and a ball, turned by the nodes above them; the ground is as large as the scene."""
    world = World()
    world.add_body(Plane(), kind="static", name="floor")
    world.add_body(Box((0.1, 0.2, 0.3)), pos=(1.0, 2.0, 3.0), name="box")
    world.add_body(Sphere(0.5), pos=(4.0, 0.0, 0.5), name="ball")
    path = tmp_path / "w.glb"
    path.write_bytes(gltf.gltf_of(MotionRecorder(world, ()), "w"))
    found = dumped(path)
    root = next(found.iter("Node"))
    up = numbers(root.find("Matrix4")).reshape(4, 4)
    meshes = list(found.iter("Mesh"))
    spans = {}
    for node in root.iter("Node"):
        if node is not root:
            corners = numbers(meshes[int(node.find("MeshRefs").text)].find("Positions")).reshape(-1, 3)
            place = up @ numbers(node.find("Matrix4")).reshape(4, 4)
            moved = corners @ place[:3, :3].T + place[:3, 3]
            spans[node.get("name")] = np.round([moved.min(axis=0), moved.max(axis=0)], 5).tolist()
    assert spans["box"] == [[0.9, 2.7, -2.2], [1.1, 3.3, -1.8]]
    assert spans["ball"] == [[3.5, 0.0, -0.5], [4.5, 1.0, 0.5]]
    assert spans["floor"] == [[-8.0, 0.0, -8.0], [8.0, 0.0, 8.0]]


def test_an_empty_world_and_a_file_that_is_too_large(monkeypatch, capfd, tmp_path):
    """Lists that would be empty are left out, as the format asks."""
    data = json.loads(gltf.gltf_of(MotionRecorder(World(), ()), "nothing", binary=False))
    assert set(data) == {"asset", "scene", "scenes", "nodes"} and data["nodes"] == [{"name": "nothing", "rotation": gltf.Z_TO_Y}]
    monkeypatch.setattr(gltf, "MAX_BYTES", 100)
    world = World()
    world.add_body(Sphere(0.5))
    with pytest.raises(BadInput, match="would exceed"):
        gltf.gltf_of(MotionRecorder(world, ()), "w")
    assert main(["export", "stack", "--gltf", str(tmp_path / "a.fbx")]) == 2
    assert "must end with .glb or .gltf" in capfd.readouterr().err


@pytest.mark.parametrize(("fps", "said"), [(25, 25), (100, 100), (60, 60), (7, 7), (1000, 240)])
def test_a_second_has_as_many_frames_as_are_asked_for(fps, said):
    """At steps of 1/240 s, of which none holds two frames; frames are at the first steps that reach their times."""
    scene = scenes.find("door")
    motion = record_run(scene, scenes.without_clock(scenes.make_world(scene)), 1.0, 1.0 / 240.0, float(fps))
    assert len(motion.times) == 1 + said
    late = np.asarray(motion.times) - np.arange(1 + said) / min(fps, 240)
    assert late.min() > -1e-9 and late.max() < 1.0 / 240.0
