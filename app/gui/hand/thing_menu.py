"""What can be done with a body or a joint by its right-click menu, in the scene and in the outliner alike."""

import numpy as np

from app.gui.controls import icons, widgets
from app.gui.fields.quantity_picker import plot_this
from app.gui.hand import choosing, hiding, tools
from app.gui.speaking import imgui
from app.insight import joining
from app.render.place import Placed
from app.session import Selection, Session
from physics import BadInput, quantities

FOLLOWED = {"body": ("speed", "z", "kinetic"), "joint": ("angle", "travel", "friction")}
"""Quantities that the menu offers for plots, where the thing has them."""


def body_menu(session: Session, body: int) -> None:
    """The items; within a popup. What can be done to several is done to all that are selected with the body."""
    among = choosing.with_it(session, body)
    widgets.dim(session.frame.body_names[body] if len(among) < 2 else f"{len(among)} bodies")
    imgui.separator()
    if _item(icons.CAMERA, "Frame", "Bring it into the middle of the picture (double-click)."):
        frame_body(session, body)
    if body == 0:
        return
    if _item(icons.COPY, "Duplicate",
             "A copy beside it, at rest; joints between copied bodies, and to what is static, come along."):
        duplicate(session, body)
    if _item(icons.HIDDEN, "Hide", "Neither drawn nor found by the mouse; the physics goes on with it. Alt+H shows all again."):
        hiding.hide_chosen(session, body)
    for mode in tools.MODES:
        if _item("", mode.capitalize(), "Handles on the body; Ctrl snaps."):
            if body not in session.selection.bodies:
                session.selection = Selection(body=body)
            session.memory(tools.Tool).mode = ""
            tools.choose(session, mode)
    if imgui.begin_menu("Make it"):
        for kind in ("static", "kinematic", "dynamic"):
            if _item("", kind):
                choosing.give(session, "set_kind", body, lambda i, kind=kind: (i, kind))
        imgui.end_menu()
    _join(session, among)
    _follow(session, f"body:{session.frame.body_names[body]}", "body")
    if _item(icons.TRASH, "Delete", "With its joints (Del)."):
        choosing.give(session, "remove_body", body, lambda i: (i,))


def _join(session: Session, among: tuple[int, ...]) -> None:
    """One body to the world, or two to one another, by a joint of any kind."""
    if len(among) > 2:
        return
    a, b = (0, *among)[-2:]
    opened = imgui.begin_menu("Join the two by" if a else "Join it to the world by")
    widgets.mark("Join")
    if opened:
        where = ("Where they touch, or half way between them; hinges level and across their line, sliders along it." if a
                 else "At its centre of mass, along the world's z axis.")
        for kind, what in joining.kinds(to_world=not a).items():
            if _item("", kind.replace("_", " "), f"{what}\n{where}\nThe Inspector has the rest."):
                session.post("join", kind, a, b, **joining.place(session.frame, kind, a, b).arguments())
                session.view.joints = True
        if not a:
            imgui.separator()
            widgets.dim("Two bodies selected by Ctrl+click\nare joined to one another.")
        imgui.end_menu()


def duplicate(session: Session, body: int) -> None:
    """Copies to the right of the body, or of all that are selected with it, clear of them."""
    placed, right = Placed(session.frame), session.camera.axes()[0][:2]
    radii = placed.radii()
    own = np.isin(placed.body, choosing.with_it(session, body)) & np.isfinite(radii)
    ends = [(placed.pos[own] + sign * radii[own, None])[:, :2] for sign in (1.0, -1.0)]
    span = ends[0].max(axis=0) - ends[1].min(axis=0) if own.any() else np.ones(2)
    far = 1.1 * float(np.min(span / np.maximum(np.abs(right), 1e-9)))      # past the nearer side of the box around all
    shift = (*map(float, far * right), 0.0)
    session.post("duplicate", choosing.with_it(session, body), shift)


def joint_menu(session: Session, j: int) -> None:
    """The items; within a popup."""
    widgets.dim(session.frame.joint_names[j])
    imgui.separator()
    if _item(icons.CAMERA, "Frame", "Bring its second body into the middle of the picture."):
        frame_body(session, int(session.frame.joints["body_b"][j]))
    _follow(session, f"joint:{session.frame.joint_names[j]}", "joint")
    if _item(icons.TRASH, "Delete", "Its bodies stay."):
        session.post("remove_joint", j)


def frame_body(session: Session, body: int) -> None:
    """Glide there; the distance suits its size."""
    session.camera.target = session.frame.bodies["pos"][body].copy()
    session.camera.distance = float(np.clip(6.0 * reach(session, body), 0.5, 200.0))


def reach(session: Session, body: int) -> float:
    """About how far its shapes go from its centre [m]."""
    shapes = session.frame.shapes[session.frame.shapes["body"] == body]
    span = np.where(np.isfinite(shapes["hi"] - shapes["lo"]), shapes["hi"] - shapes["lo"], 2.0)
    return float(np.clip(0.5 * span.max(), 0.05, 20.0)) if len(span) else 0.5


def _follow(session: Session, thing: str, kind: str) -> None:
    if imgui.begin_menu("Follow in the plot"):
        for field in FOLLOWED[kind]:
            if _known(session, f"{thing}.{field}") and _item("", field):
                session.post("follow", f"{thing}.{field}")
                session.request("show:plot")
        if _item("", "more ...", "Choose among all of its numbers."):
            plot_this(session, f"{thing}.")
        imgui.end_menu()


def _known(session: Session, key: str) -> bool:
    try:
        quantities.find(session.simulation.world, key)
    except BadInput:
        return False
    return True


def _item(icon: str, label: str, help: str = "") -> bool:
    pressed = imgui.menu_item(icons.text(icon, label) if icon else label, "", False)[0]
    widgets.mark(label)
    widgets.tooltip(help)
    return pressed
