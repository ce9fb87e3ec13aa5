"""What can be done with a body or a joint by its right-click menu, in the scene and in the outliner alike."""

import numpy as np

from app.gui.controls import icons, widgets
from app.gui.fields.quantity_picker import plot_this
from app.gui.hand import tools
from app.gui.speaking import imgui
from app.session import Selection, Session
from physics import BadInput, quantities

FOLLOWED = {"body": ("speed", "z", "kinetic"), "joint": ("angle", "travel", "friction")}
"""Quantities that the menu offers for plots, where the thing has them."""


def body_menu(session: Session, body: int) -> None:
    """The items; within a popup."""
    widgets.dim(session.frame.body_names[body])
    imgui.separator()
    if _item(icons.CAMERA, "Frame", "Bring it into the middle of the picture (double-click)."):
        frame_body(session, body)
    if body == 0:
        return
    if _item(icons.COPY, "Duplicate", "A copy beside it, at rest, without its joints."):
        session.post("duplicate", body, (*(1.1 * 2.0 * reach(session, body) * session.camera.axes()[0][:2]).tolist(), 0.0))
    for mode in tools.MODES:
        if _item("", mode.capitalize(), "Handles on the body; Ctrl snaps."):
            session.selection = Selection(body=body)
            session.memory(tools.Tool).mode = ""
            tools.choose(session, mode)
    if imgui.begin_menu("Make it"):
        for kind in ("static", "kinematic", "dynamic"):
            if _item("", kind):
                session.post("set_kind", body, kind)
        imgui.end_menu()
    if imgui.begin_menu("Join it to the world by a"):
        for kind in ("revolute", "spherical", "prismatic", "fixed"):
            if _item("", kind, "At its centre of mass, along the world's z axis; the panel Inspector has the rest."):
                session.post("join", kind, 0, body, tuple(map(float, session.frame.bodies["pos"][body])))
        imgui.end_menu()
    _follow(session, f"body:{session.frame.body_names[body]}", "body")
    if _item(icons.TRASH, "Delete", "With its joints (Del)."):
        session.post("remove_body", body)


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
