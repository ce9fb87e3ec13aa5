"""COLLADA (.dae) meshes: the surfaces that the scene of a file shows, in metres. No materials, no textures, no skins, no splines.

Read are <triangles>, <trifans>, <polylist> and <polygons> at the places of their nodes, <unit> and <up_axis>; polygons are fans
of triangles, of the same volume where they are flat. What is left out is told. No library is used, since pycollada gives XML to
parsers that expand entities; xml_tree.py reads it, and what is counted in the file is compared with what is there.
"""

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from app.robots.xml_tree import Element, read_top
from physics import BadInput
from physics.core.quaternions import to_matrix, turned_by

MAX_BYTES = 60_000_000
MAX_SURFACES, MAX_TRIANGLES = 10_000, 5_000_000
"""Largest numbers of geometries shown, and of their triangles: nodes can show nodes many times."""

MAX_CHAIN, MAX_VISITED = 100, 200_000
"""Deepest nodes within nodes; largest number of parts of all nodes, as often as they are shown."""

MAX_LETTERS, MAX_NOTES = 2_000, 20
"""Letters of a transform; notes of a file."""

TRANSFORMS = {"matrix": 16, "translate": 3, "rotate": 4, "scale": 3}
"""Number of values of each transform that a node may have."""

POLYGONS = ("triangles", "trifans", "polylist", "polygons")


class Surface(NamedTuple):
    """name: of the node; vertices (n, 3) [m] along the axes of the file, triangles (m, 3)."""

    name: str
    vertices: np.ndarray
    triangles: np.ndarray


@dataclass
class ColladaFile:
    """up: axis that points up, "X", "Y" or "Z"; notes: sentences about what is not used."""

    surfaces: list[Surface] = field(default_factory=list)
    up: str = "Y"
    notes: list[str] = field(default_factory=list)


@dataclass
class _Reader:
    """named: elements by id; known: what was found of elements, so that what is shown or named many times costs once."""

    found: ColladaFile
    named: dict[str, Element]
    known: dict[int, Any] = field(default_factory=dict)
    visited: int = 0

    def once(self, element: Element, find: Callable[["_Reader", Element], Any]) -> Any:
        """What a function finds of an element."""
        if id(element) not in self.known:
            self.known[id(element)] = find(self, element)
        return self.known[id(element)]

    def skip(self, element: Element, why: str = "") -> None:
        """Note, once, that an element is not read."""
        note = " ".join(f"line {element.line}: <{element.tag}> {why} is not read".split())
        if len(self.found.notes) < MAX_NOTES and note not in self.found.notes:
            self.found.notes.append(note)

    def referred(self, element: Element, name: str, tag: str) -> Element:
        """The element of this file that an attribute "#id" refers to."""
        text = element.text(name)
        target = self.named.get(text[1:]) if text.startswith("#") else None
        if target is None or target.tag != tag:
            raise element.refuse(f"{name}=\"{text[:60]}\" of <{element.tag}> is no <{tag}> of this file: export it again")
        return target


@np.errstate(over="ignore", invalid="ignore")
def read(path: Path) -> ColladaFile:
    """Read a file.

    Raises:
        BadInput: one sentence with file, line and remedy.
    """
    top = read_top(path, "COLLADA", "a COLLADA file", max_bytes=MAX_BYTES, max_text=MAX_BYTES)
    asset, scene = top.first("asset") or top, top.first("scene")
    unit = asset.first("unit")
    metre = unit.number("meter", 1.0) if unit is not None else 1.0
    if metre <= 0.0:
        raise unit.refuse(f"its unit is {metre:g} m, which must be above zero")
    shown = scene.first("instance_visual_scene") if scene is not None else None
    if shown is None:
        raise top.refuse("it has no <scene> that shows a <visual_scene>: export it again")
    up = asset.inner_text("up_axis") if asset.first("up_axis") is not None else "Y_UP"
    found, total = ColladaFile(up=up[:1]), 0
    reader = _Reader(found, {element.attributes["id"]: element for element in top.below() if "id" in element.attributes})
    for name, place, asked in _shown(reader, reader.referred(shown, "url", "visual_scene"), np.eye(4), ()):
        points, triangles = reader.once(reader.referred(asked, "url", "geometry"), _surface)
        total += len(triangles)
        if len(found.surfaces) >= MAX_SURFACES or total > MAX_TRIANGLES:
            raise asked.refuse(f"more than {MAX_SURFACES:,} surfaces or {MAX_TRIANGLES:,} triangles are too many: reduce them")
        placed = metre * (points @ place[:3, :3].T + place[:3, 3])
        if not np.isfinite(placed).all():
            raise asked.refuse(f"'{name}' has coordinates that are not finite: export it again")
        if len(triangles):
            found.surfaces.append(Surface(name, placed, triangles))
    if not found.surfaces:
        raise BadInput("; ".join([f"'{path.name}' shows no triangles: export it again, with faces", *found.notes[:3]]))
    return found


