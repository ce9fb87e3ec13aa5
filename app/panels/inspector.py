"""The selected body: pose, velocity, mass and material."""

import math

import numpy as np
from imgui_bundle import imgui

from app.gui import icons, style, widgets
from app.session import Session
from physics.core.records import Case, Kind, SleepReason, WakeReason

TITLE = "Inspector"
PLACE = "right"
ORDER = 10

KINDS = {Kind.STATIC: "static", Kind.KINEMATIC: "kinematic", Kind.DYNAMIC: "dynamic"}

REST = {SleepReason.UNWATCHED: "", SleepReason.FAST: "awake: it moves", SleepReason.DRIFTS: "awake: it creeps",
        SleepReason.WAITS: "awake: not calm for long enough", SleepReason.ISLAND: "awake: tied to something that moves",
        SleepReason.ASLEEP: "asleep"}

WOKEN = {WakeReason.ISLAND: "with", WakeReason.TOUCHED: "touched by", WakeReason.MOVER: "moved by",
         WakeReason.SUPPORT: "lost its support", WakeReason.FORCE: "a force", WakeReason.VELOCITY: "a velocity given to it",
         WakeReason.POSE: "put elsewhere", WakeReason.MASS: "another mass", WakeReason.MATERIAL: "another material",
         WakeReason.JOINT: "joint", WakeReason.GRAVITY: "gravity changed", WakeReason.SOLVER: "the solver changed",
         WakeReason.CALL: "called"}
"""What woke a body last, in words; the first three and JOINT are followed by a name."""


def draw(session: Session) -> None:
    body = session.selection.body
    frame = session.frame
    if not 0 <= body < len(frame.bodies):
        widgets.wrapped("Click a body to see its numbers and change its material.", style.palette().dim)
        if session.selection.contact >= 0:
            _contact(session, session.selection.contact)
        return
    row = frame.bodies[body]
    imgui.push_font(None, 1.1 * imgui.get_style().font_size_base)
    imgui.text_unformatted(frame.body_names[body] or f"body {body}")
    imgui.pop_font()
    imgui.same_line()
    widgets.dim(KINDS.get(Kind(row["kind"]), ""))
    if text := rest(row, frame.body_names, frame.joint_names):
        widgets.dim(text)
    _numbers(row)
    if row["kind"] == Kind.DYNAMIC:
        new = widgets.number("mass", float(row["mass"]), lo=1e-3, hi=1e5, unit="kg", log=True,
                             help="The moment of inertia changes in the same ratio.")
        if new is not None:
            session.post("set_mass", body, new)
    _material(session, body)
    if session.selection.contact >= 0:
        _contact(session, session.selection.contact)
    if row["kind"] == Kind.DYNAMIC:
        imgui.dummy(imgui.ImVec2(0.0, widgets.px(2.0)))
        if widgets.button(icons.text(icons.TRASH, "Remove"), "Remove this body and its joints (Del)", name="remove"):
            session.post("remove_body", body)


def rest(row: np.void, bodies: tuple[str, ...], joints: tuple[str, ...]) -> str:
    """Whether it sleeps, or why not, and what woke it last; "" where sleeping is off."""
    state, reason, cause = SleepReason(int(row["sleep_reason"])), WakeReason(int(row["wake_reason"])), int(row["wake_cause"])
    if state in (SleepReason.UNWATCHED, SleepReason.ASLEEP) or reason == WakeReason.NEVER:
        return REST[state]
    names = joints if reason == WakeReason.JOINT else bodies
    named = reason in (WakeReason.ISLAND, WakeReason.TOUCHED, WakeReason.MOVER, WakeReason.JOINT)
    name = f" {names[cause]}" if named and 0 <= cause < len(names) else ""
    return f"{REST[state]}; woken: {WOKEN[reason]}{name}"


def _numbers(row: np.void) -> None:
    roll, pitch, yaw = angles(row["quat"])
    lines = (("position", row["pos"], "m"), ("angles", np.degrees((roll, pitch, yaw)), "deg"),
             ("velocity", row["vel"], "m/s"), ("spin", row["omega"], "rad/s"))
    flags = imgui.TableFlags_
    if not imgui.begin_table("numbers", 5, flags.sizing_stretch_prop):
        return
    for i, weight in enumerate((1.1, 1.0, 1.0, 1.0, 0.7)):
        imgui.table_setup_column(f"{i}", 0, weight)
    for label, values, unit in lines:
        imgui.table_next_row()
        imgui.table_next_column()
        widgets.dim(label)
        for value in values:
            imgui.table_next_column()
            imgui.text_unformatted(f"{round(float(value), 3) + 0.0:.3f}" if abs(value) < 1e4 else f"{value:.2e}")
        imgui.table_next_column()
        widgets.dim(unit)
    imgui.end_table()


def angles(quat: np.ndarray) -> tuple[float, float, float]:
    """Turns about the world's x, then y, then z axis [rad]."""
    w, x, y, z = (float(c) for c in quat)
    return (math.atan2(2.0 * (w * x + y * z), 1.0 - 2.0 * (x * x + y * y)),
            math.asin(min(1.0, max(-1.0, 2.0 * (w * y - z * x)))),
            math.atan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z)))


def _material(session: Session, body: int) -> None:
    shapes = session.frame.shapes
    own = np.flatnonzero(shapes["body"] == body)
    if len(own) == 0:
        return
    widgets.heading("Material")
    for name, label, top in (("friction", "friction \u03bc", 2.0), ("restitution", "restitution e", 1.0)):
        new = widgets.number(label, float(shapes[name][own[0]]), lo=0.0, hi=top, help=f"{name.capitalize()} of this body alone.")
        if new is not None:
            session.post(f"set_{name}", new, body)


def _contact(session: Session, index: int) -> None:
    frame = session.frame
    if index >= len(frame.contacts):
        return
    contact, dt = frame.contacts[index], frame.dt
    normal = float(contact["impulse"]) / dt
    friction = float(np.linalg.norm(contact["friction_impulse"])) / dt
    bound = float(contact["friction"]) * normal
    p = style.palette()
    case = Case(contact["case"])
    widgets.heading("Contact")
    words = {Case.OPEN: ("open", p.open), Case.STICK: ("sticks", p.stick), Case.SLIP: ("slips", p.slip)}
    names = [frame.body_names[contact[b]] or f"body {contact[b]}" for b in ("body_a", "body_b")]
    widgets.wrapped(f"{names[0]} and {names[1]}", p.dim)
    widgets.coloured(*words[case])
    imgui.text_unformatted(f"normal {normal:.4g} N, gap {1e3 * contact['gap']:.3g} mm")
    widgets.bar(friction / bound if bound > 0 else 0.0, f"friction {friction:.3g} of {bound:.3g} N", words[case][1])
