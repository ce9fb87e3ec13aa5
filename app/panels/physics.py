"""Friction, restitution, gravity, the mouse spring, the solver with all its options, and when bodies fall asleep."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from app.engine import commands
from app.engine.frame import Frame
from app.engine.solver_budget import TIME_SHARE
from app.gui.controls import style, widgets
from app.gui.controls.values import THROWS, solver_title
from app.i18n.imgui_translated import imgui
from app.i18n.message import message
from app.number_format import rounded
from app.session import Session
from physics import solvers

TITLE = "Physics"
PLACE = "right top"
ORDER = 10
GROUP = "Change"
ABOUT = "friction, gravity, the solver and its options"

QUERY_INTERVAL = 0.5
"""Interval between two queries of what each solver supports [wall s]."""


@dataclass
class PhysicsState:
    """Why each solver cannot run this world with its default options ("" if it can), and the options with which it can. of: scene
    and revision of that world; wall: when they were found [s]."""

    wall: float = -1.0
    of: tuple[str, int] = ("", -1)
    reasons: dict[str, str] = field(default_factory=dict)
    alternatives: dict[str, Mapping[str, Any]] = field(default_factory=dict)


def draw(session: Session) -> None:
    _materials(session)
    _gravity(session)
    _solver(session)
    widgets.heading("Sleeping")
    with widgets.group("sleeping"):
        widgets.options(session.frame.sleeping, lambda name, value: session.post(commands.set_sleeping, name, value))
    widgets.heading("Auditor")
    with widgets.group("auditor"):
        widgets.options(session.frame.audit_options, lambda name, value: session.post(commands.set_audit, name, value))


def _materials(session: Session) -> None:
    shapes, authored = session.frame.shapes, session.frame.authored
    living = shapes["body"] >= 0
    widgets.heading("All bodies")
    for name, command, label, top, help in (
            ("friction", commands.set_friction, "friction \u03bc", 2.0,
             "Friction coefficient of every body's material. A pair has sqrt(\u03bca \u03bcb)."),
            ("restitution", commands.set_restitution, "restitution e", 1.0,
             "Coefficient of restitution: ratio of rebound to approach speed. A pair has the larger of the two.")):
        chosen = getattr(authored, name)
        values = shapes[name][living]
        mixed = chosen is None and len(values) > 0 and bool(np.ptp(values) > 1e-9)
        value = float(chosen if chosen is not None else np.mean(values) if len(values) else 0.0)
        note = ""
        if mixed:
            note = (message("\nCurrent values differ: {least} .. {most}; moving the slider makes them equal.",
                            least=rounded(values.min()), most=rounded(values.max())))
        new = widgets.number(label, value, lo=0.0, hi=top, help=help + note,
                             instead=f"{rounded(values.min())} .. {rounded(values.max())}" if mixed else "")
        if new is not None:
            session.post(command, new)
    changed = authored.friction is not None or authored.restitution is not None or authored.joint_bounds
    if changed and widgets.button("Restore the scene's materials",
                                  "Restore the friction and restitution of each body and joint.", name="own materials"):
        session.post(commands.restore_materials)


def _gravity(session: Session) -> None:
    gravity, own = session.frame.gravity, session.simulation.own_gravity
    new = widgets.number("gravity", 0.0 - gravity[2], lo=-30.0, hi=30.0, unit="m/s\u00b2", default=0.0 - own[2],
                         help="Downward acceleration. 1.62: Moon, 0: weightless.")
    if new is not None:
        session.post(commands.set_gravity, (gravity[0], gravity[1], -new))
    new = widgets.number("mouse spring", session.simulation.drag_stiffness, lo=1.0, hi=100.0, unit="rad/s", log=True,
                         default=15.0, help="Stiffness of the mouse spring, as its frequency; applies from the next drag on.")
    if new is not None:
        session.post(commands.set_drag_stiffness, new)
    new = widgets.number("throw speed", session.throw_speed, lo=THROWS[0], hi=THROWS[1], unit="m/s", log=True, default=12.0,
                         help="Speed of a ball thrown with B or Shift+click.")
    if new is not None:
        session.throw_speed = new


def _solver(session: Session) -> None:
    widgets.heading("Solver")
    solver = session.frame.solver_state
    reasons = unsupported(session)
    widgets.row("solver", solver.doc, widgets.combo_width(solver.name))
    imgui.set_next_item_width(-1.0)
    opened = imgui.begin_combo("##solver", solver.name)
    widgets.register_area("solver")
    if opened:
        for key, kind in solvers.available().items():
            reason = reasons.get(key, "")
            imgui.begin_disabled(bool(reason))
            if imgui.selectable(kind.name, kind.name == solver.name)[0] and kind.name != solver.name:
                session.post(commands.use_solver, key)
            widgets.register_area(f"solver={key}")
            imgui.end_disabled()
            widgets.tooltip(reason or kind.doc)
            if reason:
                imgui.indent()
                widgets.wrapped(reason, style.palette().warn)
                imgui.unindent()
            if (options := alternatives(session).get(key)) and imgui.selectable(solver_title(kind.name, options), False)[0]:
                session.post(commands.use_solver, key, **options)
            if options:
                widgets.register_area(f"solver={key} with {'+'.join(options)}")
                widgets.tooltip(kind.doc)
        imgui.end_combo()
    else:
        widgets.tooltip(solver.doc)
    widgets.wrapped(solver.doc, style.palette().dim)
    widgets.options(solver.options, lambda name, value: session.post(commands.set_option, name, value),
                    skip=("facets",) if getattr(solver.options, "cone", "") == "circle" else ())
    widgets.wrapped(substeps_line(session.frame), style.palette().dim)
    if solver.has_allowance:
        new = widgets.number("share of real time", session.simulation.budget.time_share, lo=0.0, hi=1.0, default=TIME_SHARE,
                             zero="no limit", help="Fraction of the real time of a step available for collision detection and "
                                                   "sweeps when the budget is automatic. Longer steps are cut off.")
        if new is not None:
            session.post(commands.set_time_share, new)


def substeps_line(frame: Frame) -> str:
    """How the last step was divided, "" if nothing moved in it. Solvers choose it by themselves where stiffness, spin or loads
    ask for it."""
    if frame.report is None or frame.report.substeps == 0:
        return ""
    return message("last step: {substeps} substeps of {length} ms", substeps=frame.report.substeps,
                   length=rounded(1e3 * frame.dt / frame.report.substeps, 3))


def unsupported(session: Session) -> dict[str, str]:
    """By solver file: why it cannot run this world, "" if it can. Queried twice a second, and of another world at once."""
    state = session.state(PhysicsState)
    now, shown = time.perf_counter(), (session.frame.scene, session.frame.revision)
    if now - state.wall > QUERY_INTERVAL or state.of != shown:
        state.wall, state.of = now, shown
        world = session.frame.as_world
        found = {key: solvers.support(kind, world) for key, kind in solvers.available().items()}
        state.reasons, state.alternatives = ({key: one[part] for key, one in found.items()} for part in (0, 1))
    return state.reasons


def alternatives(session: Session) -> dict[str, Mapping[str, Any]]:
    """By solver file: the options with which it can run this world that it refuses by default, {} if there are none."""
    unsupported(session)
    return session.state(PhysicsState).alternatives