def _shown(reader: _Reader, node: Element, place: np.ndarray,
           chain: tuple[int, ...]) -> Iterator[tuple[str, np.ndarray, Element]]:
    """(name, place (4, 4), <instance_geometry>) of all that a node shows. chain: the nodes that led here."""
    if id(node) in chain or len(chain) > MAX_CHAIN:
        raise node.refuse(f"this <node> shows itself, or nodes show one another more than {MAX_CHAIN} deep: remove its "
                          "<instance_node>")
    chain = (*chain, id(node))
    for child in node.children:
        reader.visited += 1
        if reader.visited > MAX_VISITED:
            raise child.refuse(f"nodes that show nodes have more than {MAX_VISITED:,} parts: reduce them")
        if child.tag in (*TRANSFORMS, "lookat", "skew"):
            place = place @ _transform(child)
        elif child.tag == "instance_geometry":
            yield node.attributes.get("name", "") or node.attributes.get("id", ""), place, child
        elif child.tag == "instance_controller":
            reader.skip(child, "is a skin, and")
        elif child.tag == "node":
            yield from _shown(reader, child, place, chain)
        elif child.tag == "instance_node":
            yield from _shown(reader, reader.referred(child, "url", "node"), place, chain)


def _transform(element: Element) -> np.ndarray:
    """The matrix (4, 4) of a transform."""
    if element.tag not in TRANSFORMS:
        raise element.refuse(f"<{element.tag}> is not read: apply it to the mesh, and export it again")
    values, made = _values(element, float) if len(element.content) < MAX_LETTERS else np.empty(0), np.eye(4)
    if len(values) != TRANSFORMS[element.tag] or not np.isfinite(values).all():
        raise element.refuse(f"<{element.tag}> must be {TRANSFORMS[element.tag]} finite numbers")
    match element.tag:
        case "matrix":
            made = values.reshape(4, 4)
        case "translate":
            made[:3, 3] = values
        case "scale":
            made[:3, :3] = np.diag(values)
        case "rotate":
            axis = values[:3] / max(np.linalg.norm(values[:3]), 1e-300)
            made[:3, :3] = to_matrix(turned_by(np.array([1.0, 0.0, 0.0, 0.0]), np.radians(values[3]) * axis))
    return made


def _surface(reader: _Reader, geometry: Element) -> tuple[np.ndarray, np.ndarray]:
    """Points (n, 3) that the triangles of a geometry use, and these (m, 3)."""
    mesh, points, corners, first = geometry.first("mesh"), [np.empty((0, 3))], [np.empty((0, 3), np.int64)], 0
    if mesh is None:
        reader.skip(geometry, "has no <mesh>, and")
    for element in mesh.children if mesh is not None else ():
        if element.tag in POLYGONS:
            whole = reader.once(reader.referred(_input(element, "VERTEX"), "source", "vertices"), _positions)
            used, own = np.unique(_triangles(element, len(whole)), return_inverse=True)
            points.append(whole[used])
            corners.append(own.reshape(-1, 3) + first)
            first += len(used)
        elif element.tag in ("tristrips", "lines", "linestrips"):
            reader.skip(element)
    return np.concatenate(points), np.concatenate(corners)


