"""COLLADA: volumes, bounds and places by closed forms, what robots take of it, and what is refused."""

from itertools import pairwise

import numpy as np
import pytest

from app.cli import main
from app.robots import collada, mesh_files, mesh_worker, robot_file
from app.robots.model import extents
from app.world_files import load
from physics import BadInput
from physics.core.quaternions import rotate
from physics.core.records import Kind

CORNERS = ((0, 0), (3, 0), (3, 1), (1, 1), (1, 3), (0, 3))
"""An L, counter-clockwise, all of it seen from its corner at the origin; its prism of height 1 has the volume 5."""

POINTS = [(*corner, z) for z in (0, 1) for corner in CORNERS]
FACES = [(0, 5, 4, 3, 2, 1), (6, 7, 8, 9, 10, 11), *[(i, (i + 1) % 6, 6 + (i + 1) % 6, 6 + i) for i in range(6)]]


def corners(*faces, width: int = 2) -> str:
    """Indices of the corners of faces, each behind those of the other inputs, which are zero."""
    return " ".join(" ".join(["0"] * (width - 1) + [str(i)]) for face in faces for i in face)


TRIANGLES = [(face[0], *two) for face in FACES for two in pairwise(face[1:])]
FORMS = {
    "triangles": f'count="{len(TRIANGLES)}"><p>{corners(*TRIANGLES)}</p>',
    "polylist": f'count="8"><vcount>{" ".join(str(len(face)) for face in FACES)}</vcount><p>{corners(*FACES)}</p>',
    "polygons": 'count="8">' + "".join(f"<p>{corners(face)}</p>" for face in FACES),
    "trifans": 'count="8">' + "".join(f"<p>{corners(face)}</p>" for face in FACES)}


def dae(form: str = "triangles", *, body: str = "", node: str = "", numbers: str = "", up: str = "Z_UP", unit: str = "1") -> str:
    """A file with the L prism. body: the inside of the polygons; node: what the node has before its geometry."""
    numbers = numbers or " ".join(str(x) for point in POINTS for x in point)
    body = body or FORMS[form]
    head, rest = body.split(">", 1)
    return f"""<?xml version="1.0" encoding="utf-8"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit name="u" meter="{unit}"/><up_axis>{up}</up_axis></asset>
<library_geometries><geometry id="L"><mesh>
<source id="P"><float_array id="A" count="36">{numbers}</float_array><technique_common>
<accessor source="#A" count="12" stride="3"/></technique_common></source>
<vertices id="V"><input semantic="POSITION" source="#P"/></vertices>
<{form} {head}><input semantic="NORMAL" source="#N" offset="0"/><input semantic="VERTEX" source="#V" offset="1"/>{rest}</{form}>
</mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="S"><node name="hook">{node}<instance_geometry url="#L"/></node></visual_scene>
</library_visual_scenes><scene><instance_visual_scene url="#S"/></scene></COLLADA>
"""


@pytest.fixture
def write(tmp_path):
    def written(text: str, name: str = "m.dae"):
        path = tmp_path / name
        path.write_text(text)
        return path

    return written


@pytest.fixture
def inline(monkeypatch):
    """What the worker does is done in this process."""
    monkeypatch.setattr(mesh_files, "run_worker", lambda what, files, seconds, **asked: mesh_worker.answered(
        files, before=lambda: None, **asked))


def volume(surface: collada.Surface) -> float:
    a, b, c = (surface.vertices[surface.triangles[:, k]] for k in range(3))
    return float(np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6.0)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("unit", [1.0, 0.001, 0.0254])
def test_volume_and_bounds_are_those_of_the_solid_in_metres(write, form, unit):
    surface, = collada.read(write(dae(form, unit=str(unit)))).surfaces
    assert volume(surface) == pytest.approx(5.0 * unit**3, rel=1e-12)
    assert np.ptp(surface.vertices, axis=0) == pytest.approx(np.array([3.0, 3.0, 1.0]) * unit, rel=1e-12)
    assert surface.name == "hook" and len(surface.vertices) == 12


