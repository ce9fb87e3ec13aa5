"""Breakpoints: conditions that pause the simulation. Each kind describes itself (app/engine/breakpoints/base.py)."""

from dataclasses import dataclass

import numpy as np

from app.engine import commands
from app.engine.breakpoints.base import BREAKPOINT_KINDS, Breakpoint
from app.engine.breakpoints.expression import Condition
from app.engine.breakpoints.kinds import WatchExpression
from app.gui.commands import actions
from app.gui.controls import icons, style, widgets
from app.i18n.imgui_translated import imgui
from app.session import Session
from physics import BadInput, fields
from physics.core.records import Kind

TITLE = "Breakpoints"
PLACE = "right top"
ORDER = 30
GROUP = "Scene and lesson"
ABOUT = "conditions that pause the simulation"

ANY = "any body"


@dataclass
class BreakpointsState:
    """The expression being typed, its breakpoint and its error; the breakpoint that was just switched on and whose settings are
    yet to be shown."""

    of: int = 0
    text: str = ""
    wrong: str = ""
    unseen: int = 0


def draw(session: Session) -> None:
    simulation = session.simulation
    breakpoints = tuple(simulation.breakpoints.items)
    any_on = any(one.on for one in breakpoints)
    imgui.begin_disabled(not any_on)
    if widgets.button(icons.text(icons.STEP, "Run to next", ">|"), "Run until an enabled breakpoint is hit, through the "
                                                                       "recorded steps first.", name="run to hit", accent=any_on):
        session.post(commands.run_to_hit)
    widgets.same_line("Back to previous")
    if widgets.button(icons.text(icons.BACKWARD, "Back to previous", "|<"), actions.tip("run_back_to_hit"),
                      name="run back to hit"):
        session.post(commands.run_back_to_hit)
    imgui.end_disabled()
    widgets.same_line("")
    _add(session)
    if simulation.breakpoints.hit is not None:
        widgets.wrapped(simulation.breakpoints.hit.text, style.palette().text)
        widgets.register_area("hit")
    for index, one in enumerate(breakpoints):
        imgui.push_id(f"{index}")
        _one(session, index, one, index > 0 and type(breakpoints[index - 1]) is type(one))
        imgui.pop_id()


def _add(session: Session) -> None:
    if widgets.button(icons.text(icons.PLUS, "", "+"), "Add a breakpoint.", name="add"):
        imgui.open_popup("kinds")
    if imgui.begin_popup("kinds"):
        for name, kind in BREAKPOINT_KINDS.items():
            if imgui.menu_item(kind.title, "", False)[0]:
                session.post(commands.add_breakpoint, name)
            widgets.register_area(f"add={name}")
            widgets.tooltip(kind.meaning)
        imgui.end_popup()


def _one(session: Session, index: int, one: Breakpoint, extra: bool) -> None:
    """Draw a row with its switch, its count and, if it is on, its settings."""
    on = widgets.toggle(one.title, one.on, one.meaning)
    widgets.register_area(f"{index} {one.title}")
    if on is not None:
        session.post(commands.set_breakpoint, index, "on", on)
        session.state(BreakpointsState).unseen = id(one) if on else 0
    if one.count:
        imgui.same_line()
        widgets.right(f"{one.count}\u00d7", style.palette().dim)
        widgets.tooltip("Number of hits.")
    if not one.on:
        return
    imgui.indent()
    if isinstance(one, WatchExpression):
        _expression(session, index, one)
    for field in fields(one):
        if field.name != "on":
            new = widgets.option_control(field, getattr(one, field.name))
            widgets.register_area(f"{index} {field.name}")
            if new is not None:
                session.post(commands.set_breakpoint, index, field.name, new)
    if one.of_bodies:
        _body(session, index, one)
    if one.trouble:
        widgets.wrapped(one.trouble, style.palette().warn)
    if extra and widgets.button(icons.text(icons.TRASH, "Remove"), "Remove this breakpoint.", name=f"remove {index}"):
        session.post(commands.remove_breakpoint, index)
    if session.state(BreakpointsState).unseen == id(one):
        imgui.internal.scroll_to_item(imgui.internal.ScrollFlags_.keep_visible_edge_y)
        session.state(BreakpointsState).unseen = 0
    imgui.unindent()


def _body(session: Session, index: int, one: Breakpoint) -> None:
    """Draw the choice of body: any, the selected one, or one from the list."""
    frame, shown = session.frame, one.of or ANY
    widgets.row("of", "Body to which it applies.", widgets.combo_width(shown))
    imgui.set_next_item_width(-1.0)
    opened = imgui.begin_combo("##of", shown)
    widgets.register_area(f"{index} of")
    if not opened:
        return
    moving = np.flatnonzero(frame.bodies["kind"] == Kind.DYNAMIC).tolist()
    selected = session.selection.body
    first = [selected] if 0 < selected < len(frame.body_names) else []
    for name in (ANY, *(frame.body_names[i] for i in [*first, *(i for i in moving if i not in first)][:200])):
        if name and imgui.selectable(name, name == shown)[0]:
            session.post(commands.set_breakpoint, index, "of", "" if name == ANY else name)
        widgets.register_area(f"{index} of={name}")
    imgui.end_combo()


def _expression(session: Session, index: int, one: WatchExpression) -> None:
    """Draw a text field that is red while the expression is invalid."""
    state = session.state(BreakpointsState)
    typing = state.of == id(one)
    imgui.set_next_item_width(-1.0)
    changed, text = imgui.input_text("##expression", state.text if typing else one.expression,
                                     imgui.InputTextFlags_.auto_select_all)
    widgets.register_area(f"{index} expression")
    widgets.tooltip("Condition on quantities, for example body:ball.z < 0.5 or abs(world.energy - 3) > 0.1. Names are listed in "
                    "the Plot panel; put names with spaces or signs in quotes. Also available: time, + - * /, and, or, not, min, "
                    "max.")
    if changed:
        state.of, state.text = id(one), text
        try:
            Condition(text)
            state.wrong = ""
        except BadInput as error:
            state.wrong = str(error)
    if imgui.is_item_deactivated_after_edit() and state.of == id(one) and not state.wrong:
        session.post(commands.set_breakpoint, index, "expression", state.text)
        state.of = 0
    if state.of == id(one) and state.wrong:
        widgets.wrapped(state.wrong, style.palette().bad)
