"""The handles on what is selected: move, turn, size, by ImGuizmo. Ctrl snaps. Several bodies turn about the one with the handles.

Time stands still while a handle is held and goes on when it is let go: a body that is being placed neither falls nor pushes. It
is left there at rest. A whole drag is one edit.
"""

import math

import numpy as np
from imgui_bundle import imgui, imguizmo

from app.camera import Camera
from app.gui.controls import widgets
from app.gui.hand import choosing
from app.gui.hand.hiding import Hidden
from app.gui.hand.tools import Tool
from app.gui.panels import Panels
from app.gui.panes import panes
from app.insight import sizes
from app.render.sight import Coming
from app.session import Session
from physics.core.records import Kind
from physics.frames import product, rotate, rotation

g = imguizmo.im_guizmo

SNAP = {"move": 0.1, "turn": 15.0, "size": 0.1}
"""With Ctrl: metres, degrees, and the share of the size."""

LENGTH = 0.14
"""Of the handles, as a share of the picture."""

FACTORS = (1e-3, 1e3)
"""By how much one drag may stretch."""

OF_HULL, OF_BOX = 0.8, 0.2
"""Opacity of what is stretched: hulls stand for themselves, boxes are around what stays in sight."""

OPERATIONS = {"move": g.OPERATION.translate, "turn": g.OPERATION.rotate, "size": g.OPERATION.scale}


class _Held:
    """What the handles are on: the body and its matrix while they are held.

    start: of all that go along, where they were, (pos, quat); dims: their kinds of shapes and sizes before, where they have any;
    stretched: SHAPE records of those that are stretched instead, when the handle is let go; factors: by how much.
    """

    body = -1
    matrix: np.ndarray | None = None
    start: dict[int, tuple[np.ndarray, np.ndarray]]
    dims: dict[int, tuple[str, np.ndarray]]
    stretched: dict[int, np.void]
    factors: np.ndarray


def draw_gizmo(session: Session, panels: Panels) -> None:
    """The handles over the scene, and what they do."""
    tool, held = session.memory(Tool), session.memory(_Held)
    body = held.body if tool.using else session.selection.body
    if not tool.mode or not _there(session, body) or (tool.mode == "size" and sizes.refusal(session.frame, body)):
        _let_go(session, tool)
        tool.over = False
        return
    if not tool.using:
        held.body, held.matrix = body, _matrix(session, body)
    x, y, width, height = panes(session.frame, panels.centre, session.view.split)[0].box
    g.begin_frame()
    g.set_drawlist(imgui.get_background_draw_list())
    g.set_rect(x, y, width, height)
    g.set_orthographic(session.camera.flat)
    _lines()
    camera, shown = session.camera, g.Matrix16(held.matrix.T.ravel().tolist())
    snap = g.Matrix3([SNAP[tool.mode]] * 3) if imgui.get_io().key_ctrl else None
    mode = g.MODE.local if tool.local or tool.mode == "size" else g.MODE.world
    moved = g.manipulate(g.Matrix16(camera.view_matrix().T.ravel().tolist()),
                         g.Matrix16(_projection(camera, width / max(1.0, height)).T.ravel().tolist()),
                         OPERATIONS[tool.mode], mode, shown, None, snap)
    using = g.is_using()
    if using and not tool.using:
        _take(session, tool, held)
    if moved and using:
        held.matrix = np.array(shown.values, float).reshape(4, 4).T
        _post(session, tool, held)
    if tool.using and not using:
        _stretch(session, held)
        _let_go(session, tool)
    if tool.using:
        _show_stretched(session, held)
    tool.over = g.is_over()


def _projection(camera: Camera, aspect: float) -> np.ndarray:
    """As ImGuizmo wants it (4, 4): its rays begin where depth is 0, which must be before all that is seen."""
    matrix = camera.projection(aspect)
    if camera.flat:
        matrix[2] = 0.5 * (matrix[2] + matrix[3])
    return matrix


def _there(session: Session, body: int) -> bool:
    bodies = session.frame.bodies
    return 0 < body < len(bodies) and bodies["kind"][body] != Kind.FREE


def _matrix(session: Session, body: int) -> np.ndarray:
    """Body to world (4, 4)."""
    row, matrix = session.frame.bodies[body], np.eye(4)
    matrix[:3, :3], matrix[:3, 3] = rotation(row["quat"]), row["pos"]
    return matrix


