"""OBJ, STL and glTF files as scenes: masses by closed forms, what stands where, and what is refused."""

import json
import struct

import numpy as np
import pytest

import scenes
from app.cli import main
from app.render.gltf import gltf_of
from app.render.web_page import MotionRecorder
from app.robots import mesh_files, mesh_worker, robot_file
from app.world_files import load
from physics import BadInput, Box, Plane, World, step
from physics.core.quaternions import to_matrix
from physics.core.records import Kind

pytest.importorskip("trimesh")

CORNERS = np.array([(0, 0), (3, 0), (3, 1), (1, 1), (1, 3), (0, 3)], float)
"""An L, counter-clockwise; its prism is two cuboids."""


def prism(height: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
    """Vertices and triangles of the prism over the L."""
    n = len(CORNERS)
    points = np.vstack([np.column_stack([CORNERS, np.full(n, z)]) for z in (0.0, height)])
    cap = [(0, 1, 2), (0, 2, 3), (0, 3, 4), (0, 4, 5)]
    sides = [(i, (i + 1) % n, n + (i + 1) % n) for i in range(n)] + [(i, n + (i + 1) % n, n + i) for i in range(n)]
    return points, np.array([*[one[::-1] for one in cap], *[tuple(n + k for k in one) for one in cap], *sides])


def obj(points, triangles) -> str:
    return "".join("v {} {} {}\n".format(*p) for p in points) + "".join("f {} {} {}\n".format(*t) for t in triangles + 1)


@pytest.fixture
def inline(monkeypatch):
    """Files are read in this process: what the worker does, not that it is another process, is tested."""
    worker = mesh_files.run_worker

    def run(what, files, seconds, **asked):
        return mesh_worker.answered(files, before=lambda: None, **asked) if asked["job"] == "read" else worker(
            what, files, seconds, **asked)

    monkeypatch.setattr(mesh_files, "run_worker", run)


@pytest.fixture
def bracket(tmp_path):
    path = tmp_path / "bracket.obj"
    path.write_text(obj(*prism()))
    return path


def test_mass_and_inertia_are_those_of_the_solid_not_of_its_hull(bracket, inline):
    """Two cuboids by parallel axes; in millimetres all of it in its unit."""
    parts = [(3.0, np.array([1.5, 0.5, 0.5]), np.array([3.0, 1.0, 1.0])),
             (2.0, np.array([0.5, 2.0, 0.5]), np.array([1.0, 2.0, 1.0]))]
    centre = sum(v * c for v, c, _ in parts) / 5.0
    inertia = np.zeros((3, 3))
    for v, c, size in parts:
        d = c - centre
        inertia += v * (np.diag((size @ size - size**2) / 12.0) + d @ d * np.eye(3) - np.outer(d, d))
    for scale in (1.0, 1e-3):
        world = load(bracket, scale=scale, density=200.0)
        body = world.bodies[world.body("bracket")]
        assert body["mass"] == pytest.approx(200.0 * 5.0 * scale**3)
        assert body["pos"] == pytest.approx(centre * scale)
        assert body["inertia"] == pytest.approx(200.0 * inertia * scale**5, rel=1e-6, abs=1e-9 * scale**5)


def test_a_ball_rests_in_the_notch_of_what_is_split(bracket, capsys, inline):
    """The hull fills the notch; convex parts leave it open, and how many they are is told."""
    pytest.importorskip("coacd")
    from physics.world.queries import ray

    heights = []
    for split in (False, True):
        world = load(bracket, split=split)
        hit = ray(world, (1.6, 5.0, 0.5), (0.0, -1.0, 0.0), 10.0)
        heights.append(hit.point[0][1])
        told = "".join(world.warnings.pop_new())
    assert heights == pytest.approx([2.4, 1.0], abs=0.05)
    assert "'bracket' is made of 2 convex parts" in told
    assert main(["check", str(bracket)]) == 0
    assert "is not convex: its hull, 40 % larger, stands for it; split=true" in capsys.readouterr().out


ROBOTS = {
    "urdf": '<robot name="r"><link name="base"/><link name="hook"><inertial><mass value="1"/>'
            '<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'
            '<collision><geometry><mesh filename="{0}" scale="2 2 2"/></geometry></collision></link>'
            '<joint name="j" type="continuous"><parent link="base"/><child link="hook"/><axis xyz="0 0 1"/></joint></robot>',
    "xml": '<mujoco><asset><mesh name="m" file="{0}" scale="2 2 2"/></asset><worldbody><body name="hook"><joint/><inertial '
           'pos="0 0 0" mass="1" diaginertia="1 1 1"/><geom type="mesh" mesh="m"/></body></worldbody></mujoco>',
    "sdf": '<sdf version="1.7"><model name="r"><link name="hook"><collision name="c"><geometry><mesh><uri>{0}</uri><scale>2 2 2'
           '</scale></mesh></geometry></collision></link></model></sdf>'}


@pytest.mark.parametrize("ending", ROBOTS)
def test_meshes_of_robots_are_split_too(ending, bracket, inline):
    """The notch of an L of twice the size is open; mass and inertia are those of the file."""
    pytest.importorskip("coacd")
    from physics.world.queries import ray

    path, heights = bracket.with_name(f"r.{ending}"), []
    path.write_text(ROBOTS[ending].format(bracket.name))
    for split in (False, True):
        world = load(path, split=split)
        at = world.body("hook").to_world((0.0, 0.0, 0.0))
        heights.append(ray(world, (3.2, 10.0, 1.0), (0.0, -1.0, 0.0), 20.0).point[0][1])
        assert at == pytest.approx((0.0, 0.0, 0.0), abs=1e-9) and world.body("hook").mass == 1.0
    assert heights == pytest.approx([4.8, 2.0], abs=0.1)
    assert f"'{bracket.name}' of 'hook' is made of 2 convex parts" in world.warnings.pop_new()


def test_fixed_it_has_its_triangles_and_the_floor_lies_under_it(bracket, inline):
    world = load(bracket, fixed=True)
    assert world.bodies["kind"][world.body("bracket")] == Kind.STATIC
    assert world.shape_kinds[world.shapes["kind"][0]] == "triangle_mesh"
    assert world.bodies["pos"][world.body("floor"), 2] == pytest.approx(0.0)
    assert "floor" not in load(bracket, fixed=True, floor=False).body_names


@pytest.mark.parametrize("ending", ["glb", "gltf"])
def test_what_we_export_as_gltf_is_read_back(ending, tmp_path, inline):
    """Names, places, orientations, masses; the ground stays where it is; and it moves on."""
    world = World()
    world.add_body(Plane(), kind="static", name="ground")
    turned = (0.36, 0.48, -0.8, 0.0)
    world.add_body(Box((0.1, 0.2, 0.3)), pos=(1.0, 2.0, 3.0), quat=turned, density=500.0, name="first / box")
    world.add_body(Box((0.1, 0.1, 0.1)), pos=(-1.0, 0.0, 1.0), density=500.0, name="second")
    path = tmp_path / f"w.{ending}"
    path.write_bytes(gltf_of(MotionRecorder(world, ()), "w", binary=ending == "glb"))
    again = load(path, density=500.0)
    for name in ("first / box", "second"):
        one, other = (w.bodies[w.body(name)] for w in (world, again))
        assert other["pos"] == pytest.approx(one["pos"], abs=1e-6) and other["mass"] == pytest.approx(one["mass"], rel=1e-5)
        assert to_matrix(other["quat"]) == pytest.approx(to_matrix(one["quat"]), abs=1e-6)
    assert again.bodies["kind"][again.body("ground")] == Kind.STATIC
    for _ in range(480):
        step(again, 1.0 / 480.0)
    assert again.bodies["pos"][again.body("second"), 2] == pytest.approx(0.1, abs=1e-3)


def test_a_surface_that_is_not_closed_and_one_without_volume_are_told(tmp_path, capsys, inline):
    points, triangles = prism()
    path = tmp_path / "open.obj"
    path.write_text(obj(points, triangles[1:]))
    assert main(["check", str(path)]) == 0
    assert "'open' is not a closed surface: its mass is that of its shapes" in capsys.readouterr().out
    assert load(path).bodies["mass"].sum() == pytest.approx(7000.0)
    flat = tmp_path / "flat.obj"
    flat.write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    assert main(["check", str(flat)]) == 0
    assert "'flat' encloses no volume: it is static" in capsys.readouterr().out
    large = tmp_path / "large.obj"
    large.write_text(obj(points * 100.0, triangles))
    assert main(["check", str(large)]) == 0
    said = capsys.readouterr().out
    assert "300 x 300 x 100 m\n" in said and "unit is not in the file and was taken for the metre: set scale=0.001" in said


def cuboid(half, centre=(0.0, 0.0, 0.0), inwards=False):
    """Vertices and triangles of a cuboid."""
    corners = np.array([(x, y, z) for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)]) * half + centre
    faces = np.array([(0, 1, 3), (0, 3, 2), (4, 6, 7), (4, 7, 5), (0, 4, 5), (0, 5, 1), (2, 3, 7), (2, 7, 6), (0, 2, 6),
                      (0, 6, 4), (1, 5, 7), (1, 7, 3)])
    return corners, faces[:, ::-1] if inwards else faces