def test_transforms_act_from_the_last_to_the_first_and_nodes_in_nodes(write):
    """Of two nodes in one another: each point is scaled, turned about z, moved, then turned about x by the outer one."""
    node = ('<translate>1 2 3</translate><rotate>0 0 2 90</rotate><matrix>2 0 0 0  0 2 0 0  0 0 1 0.5  0 0 0 1</matrix>'
            '<scale>1 1 4</scale>')
    text = dae(node=node).replace('<node name="hook">', '<node><rotate>1 0 0 -30</rotate><node name="hook">').replace(
        "</node></visual_scene>", "</node></node></visual_scene>")
    surface, = collada.read(write(text)).surfaces
    z, x = ([np.cos(half), *(np.sin(half) * np.eye(3)[axis])] for half, axis in ((np.pi / 4, 2), (-np.pi / 12, 0)))
    moved = [np.array((1.0, 2.0, 3.0)) + rotate(np.array(z), (2.0 * px, 2.0 * py, 4.0 * pz + 0.5)) for px, py, pz in POINTS]
    expected = [rotate(np.array(x), point) for point in moved]
    assert surface.vertices == pytest.approx(np.array(expected), abs=1e-12)
    assert volume(surface) == pytest.approx(5.0 * 16.0)


def test_a_node_is_shown_where_others_show_it(write):
    text = dae(node="<translate>0 0 1</translate>").replace('<node name="hook">', '<node id="n" name="hook">').replace(
        "</node></visual_scene>", '</node><node><translate>5 0 0</translate><instance_node url="#n"/></node></visual_scene>')
    first, second = collada.read(write(text)).surfaces
    assert second.vertices == pytest.approx(first.vertices + np.array([5.0, 0.0, 0.0])) and first.vertices[:, 2].min() == 1.0


def test_only_vertices_of_triangles_count(write):
    """A thirteenth vertex far away, of a line, changes nothing."""
    text = dae().replace('count="36">', 'count="39">99 99 99 ').replace('count="12"', 'count="13"').replace(
        "</mesh>", '<lines count="1"><input semantic="VERTEX" source="#V" offset="0"/><p>0 1</p></lines></mesh>')
    text = text.replace(corners(*TRIANGLES), corners(*(np.array(TRIANGLES) + 1)))
    found = collada.read(write(text))
    assert volume(found.surfaces[0]) == pytest.approx(5.0) and found.surfaces[0].vertices.max() == 3.0
    assert found.notes == ["line 9: <lines> is not read"]


def test_as_a_scene_it_has_unit_and_axis_of_the_file(write, inline):
    """y up is turned; mass of the solid, also of a surface that is inside out."""
    for up, height, form in (("Z_UP", 1.0, "triangles"), ("Y_UP", 3.0, "polylist")):
        path = write(dae(form, up=up, unit="0.1"))
        world = load(path, density=200.0)
        body = world.body("hook")
        assert world.bodies["mass"][body] == pytest.approx(200.0 * 5.0 * 0.1**3)
        found = mesh_files.read(path)
        assert np.ptp(extents(mesh_files.robot_of(found, found.parameters()())), axis=0)[2] == pytest.approx(0.1 * height)
    inside_out = FORMS["triangles"].replace(corners(*TRIANGLES), corners(*(face[::-1] for face in TRIANGLES)))
    assert load(write(dae(body=inside_out))).bodies["mass"].sum() == pytest.approx(5000.0)


ARM = """<robot name="r"><link name="base"/>
<link name="hook"><inertial><mass value="2"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>
<collision><origin xyz="1 0 0"/><geometry><mesh filename="package://r/m.dae" scale="2 2 2"/></geometry></collision></link>
<joint name="j" type="continuous"><parent link="base"/><child link="hook"/><axis xyz="0 0 1"/></joint></robot>"""


