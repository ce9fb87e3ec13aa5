"""Friction, restitution, gravity, the mouse spring, the solver with all its options, and when bodies fall asleep."""

import contextlib
import time
from dataclasses import dataclass, field

import numpy as np

from app.digits import few
from app.engine.pacing import TIME_SHARE
from app.gui.controls import groups, style, widgets
from app.gui.controls.values import THROWS
from app.gui.speaking import imgui
from app.session import Session
from physics import solvers

TITLE = "Physics"
PLACE = "right top"
ORDER = 10

INTERVAL = 0.5
"""Wall seconds between two looks at what each solver can do."""


@dataclass
class State:
    """Why each solver cannot do this world ("" if it can); what the materials have in common."""

    wall: float = -1.0
    reasons: dict[str, str] = field(default_factory=dict)


def draw(session: Session) -> None:
    _materials(session)
    _gravity(session)
    _solver(session)
    widgets.heading("Sleeping")
    with groups.group("sleeping"):
        widgets.options(session.simulation.world.sleeping, lambda name, value: session.post("set_sleeping", name, value))
    widgets.heading("Auditor")
    with groups.group("auditor"):
        widgets.options(session.simulation.world.audit.options, lambda name, value: session.post("set_audit", name, value))


def _materials(session: Session) -> None:
    shapes, simulation = session.frame.shapes, session.simulation
    living = shapes["body"] >= 0
    widgets.heading("All bodies")
    for name, label, top, help in (
            ("friction", "friction \u03bc", 2.0,
             "Coulomb's coefficient of every body's material. A pair has sqrt(\u03bca \u03bcb)."),
            ("restitution", "restitution e", 1.0,
             "Part of the approach speed that comes back. A pair has the larger of the two.")):
        chosen = getattr(simulation, name)
        values = shapes[name][living]
        mixed = chosen is None and len(values) > 0 and bool(np.ptp(values) > 1e-9)
        value = float(chosen if chosen is not None else np.mean(values) if len(values) else 0.0)
        note = f"\nNow they differ: {few(values.min())} .. {few(values.max())}; moving this makes them equal." if mixed else ""
        new = widgets.number(label, value, lo=0.0, hi=top, help=help + note,
                             instead=f"{few(values.min())} .. {few(values.max())}" if mixed else "")
        if new is not None:
            session.post(f"set_{name}", new)
    changed = simulation.friction is not None or simulation.restitution is not None or simulation.joint_bounds
    if changed and widgets.button("The scene's own materials",
                                  "Give every body and joint its own friction and restitution again.", name="own materials"):
        session.post("restore_materials")


def _gravity(session: Session) -> None:
    gravity, own = session.frame.gravity, session.simulation.own_gravity
    new = widgets.number("gravity", 0.0 - gravity[2], lo=-30.0, hi=30.0, unit="m/s\u00b2", default=0.0 - own[2],
                         help="Downwards. 1.62 is the Moon, 0 is free fall.")
    if new is not None:
        session.post("set_gravity", (gravity[0], gravity[1], -new))
    new = widgets.number("mouse spring", session.simulation.drag_stiffness, lo=1.0, hi=100.0, unit="rad/s", log=True,
                         default=15.0, help="How fast the spring between mouse and body pulls; counts from the next drag on.")
    if new is not None:
        session.post("set_drag_stiffness", new)
    new = widgets.number("throw speed", session.throw_speed, lo=THROWS[0], hi=THROWS[1], unit="m/s", log=True, default=12.0,
                         help="Speed of a ball thrown with B or Shift+click.")
    if new is not None:
        session.throw_speed = new


def _solver(session: Session) -> None:
    widgets.heading("Solver")
    solver = session.simulation.world.solver
    reasons = unsupported(session)
    widgets.row("solver", solver.doc, widgets.combo_width(solver.name))
    imgui.set_next_item_width(-1.0)
    opened = imgui.begin_combo("##solver", solver.name)
    widgets.mark("solver")
    if opened:
        for key, kind in solvers.available().items():
            reason = reasons.get(key, "")
            imgui.begin_disabled(bool(reason))
            if imgui.selectable(kind.name, kind.name == solver.name)[0] and kind.name != solver.name:
                session.post("use_solver", key)
            widgets.mark(f"solver={key}")
            imgui.end_disabled()
            widgets.tooltip(reason or kind.doc)
            if reason:
                imgui.indent()
                widgets.wrapped(reason, style.palette().warn)
                imgui.unindent()
        imgui.end_combo()
    else:
        widgets.tooltip(solver.doc)
    widgets.wrapped(solver.doc, style.palette().dim)
    widgets.options(solver.options, lambda name, value: session.post("set_option", name, value),
                    skip=("facets",) if getattr(solver.options, "cone", "") == "circle" else ())
    if hasattr(solver, "allowance"):
        new = widgets.number("share of real time", session.simulation.time_share, lo=0.0, hi=1.0, default=TIME_SHARE,
                             zero="no limit", help="Part of the real time of a step that finding contacts and the sweeps may "
                                                   "take where the budget is automatic. Steps that need longer are ended.")
        if new is not None:
            session.post("set_time_share", new)


def unsupported(session: Session) -> dict[str, str]:
    """By solver file: why it cannot do this world, "" if it can. Asked twice a second."""
    state = session.memory(State)
    now = time.perf_counter()
    if now - state.wall > INTERVAL:
        state.wall = now
        world = session.simulation.world
        with contextlib.suppress(IndexError, KeyError, RuntimeError):   # the world may change this very moment
            state.reasons = {key: kind().unsupported(world) for key, kind in solvers.available().items()}
    return state.reasons
