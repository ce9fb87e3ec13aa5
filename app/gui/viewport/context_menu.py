"""Context menus of bodies and joints, in the scene and in the outliner."""

import numpy as np

from app.engine import commands
from app.gui.controls import icons, widgets
from app.gui.fields.quantity_picker import plot_this
from app.gui.viewport import hidden_bodies, joint_placement, multi_select, transform_tools
from app.i18n.imgui_translated import imgui
from app.i18n.message import message
from app.render.scene.transforms import BodyTransforms
from app.session import Selection, Session
from physics import BadInput
from physics.observe import quantities

FOLLOWED = {"body": ("speed", "z", "kinetic"), "joint": ("angle", "travel", "friction")}
"""Quantities that the menu offers for plots, if they exist."""


def body_menu(session: Session, body: int) -> None:
    """Items of a body; call within a popup. Commands act on all bodies selected with it, where possible."""
    among = multi_select.selected_with(session, body)
    widgets.dim_text(session.frame.body_names[body] if len(among) < 2 else
                     message("{count} body", "{count} bodies", count=len(among)))
    imgui.separator()
    if _item(icons.CAMERA, "Frame", "Centre it in the view (double-click)."):
        frame_body(session, body)
    if body == 0:
        return
    if _item(icons.COPY, "Duplicate",
             "Place a copy beside it, at rest; joints between copied bodies and to static bodies are copied too."):
        duplicate(session, body)
    if _item(icons.HIDDEN, "Hide", "Not drawn and not selectable by mouse, but still simulated. Alt+H shows all."):
        hidden_bodies.hide_chosen(session, body)
    for mode in transform_tools.GIZMO_MODES:
        if _item("", mode.capitalize(), "Show handles on the body; Ctrl snaps."):
            if body not in session.selection.bodies:
                session.selection = Selection(body=body)
            session.state(transform_tools.Tool).mode = ""
            transform_tools.choose(session, mode)
    if imgui.begin_menu("Change to"):
        for kind in ("static", "kinematic", "dynamic"):
            if _item("", kind):
                multi_select.as_command(session, commands.set_kind, body, lambda i, kind=kind: (i, kind))
        imgui.end_menu()
    _join(session, among)
    _follow(session, f"body:{session.frame.body_names[body]}", "body")
    if _item(icons.TRASH, "Delete", "Delete it and its joints (Del)."):
        multi_select.as_command(session, commands.remove_body, body, lambda i: (i,))


def _join(session: Session, among: tuple[int, ...]) -> None:
    """Join one body to the world, or two to each other, by a joint of any kind."""
    if len(among) > 2:
        return
    a, b = (0, *among)[-2:]
    opened = imgui.begin_menu("Connect the two with" if a else "Connect to the world with")
    widgets.register_area("Join")
    if opened:
        where = ("At the contact, or midway between them; hinge axes horizontal and perpendicular to the line between them, "
                 "slider axes along it." if a
                 else "At its centre of mass, along the world's z axis.")
        for kind, what in joint_placement.kinds(to_world=not a).items():
            if _item("", kind.replace("_", " "),
                     message("{what}\n{where}\nSee the Inspector for details.", what=what, where=where)):
                session.post(commands.join, kind, a, b, **joint_placement.place(session.frame, kind, a, b).arguments())
                session.view.joints = True
        if not a:
            imgui.separator()
            widgets.dim_text("Select two bodies with Ctrl+click\nto connect them to each other.")
        imgui.end_menu()


def duplicate(session: Session, body: int) -> None:
    """Copy the body, or all selected with it, to the right, clear of them."""
    placed, right = BodyTransforms(session.frame), session.camera.axes()[0][:2]
    radii = placed.radii()
    own = np.isin(placed.body, multi_select.selected_with(session, body)) & np.isfinite(radii)
    ends = [(placed.pos[own] + sign * radii[own, None])[:, :2] for sign in (1.0, -1.0)]
    span = ends[0].max(axis=0) - ends[1].min(axis=0) if own.any() else np.ones(2)
    far = 1.1 * float(np.min(span / np.maximum(np.abs(right), 1e-9)))      # past the nearer side of the box around all
    shift = (*map(float, far * right), 0.0)
    session.post(commands.duplicate, multi_select.selected_with(session, body), shift)


def joint_menu(session: Session, j: int) -> None:
    """Items of a joint; call within a popup."""
    widgets.dim_text(session.frame.joint_names[j])
    imgui.separator()
    if _item(icons.CAMERA, "Frame", "Centre its second body in the view."):
        frame_body(session, int(session.frame.joints["body_b"][j]))
    _follow(session, f"joint:{session.frame.joint_names[j]}", "joint")
    if _item(icons.TRASH, "Delete", "Its bodies are kept."):
        session.post(commands.remove_joint, j)


def frame_body(session: Session, body: int) -> None:
    """Glide to a body, at a distance that suits its size."""
    session.camera.target = session.frame.bodies["pos"][body].copy()
    session.camera.distance = float(np.clip(6.0 * bounding_radius(session, body), 0.5, 200.0))


def bounding_radius(session: Session, body: int) -> float:
    """Approximate radius of its shapes about its centre [m]."""
    shapes = session.frame.shapes[session.frame.shapes["body"] == body]
    span = np.where(np.isfinite(shapes["hi"] - shapes["lo"]), shapes["hi"] - shapes["lo"], 2.0)
    return float(np.clip(0.5 * span.max(), 0.05, 20.0)) if len(span) else 0.5


def _follow(session: Session, thing: str, kind: str) -> None:
    if imgui.begin_menu("Add to the plot"):
        for field in FOLLOWED[kind]:
            if _known(session, f"{thing}.{field}") and _item("", field):
                session.post(commands.follow, f"{thing}.{field}")
                session.window.show_panel("plot")
        if _item("", "more ...", "Choose from all its quantities."):
            plot_this(session, f"{thing}.")
        imgui.end_menu()


def _known(session: Session, key: str) -> bool:
    try:
        quantities.find(session.frame.as_world, key)
    except BadInput:
        return False
    return True


def _item(icon: str, label: str, help: str = "") -> bool:
    pressed = imgui.menu_item(icons.text(icon, label) if icon else label, "", False)[0]
    widgets.register_area(label)
    widgets.tooltip(help)
    return pressed
