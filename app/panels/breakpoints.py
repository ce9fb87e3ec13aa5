"""Breakpoints: where the simulation pauses by itself. Each kind describes itself (app/engine/breakpoints.py)."""

from dataclasses import dataclass

import numpy as np

from app.engine.breakpoint_kinds import Watched
from app.engine.breakpoints import KINDS, Breakpoint
from app.engine.condition import Condition
from app.gui import actions
from app.gui.controls import icons, style, widgets
from app.gui.speaking import imgui
from app.session import Session
from physics import BadInput, fields
from physics.core.records import Kind

TITLE = "Breakpoints"
PLACE = "right top"
ORDER = 30

ANY = "any body"


@dataclass
class State:
    """What is being typed into an expression, of which breakpoint, and what is wrong with it; which breakpoint was switched on
    and has yet to show its settings."""

    of: int = 0
    text: str = ""
    wrong: str = ""
    unseen: int = 0


def draw(session: Session) -> None:
    simulation = session.simulation
    breakpoints = tuple(simulation.breakpoints)
    any_on = any(one.on for one in breakpoints)
    imgui.begin_disabled(not any_on)
    if widgets.button(icons.text(icons.STEP, "Run to the next", ">|"), "Go on until a breakpoint that is on fires: through the "
                      "recorded steps ahead, then beyond.", name="run to hit", accent=any_on):
        session.post("run_to_hit")
    widgets.beside("Back to the last")
    if widgets.button(icons.text(icons.BACKWARD, "Back to the last", "|<"), actions.tip("run_back_to_hit"),
                      name="run back to hit"):
        session.post("run_back_to_hit")
    imgui.end_disabled()
    widgets.beside("")
    _add(session)
    if simulation.hit is not None:
        widgets.wrapped(simulation.hit.text, style.palette().text)
        widgets.mark("hit")
    for index, one in enumerate(breakpoints):
        imgui.push_id(f"{index}")
        _one(session, index, one, index > 0 and type(breakpoints[index - 1]) is type(one))
        imgui.pop_id()


def _add(session: Session) -> None:
    if widgets.button(icons.text(icons.PLUS, "", "+"), "Another breakpoint of some kind.", name="add"):
        imgui.open_popup("kinds")
    if imgui.begin_popup("kinds"):
        for name, kind in KINDS.items():
            if imgui.menu_item(kind.title, "", False)[0]:
                session.post("add_breakpoint", name)
            widgets.mark(f"add={name}")
            widgets.tooltip(kind.meaning)
        imgui.end_popup()


def _one(session: Session, index: int, one: Breakpoint, extra: bool) -> None:
    """A line with its switch, its count and, if it is on, its settings."""
    on = widgets.toggle(one.title, one.on, one.meaning)
    widgets.mark(f"{index} {one.title}")
    if on is not None:
        session.post("set_breakpoint", index, "on", on)
        session.memory(State).unseen = id(one) if on else 0
    if one.count:
        imgui.same_line()
        widgets.right(f"{one.count}\u00d7", style.palette().dim)
        widgets.tooltip("How often it has fired.")
    if not one.on:
        return
    imgui.indent()
    if isinstance(one, Watched):
        _expression(session, index, one)
    for field in fields(one):
        if field.name != "on":
            new = widgets.option_control(field, getattr(one, field.name))
            widgets.mark(f"{index} {field.name}")
            if new is not None:
                session.post("set_breakpoint", index, field.name, new)
    if one.of_bodies:
        _body(session, index, one)
    if one.trouble:
        widgets.wrapped(one.trouble, style.palette().warn)
    if extra and widgets.button(icons.text(icons.TRASH, "Remove"), "Remove this breakpoint.", name=f"remove {index}"):
        session.post("remove_breakpoint", index)
    if session.memory(State).unseen == id(one):
        imgui.internal.scroll_to_item(imgui.internal.ScrollFlags_.keep_visible_edge_y)
        session.memory(State).unseen = 0
    imgui.unindent()


def _body(session: Session, index: int, one: Breakpoint) -> None:
    """Any body, the selected one, or one from the list."""
    frame, shown = session.frame, one.of or ANY
    widgets.row("of", "Which body it is about.", widgets.combo_width(shown))
    imgui.set_next_item_width(-1.0)
    opened = imgui.begin_combo("##of", shown)
    widgets.mark(f"{index} of")
    if not opened:
        return
    moving = np.flatnonzero(frame.bodies["kind"] == Kind.DYNAMIC).tolist()
    selected = session.selection.body
    first = [selected] if 0 < selected < len(frame.body_names) else []
    for name in (ANY, *(frame.body_names[i] for i in [*first, *(i for i in moving if i not in first)][:200])):
        if name and imgui.selectable(name, name == shown)[0]:
            session.post("set_breakpoint", index, "of", "" if name == ANY else name)
        widgets.mark(f"{index} of={name}")
    imgui.end_combo()


def _expression(session: Session, index: int, one: Watched) -> None:
    """A text field that is red while it makes no sense."""
    state = session.memory(State)
    typing = state.of == id(one)
    imgui.set_next_item_width(-1.0)
    changed, text = imgui.input_text("##expression", state.text if typing else one.expression,
                                     imgui.InputTextFlags_.auto_select_all)
    widgets.mark(f"{index} expression")
    widgets.tooltip("A condition on quantities, as body:ball.z < 0.5 or abs(world.energy - 3) > 0.1. The panel Plot lists them; "
                    "put those with spaces or signs in quotes. Also: time, + - * /, and, or, not, min, max.")
    if changed:
        state.of, state.text = id(one), text
        try:
            Condition(text)
            state.wrong = ""
        except BadInput as error:
            state.wrong = str(error)
    if imgui.is_item_deactivated_after_edit() and state.of == id(one) and not state.wrong:
        session.post("set_breakpoint", index, "expression", state.text)
        state.of = 0
    if state.of == id(one) and state.wrong:
        widgets.wrapped(state.wrong, style.palette().bad)