def united(*parts):
    """One mesh of several."""
    starts = np.cumsum([0, *(len(points) for points, _ in parts)])
    return np.vstack([points for points, _ in parts]), np.vstack([faces + n for (_, faces), n in zip(parts, starts)])


HALF = np.array([0.5, 0.4, 0.3])


@pytest.mark.parametrize("inner", [False, True])
@pytest.mark.parametrize("outer", [False, True])
def test_a_cavity_is_empty_however_its_triangles_face(inner, outer, tmp_path, inline):
    """Its volume was added to that around it, above the volume of the hull."""
    path = tmp_path / "shell.obj"
    parts = cuboid(HALF, inwards=outer), cuboid(0.9 * HALF, inwards=inner), cuboid(0.5 * HALF, inwards=inner)
    path.write_text(obj(*united(*parts)))
    body = load(path).bodies[1]
    x, y, z = HALF
    assert body["mass"] == pytest.approx(480.0 * (1.0 - 0.9**3 + 0.5**3))
    assert np.diag(body["inertia"]) == pytest.approx(160.0 * (1.0 - 0.9**5 + 0.5**5)
                                                     * np.array([y * y + z * z, x * x + z * z, x * x + y * y]))


@pytest.mark.parametrize("size, mass, centre", [(1.0, 960.0, 1.5), (0.5, 540.0, 1.0 / 3.0)])
def test_a_part_that_is_inside_out_counts_like_the_others(size, mass, centre, tmp_path, inline):
    """It was subtracted; of two equal parts nothing was left, and the centre was 1e16 m away."""
    path = tmp_path / "two.obj"
    path.write_text(obj(*united(cuboid(HALF), cuboid(size * HALF, (3.0, 0.0, 0.0), inwards=True))))
    for fixed in (False, True):
        world = load(path, fixed=fixed, floor=False)
        if fixed:
            points, faces = (getattr(world.pool.data(0), name) for name in ("vertices", "triangles"))
            a, b, c = (points[faces[:, k]] for k in range(3))
            assert np.einsum("ij,ij->", a, np.cross(b, c)) / 6.0 == pytest.approx(mass / 1000.0)
        else:
            assert world.bodies["mass"][1] == pytest.approx(mass)
            assert world.bodies["pos"][1] == pytest.approx((centre, 0.0, 0.0), abs=1e-9)


