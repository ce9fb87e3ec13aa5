"""Handles on the selection: move, turn, size, by ImGuizmo. Ctrl snaps. Several bodies turn about the one with the handles.

The simulation pauses while a handle is held and resumes on release: a body being placed neither falls nor pushes. It is left at
rest. A whole drag is one edit.
"""


import numpy as np
from imgui_bundle import imgui, imguizmo

from app.analysis.editing import shape_sizes
from app.camera import Camera
from app.engine import commands
from app.engine.simulation import Simulation
from app.gui.controls import widgets
from app.gui.shell.panel_host import Panels
from app.gui.shell.viewport_layout import panes
from app.gui.viewport import multi_select
from app.gui.viewport.hidden_bodies import Hidden
from app.gui.viewport.transform_tools import Tool
from app.render.scene.overlay_context import PreviewGhost
from app.render.scene.transforms import BodyTransforms, boxes_in_picture
from app.session import Session
from physics.core.quaternions import conjugate, from_matrix, product, rotate, to_matrix
from physics.core.records import Kind

g = imguizmo.im_guizmo

SNAP = {"move": 0.1, "turn": 15.0, "size": 0.1}
"""Snapping with Ctrl: metres, degrees, and a fraction of the size."""

LENGTH, SHORT, WIDE_BODY = 0.14, 0.7, 60.0
"""Length of the handles, as a fraction of the picture; share of it on bodies that are small in the picture, so that clicks beside
them meet others; width of bodies with handles of full length [px]."""

STRETCH_RANGE = (1e-3, 1e3)
"""Bounds on the stretch of one drag."""

OF_HULL, OF_BOX = 0.8, 0.2
"""Opacity of previews while stretching: of hulls in place of the body, of boxes around visible surfaces."""

OPERATIONS = {"move": g.OPERATION.translate, "turn": g.OPERATION.rotate, "size": g.OPERATION.scale}


class _Held:
    """State of the handles: the body and its matrix while they are held.

    start: (pos, quat) at the start, of all bodies moved; dims: their kinds of shapes and initial sizes, if they have any;
    stretched: SHAPE records of those stretched instead, on release; factors: of the stretch.
    """

    body = -1
    matrix: np.ndarray | None = None
    start: dict[int, tuple[np.ndarray, np.ndarray]]
    dims: dict[int, tuple[str, np.ndarray]]
    stretched: dict[int, np.void]
    factors: np.ndarray


def draw_gizmo(session: Session, panels: Panels) -> None:
    """Draw the handles over the scene and apply them."""
    tool, held = session.state(Tool), session.state(_Held)
    body = held.body if tool.using else session.selection.body
    if not tool.mode or not _there(session, body) or (tool.mode == "size" and shape_sizes.refusal(session.frame, body)):
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
    _lines(_share(session, body, (width, height)))
    camera, shown = session.camera, g.Matrix16(held.matrix.T.ravel().tolist())
    snap = g.Matrix3([SNAP[tool.mode]] * 3) if imgui.get_io().key_ctrl else None
    mode = g.MODE.local if tool.local or tool.mode == "size" else g.MODE.world
    moved = g.manipulate(g.Matrix16(camera.view_matrix().T.ravel().tolist()),
                         g.Matrix16(_projection(camera, width / max(1.0, height)).T.ravel().tolist()),
                         OPERATIONS[tool.mode], mode, shown, None, snap)
    using = g.is_using()
    if using and not tool.using:
        _grab(session, tool, held)
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
    """Projection for ImGuizmo (4, 4): its rays begin at depth 0, which must lie before everything visible."""
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
    matrix[:3, :3], matrix[:3, 3] = to_matrix(row["quat"]), row["pos"]
    return matrix