@pytest.mark.parametrize("up", ["Y_UP", "Z_UP"])
def test_a_link_has_the_hull_in_its_own_frame_whatever_axis_is_up(write, up):
    write(dae(up=up, unit="0.5"))
    robot = robot_file.robot_of(write(ARM, "r.urdf"))
    one, = robot.links["hook"].geometries
    points = np.asarray(one.shape.points)
    assert (points.min(axis=0), points.max(axis=0)) == (pytest.approx((0.0, 0.0, 0.0)), pytest.approx((3.0, 3.0, 1.0)))
    assert one.pose.pos == pytest.approx((1.0, 0.0, 0.0)) and robot.skipped == []
    assert one.shape.volume() == pytest.approx(7.0)


def test_a_link_splits_it(write):
    """The notch of the L is open to a ray."""
    pytest.importorskip("coacd")
    from physics.world.queries import ray

    write(dae())
    heights = [ray(load(write(ARM, "r.urdf"), split=split), (1.0 + 3.2, 10.0, 1.0), (0.0, -1.0, 0.0), 20.0).point[0][1]
               for split in (False, True)]
    assert heights == pytest.approx([4.8, 2.0], abs=0.1)


def test_a_robot_loads_with_its_inertia_where_a_mesh_is_damaged(write, capsys):
    write(dae().replace('url="#L"', 'url="#M"'))
    world = load(write(ARM, "r.urdf"))
    body = world.bodies[world.body("hook")]
    assert (body["kind"], body["mass"]) == (Kind.DYNAMIC, 2.0)
    assert main(["check", str(write(ARM, "r.urdf"))]) == 0
    assert ('r.urdf:3: skipped: <mesh> m.dae, line 10: url="#M" of <instance_geometry> is no <geometry> of this file: export it '
            'again') in capsys.readouterr().out
    write("", "m.ply")
    assert main(["check", str(write(ARM.replace("m.dae", "m.ply"), "r.urdf"))]) == 0
    assert "only .stl, .obj, .dae meshes are read: convert it to .stl, with Blender or MeshLab" in capsys.readouterr().out