def test_parts_that_overlap_do_not_count_twice(tmp_path, inline):
    """960 kg of a union of 720 kg; a cross whose corners are in no other part, too, has no more than its hull."""
    path = tmp_path / "two.obj"
    path.write_text(obj(*united(cuboid(HALF), cuboid(HALF, (0.5, 0.0, 0.0)))))
    world = load(path, floor=False)
    assert world.bodies["mass"][1] == pytest.approx(720.0)
    assert any("parts of 'two' overlap: its mass is that of its shapes" in said for said in world.warnings.pop_new())
    path.write_text(obj(*united(cuboid((0.5, 0.4, 0.4)), cuboid((0.4, 0.5, 0.39)), cuboid((0.39, 0.39, 0.5)))))
    world = load(path, floor=False)
    assert world.bodies["mass"][1] < 1000.0
    assert any("overlap" in said for said in world.warnings.pop_new())


def test_what_programs_write_is_read(tmp_path, inline):
    """OBJ with textures, groups called f, lines that go on, numbers from the end; STL of several solids; a sheet almost flat."""
    points, triangles = prism()
    corners = "".join("v {} {} {}\n".format(*p) for p in points)
    path = tmp_path / "w.obj"
    path.write_bytes((f"mtllib x.mtl\no L\n{corners}vt 0 0\nvn 0 0 1\ng An f Three\nusemtl m\n" + "".join(
        "f {}/1/1 {}/1/1 \\\r\n {}/1/1\n".format(*(t - len(points))) for t in triangles)).encode())
    assert load(path).bodies["mass"].sum() == pytest.approx(5000.0)
    solid = "".join("facet normal 0 0 0\nouter loop\n" + "".join("vertex {} {} {}\n".format(*p) for p in points[t])
                    + "endloop\nendfacet\n" for t in triangles)
    path = tmp_path / "two.stl"
    path.write_text(f"solid a\n{solid}endsolid a\nsolid b\n{solid}endsolid b\n")
    assert load(path).body_names[1:3] == ["two 0", "two 1"]
    path = tmp_path / "sheet.obj"
    path.write_text(obj(points * (10.0, 10.0, 1e-7), triangles))
    assert load(path).bodies["kind"][1] == Kind.STATIC


def gltf(**changed) -> bytes:
    """A triangle, its data in a file beside it."""
    data = {"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0}],
            "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
            "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3"}],
            "bufferViews": [{"buffer": 0, "byteLength": 36}], "buffers": [{"byteLength": 36, "uri": "data.bin"}]}
    return json.dumps(data | changed).encode()