def _grab(session: Session, tool: Tool, held: _Held) -> None:
    tool.using, tool.resume = True, not session.frame.paused
    session.post(Simulation.pause)
    bodies, among = session.frame.bodies, multi_select.selected_with(session, held.body)
    held.start = {i: (bodies["pos"][i].copy(), bodies["quat"][i].copy()) for i in among}
    shapes = {i: shape_sizes.own_shape(session.frame, i) for i in among}
    held.stretched = {} if tool.mode != "size" else {
        i: shape for i in among if (shape := shape_sizes.stretched(session.frame, i)) is not None}
    held.factors = np.ones(3)
    held.dims = {i: (shape[0], shape[1].copy()) for i, shape in shapes.items() if shape is not None}


def _show_stretched(session: Session, held: _Held) -> None:
    """Preview hulls at their new size, in their places; surfaces as bounding boxes: rebuilding a mesh takes too long."""
    hulls, frame = [], session.frame
    for i, shape in held.stretched.items():
        kind, (pos, quat) = frame.shape_kinds[shape["kind"]], held.start[i]
        dims, place = held.factors * shape["dims"], pos + rotate(quat, held.factors * shape["local_pos"])
        hull = shape_sizes.OFFERED_SHAPES[kind].convex is not None
        if hull:
            hulls.append(i)
        else:
            dims = np.maximum(dims, 0.5e-2)
        coming = PreviewGhost(kind if hull else "box", tuple(map(float, dims)), tuple(map(float, place)),
                              tuple(map(float, product(quat, shape["local_quat"]))), int(shape["geometry"]) if hull else -1,
                              OF_HULL if hull else OF_BOX)
        session.ghosts = (*session.ghosts, coming)
    session.state(Hidden).away = tuple(hulls)


def _stretch(session: Session, held: _Held) -> None:
    """Post the stretch, once for the whole drag."""
    if held.stretched and np.any(held.factors != 1.0):
        factors = tuple(map(float, held.factors))
        multi_select.apply_to_selection(session, commands.stretch, ((i, factors) for i in held.stretched))


def _let_go(session: Session, tool: Tool) -> None:
    session.state(Hidden).away = ()
    if tool.using:
        tool.using = False
        if tool.resume:
            session.post(Simulation.run)


def _post(session: Session, tool: Tool, held: _Held) -> None:
    matrix, (centre, quat) = held.matrix, held.start[held.body]
    if tool.mode == "size":
        held.factors = factors = np.clip(np.linalg.norm(matrix[:3, :3], axis=0), *STRETCH_RANGE)
        multi_select.apply_to_selection(session, commands.resize,
                                        ((i, shape_sizes.scaled(*shape, factors)) for i, shape in held.dims.items()))
        return
    turn = product(from_matrix(matrix[:3, :3]), conjugate(quat)) if tool.mode == "turn" else None
    calls = []
    for i, (pos, own) in held.start.items():
        away = pos - centre if turn is None else rotate(turn, pos - centre)
        calls.append((i, tuple(map(float, matrix[:3, 3] + away)), tuple(map(float, own if turn is None else product(turn, own)))))
    multi_select.apply_to_selection(session, commands.set_pose, calls)


def _share(session: Session, body: int, size: tuple[float, float]) -> float:
    """Length of the handles of a body as a share of the full one. size: of the picture [px]."""
    _, boxes = boxes_in_picture(session.frame, BodyTransforms(session.frame), np.array([body]), session.camera, *size)
    wide = float((boxes[0, 2:] - boxes[0, :2]).max()) if len(boxes) else 0.0
    return min(1.0, max(SHORT, wide / widgets.scaled(WIDE_BODY)))


def _lines(share: float) -> None:
    """Scale the line widths to the window, to be visible and easy to hit."""
    own = g.get_style()
    own.translation_line_thickness = own.rotation_line_thickness = own.scale_line_thickness = widgets.scaled(3.5)
    own.hatched_axis_line_thickness = 0.0
    g.set_gizmo_size_clip_space(share * LENGTH)
    own.translation_line_arrow_size = own.scale_line_circle_size = widgets.scaled(6.5)