def _positions(reader: _Reader, vertices: Element) -> np.ndarray:
    """Positions (n, 3) of vertices."""
    return reader.once(reader.referred(_input(vertices, "POSITION"), "source", "source"), _rows)


def _rows(reader: _Reader, source: Element) -> np.ndarray:
    """The first three numbers (n, 3) of each row of a source."""
    accessor = next((one for one in source.below() if one.tag == "accessor"), None)
    if accessor is None:
        raise source.refuse("<source> has no <accessor>: export it again")
    data = reader.once(reader.referred(accessor, "source", "float_array"), _floats)
    count, stride, offset = (_whole(accessor, name, usual) for name, usual in (("count", 0), ("stride", 1), ("offset", 0)))
    if stride < 3 or offset + count * stride > len(data):
        raise accessor.refuse(f"<accessor> reaches beyond the {len(data)} numbers of its array, or has a stride below 3: export "
                              "it again")
    return data[offset:offset + count * stride].reshape(count, stride)[:, :3]


def _floats(reader: _Reader, array: Element) -> np.ndarray:
    """The numbers of an array, which are as many as it says."""
    data = _values(array, float)
    if _whole(array, "count", 0) != len(data):
        raise array.refuse(f"<float_array> has {len(data)} numbers, and its count is {array.attributes.get('count', '')[:20]}: "
                           "export it again")
    return data


def _triangles(polygons: Element, vertices: int) -> np.ndarray:
    """The triangles (m, 3) of polygons, as indices of so many vertices."""
    inputs = polygons.all("input")
    width, at = 1 + max(_whole(one, "offset", 0) for one in inputs), _whole(_input(polygons, "VERTEX"), "offset", 0)
    rows = [_values(one, np.int64) for one in polygons.all("p") + [inner for ph in polygons.all("ph") for inner in ph.all("p")]]
    if any(len(row) % width for row in rows):
        raise polygons.refuse(f"the indices of <{polygons.tag}> are not {width} for each corner: export it again")
    sizes = np.array([len(row) // width for row in rows], np.int64)
    indices = np.concatenate([np.empty(0, np.int64), *(row[at::width] for row in rows)])
    if polygons.tag == "triangles":
        sizes = np.full(len(indices) // 3, 3)
    elif polygons.tag == "polylist":
        sizes = _values(polygons.first("vcount") or polygons, np.int64)
    many = len(indices)
    fits = all(0 <= size <= many for size in (sizes.min(initial=0), sizes.max(initial=0))) and sizes.sum() == many
    if not fits or _whole(polygons, "count", 0) != len(sizes):
        raise polygons.refuse(f"the indices of <{polygons.tag}> do not fit its count or vcount: export it again")
    if many and (indices.min() < 0 or indices.max() >= vertices):
        raise polygons.refuse(f"an index of <{polygons.tag}> is not one of its {vertices} vertices: export it again")
    fans = np.maximum(sizes - 2, 0)
    start = np.repeat(np.cumsum(sizes) - sizes, fans)
    k = np.arange(fans.sum()) - np.repeat(np.cumsum(fans) - fans, fans)
    return indices[np.column_stack([start, start + k + 1, start + k + 2])]


def _input(element: Element, semantic: str) -> Element:
    found = next((one for one in element.all("input") if one.attributes.get("semantic") == semantic), None)
    if found is None:
        raise element.refuse(f"<{element.tag}> has no <input semantic=\"{semantic}\">: export it again")
    return found


def _whole(element: Element, name: str, usual: int) -> int:
    text = element.attributes.get(name, str(usual)).strip()
    if not text.isdecimal() or len(text) > 18:
        raise element.refuse(f"{name}=\"{text[:20]}\" of <{element.tag}> must be a whole number")
    return int(text)


def _values(element: Element, kind: type) -> np.ndarray:
    """The numbers between the tags of an element."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            return np.fromstring(element.content, kind, sep=" ")
    except (ValueError, DeprecationWarning):
        raise element.refuse(f"<{element.tag}> holds what is no {'number' if kind is float else 'index'}: export it "
                             "again") from None