NAN = gltf(buffers=[{"byteLength": 36, "uri": "nan.bin"}])
WRONG = {
    "nothing.glb": (b"", "is damaged"), "noise.stl": (b"\x00\xff" * 500, "is damaged"),
    "header.glb": (b"glTF" + struct.pack("<II", 2, 10**9), "is damaged"),
    "empty.obj": (b"# nothing\n", ""),
    "range.obj": (b"v 0 0 0\nf 1 2 3\n", "range.obj, line 2: a face names a vertex that is not there: correct it"),
    "short.obj": (b"# of a torus\nv 0 0\nf 1 2 3\n", "short.obj, line 2: a vertex needs three numbers"),
    "before.obj": (b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf -1 -2 -4\n", "before.obj, line 4: a face names a vertex"),
    "word.obj": (b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nf a b c\n", "word.obj, line 5: a face names its vertices by whole"),
    "points.obj": (b"v 0 0 0\nv 1 0 0\n", ""), "text.gltf": (b"{", "is no glTF"), "list.gltf": (b"[]", "is no glTF"),
    "missing.gltf": (gltf(buffers=[{"byteLength": 36, "uri": "gone.bin"}]), "'gone.bin' is not there"),
    "outside.gltf": (gltf(buffers=[{"byteLength": 36, "uri": "../secret.bin"}]), "is outside"),
    "hidden.gltf": (gltf(buffers=[{"byteLength": 36, "uri": "%2e%2e/secret.bin"}]), "is outside"),
    "remote.gltf": (gltf(buffers=[{"byteLength": 36, "uri": "http://example.com/a.bin"}]), "is not read"),
    "nan.gltf": (NAN, "not finite"),
    "huge.gltf": (gltf(accessors=[{"bufferView": 0, "componentType": 5126, "count": 10**11, "type": "VEC3"}]), ""),
    "newer.gltf": (gltf(asset={"version": "3.0"}), "is of glTF 3.0, only version 2 is read"),
    "packed.gltf": (gltf(extensionsRequired=["KHR_draco_mesh_compression"]), "export it without compression"),
}


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "in").mkdir()
    triangle = np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0)], "<f4")
    (tmp_path / "secret.bin").write_bytes(triangle.tobytes())
    (tmp_path / "in" / "data.bin").write_bytes(triangle.tobytes())
    (tmp_path / "in" / "nan.bin").write_bytes((triangle * np.nan).tobytes())
    return tmp_path / "in"


def test_a_gltf_reads_the_files_beside_it(folder, inline):
    path = folder / "good.gltf"
    path.write_bytes(gltf())
    part, = mesh_files.read(path).parts
    assert len(part.vertices) == 3 and part.volume == 0.0


@pytest.mark.parametrize("name", WRONG)
def test_bad_files_are_refused_in_one_sentence(name, folder, inline):
    data, said = WRONG[name]
    path, before = folder / name, dict(scenes.files)
    path.write_bytes(data)
    with pytest.raises(BadInput) as refused:
        robot_file.admit(str(path))
    assert name in str(refused.value) and said in str(refused.value) and "\n" not in str(refused.value)
    assert scenes.files == before


def test_a_worker_that_takes_too_long_or_dies_is_a_sentence(bracket, monkeypatch, tmp_path):
    bracket.write_text("# more than a pipe holds\n" * 10_000 + bracket.read_text())
    assert mesh_files.read(bracket).parts[0].volume == pytest.approx(5.0)
    monkeypatch.setattr(mesh_files, "READ_TIME", 0.01)
    with pytest.raises(BadInput, match="takes longer than 0"):
        mesh_files.read(bracket)
    monkeypatch.undo()
    stub = tmp_path / "stub.py"
    for program, said in (("import os; os.abort()", "too much memory, or is damaged"),
                          ("import sys, mesh_worker\nsys.modules['trimesh'] = None\nmesh_worker.main()",
                           r"needs trimesh, which is not installed: run `.* install (meshes|trimesh)`")):
        stub.write_text(f"import sys; sys.path.insert(0, {str(robot_file.Path(mesh_worker.__file__).parent)!r})\n{program}")
        with monkeypatch.context() as changed, pytest.raises(BadInput, match=said):
            changed.setattr(mesh_worker, "__file__", str(stub))
            mesh_files.read(bracket)


def test_their_recordings_replay(bracket, tmp_path, inline):
    tape = tmp_path / "t.stiction"
    assert main(["record", str(bracket), "--seconds", "0.1", "--out", str(tape)]) == 0
    assert main(["check", str(tape)]) == 0