def _take(session: Session, tool: Tool, held: _Held) -> None:
    tool.using, tool.resume = True, not session.frame.paused
    session.post("pause")
    bodies, among = session.frame.bodies, choosing.with_it(session, held.body)
    held.start = {i: (bodies["pos"][i].copy(), bodies["quat"][i].copy()) for i in among}
    shapes = {i: sizes.own_shape(session.frame, i) for i in among}
    held.stretched = {} if tool.mode != "size" else {
        i: shape for i in among if (shape := sizes.stretched(session.frame, i)) is not None}
    held.factors = np.ones(3)
    held.dims = {i: (shape[0], shape[1].copy()) for i, shape in shapes.items() if shape is not None}


def _show_stretched(session: Session, held: _Held) -> None:
    """Hulls as they will be, in their places; surfaces as the boxes that will hold them: to make a mesh anew takes too long."""
    hulls, frame = [], session.frame
    for i, shape in held.stretched.items():
        kind, (pos, quat) = frame.shape_kinds[shape["kind"]], held.start[i]
        dims, place = held.factors * shape["dims"], pos + rotate(quat, held.factors * shape["local_pos"])
        hull = kind == "hull"
        if hull:
            hulls.append(i)
        else:
            dims = np.maximum(dims, 0.5e-2)
        coming = Coming(kind if hull else "box", tuple(map(float, dims)), tuple(map(float, place)),
                        tuple(map(float, product(quat, shape["local_quat"]))), int(shape["geometry"]) if hull else -1,
                        OF_HULL if hull else OF_BOX)
        session.echoes = (*session.echoes, coming)
    session.memory(Hidden).away = tuple(hulls)


def _stretch(session: Session, held: _Held) -> None:
    """Once for the whole drag."""
    if held.stretched and np.any(held.factors != 1.0):
        factors = tuple(map(float, held.factors))
        choosing.together(session, "stretch", ((i, factors) for i in held.stretched))


def _let_go(session: Session, tool: Tool) -> None:
    session.memory(Hidden).away = ()
    if tool.using:
        tool.using = False
        if tool.resume:
            session.post("run")


def _post(session: Session, tool: Tool, held: _Held) -> None:
    matrix, (centre, quat) = held.matrix, held.start[held.body]
    if tool.mode == "size":
        held.factors = factors = np.clip(np.linalg.norm(matrix[:3, :3], axis=0), *FACTORS)
        choosing.together(session, "resize", ((i, sizes.scaled(*shape, factors)) for i, shape in held.dims.items()))
        return
    turn = product(quaternion(matrix[:3, :3]), quat * (1.0, -1.0, -1.0, -1.0)) if tool.mode == "turn" else None
    calls = []
    for i, (pos, own) in held.start.items():
        away = pos - centre if turn is None else rotate(turn, pos - centre)
        calls.append((i, tuple(map(float, matrix[:3, 3] + away)), tuple(map(float, own if turn is None else product(turn, own)))))
    choosing.together(session, "set_pose", calls)


def quaternion(turn: np.ndarray) -> np.ndarray:
    """(w, x, y, z) of a rotation matrix (3, 3), by the largest of the four."""
    m = turn / np.linalg.norm(turn, axis=0)
    squares = np.array([1.0 + m[0, 0] + m[1, 1] + m[2, 2], 1.0 + m[0, 0] - m[1, 1] - m[2, 2],
                        1.0 - m[0, 0] + m[1, 1] - m[2, 2], 1.0 - m[0, 0] - m[1, 1] + m[2, 2]])
    k, w = int(np.argmax(squares)), (m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1])
    sums = (m[1, 0] + m[0, 1], m[2, 0] + m[0, 2], m[2, 1] + m[1, 2])
    rows = ((squares[0], *w), (w[0], squares[1], sums[0], sums[1]), (w[1], sums[0], squares[2], sums[2]),
            (w[2], sums[1], sums[2], squares[3]))
    return np.array(rows[k]) / (2.0 * math.sqrt(squares[k]))


def _lines() -> None:
    """Thick enough to be seen and hit at the scale of the window."""
    own = g.get_style()
    own.translation_line_thickness = own.rotation_line_thickness = own.scale_line_thickness = widgets.px(3.5)
    own.hatched_axis_line_thickness = 0.0
    g.set_gizmo_size_clip_space(LENGTH)
    own.translation_line_arrow_size = own.scale_line_circle_size = widgets.px(6.5)