MANY = "".join(f'<node id="n{i}"><instance_node url="#n{i + 1}"/><instance_node url="#n{i + 1}"/></node>' for i in range(40))
NAN = " ".join(["nan"] * 36)
WRONG = {
    "bomb": ('<?xml version="1.0"?><!DOCTYPE a [<!ENTITY a "' + "x" * 99 + '"><!ENTITY b "&a;&a;">]><COLLADA>&b;</COLLADA>',
             "defines XML entities"),
    "outside": ('<?xml version="1.0"?><!DOCTYPE a [<!ENTITY a SYSTEM "file:///etc/hostname">]><COLLADA>&a;</COLLADA>',
                "defines XML entities"),
    "no xml": ("PK\x03\x04", "this is not XML"), "cut": (dae()[:900], "this is not XML"),
    "other": ("<robot/>", "<robot> is not the"),
    "count of numbers": (dae().replace('count="36"', 'count="99999999999"'), "has 36 numbers, and its count is 99999999999"),
    "count of points": (dae().replace('count="12"', 'count="99999999999"'), "reaches beyond the 36 numbers"),
    "count of faces": (dae().replace(f'count="{len(TRIANGLES)}"', 'count="99999999999"'), "do not fit its count"),
    "endless count": (dae().replace('count="36"', f'count="{"9" * 5000}"'),
                      'count="99999999999999999999" of <float_array> must be'),
    "stride": (dae().replace('stride="3"', 'stride="0"'), "has a stride below 3"),
    "offset": (dae().replace('offset="1"', 'offset="999999999999"'), "are not 1000000000000 for each corner"),
    "offset below zero": (dae().replace('offset="1"', 'offset="-1"'), "must be a whole number"),
    "nan": (dae(numbers=NAN), "are not finite"), "inf": (dae(numbers="1e999 " * 36), "are not finite"),
    "words": (dae(numbers="a " * 36), "<float_array> holds what is no number"),
    "fractions": (dae(body='count="1"><p>0 0 0 1 0 2.5</p>'), "<p> holds what is no index"),
    "no indices": (dae(body=f'count="{len(TRIANGLES)}">'), "do not fit its count"),
    "half a corner": (dae(body='count="1"><p>0 0 0 1 0</p>'), "are not 2 for each corner"),
    "half a triangle": (dae(body='count="1"><p>0 0 0 1</p>'), "do not fit its count"),
    "index beyond": (dae(body='count="1"><p>0 0 0 1 0 12</p>'), "is not one of its 12 vertices"),
    "index below": (dae(body='count="1"><p>0 0 0 1 0 -1</p>'), "is not one of its 12 vertices"),
    "huge index": (dae(body=f'count="1"><p>0 0 0 1 0 {"9" * 40}</p>'), "is not one of its 12 vertices"),
    "vcount beyond": (dae("polylist", body='count="1"><vcount>9</vcount><p>0 0 0 1 0 2</p>'), "do not fit its count or vcount"),
    "vcount wraps": (dae("polylist", body=f'count="3"><vcount>{2**63 - 1} {2**63 - 1} 5</vcount><p>0 0 0 1 0 2</p>'),
                     "do not fit"),
    "vcount below": (dae("polylist", body='count="2"><vcount>-3 6</vcount><p>0 0 0 1 0 2</p>'), "do not fit"),
    "no vcount": (dae("polylist", body='count="1"><p>0 0 0 1 0 2</p>'), "do not fit its count or vcount"),
    "no geometry": (dae().replace('url="#L"', 'url="#M"'), 'url="#M" of <instance_geometry> is no <geometry>'),
    "another file": (dae().replace('url="#L"', 'url="other.dae#L"'), "is no <geometry> of this file"),
    "wrong kind": (dae().replace('url="#L"', 'url="#P"'), 'url="#P" of <instance_geometry> is no <geometry>'),
    "no source": (dae().replace('source="#P"', 'source="#Q"'), 'source="#Q" of <input> is no <source>'),
    "no array": (dae().replace('source="#A"', 'source="#B"'), 'source="#B" of <accessor> is no <float_array>'),
    "no accessor": (dae().replace("<accessor ", "<other "), "<source> has no <accessor>"),
    "no vertices": (dae().replace("VERTEX", "TEXCOORD"), 'has no <input semantic="VERTEX">'),
    "no scene": (dae().replace("<scene>", "<extra>").replace("</scene>", "</extra>"), "no <scene> that shows"),
    "no faces": (dae(body='count="0">'), "shows no triangles"),
    "lines alone": (dae("lines", body='count="1"><p>0 0 0 1</p>'),
                    "shows no triangles: export it again, with faces; line 8: <lines>"),
    "short matrix": (dae(node="<matrix>1 0 0</matrix>"), "<matrix> must be 16 finite numbers"),
    "nan in a matrix": (dae(node="<scale>nan 1 1</scale>"), "<scale> must be 3 finite numbers"),
    "too large": (dae(node="<scale>1e308 1e308 1</scale>" * 2), "are not finite"),
    "skew": (dae(node="<skew>1 1 0 0 0 1 0</skew>"), "<skew> is not read"),
    "unit": (dae(unit="0"), "must be above zero"), "unit of words": (dae(unit="inch"), 'meter="inch" of <unit> must be 1 finite'),
    "shows itself": (dae().replace('<node name="hook">', '<node id="n"><instance_node url="#n"/>'), "shows itself"),
    "shows itself by others": (dae().replace('<node name="hook">', '<node id="n"><node><instance_node url="#n"/></node>'),
                               "shows itself"),
    "two to the 40": (dae().replace('<node name="hook">', MANY + '<node id="n40">'), "more than 10,000 surfaces"),
    "two to the 40 of nothing": (dae().replace('<node name="hook">', MANY + '<node id="n40"/><node>'), "more than 200,000 parts"),
    "deep": (dae().replace("<asset>", "<a>" * 200 + "</a>" * 200 + "<asset>"), "nested more than 150 deep")}


@pytest.mark.parametrize("what", WRONG)
def test_hostile_files_are_refused_in_one_sentence(write, what):
    text, said = WRONG[what]
    with pytest.raises(BadInput) as refused:
        collada.read(write(text))
    sentence = str(refused.value)
    assert said in sentence and "m.dae" in sentence and "\n" not in sentence and len(sentence) < 400
