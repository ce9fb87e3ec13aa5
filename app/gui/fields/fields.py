"""Fields of records with their units: controls for what can be changed, text for the rest. Used by the inspector."""

import math
from typing import Any

import numpy as np

from app.gui.controls import style, widgets
from app.gui.controls.values import pretty
from app.i18n.imgui_translated import imgui
from app.i18n.message import message
from app.number_format import rounded
from app.session import Session

AXES = ("x", "y", "z")
ZERO_BELOW = 1e-9
"""Components of a vector below this fraction of the largest one, or of 1, are shown as zero: no position, velocity or angle of a
scene is so small on purpose."""


def own(session: Session, table: str, field: str, slot: int, owner: int | None = None) -> Any:
    """Value that the scene itself gave a record: the target of a reset; None for later additions. owner: body of a shape."""
    state, frame = session.simulation.own, session.frame
    if state is None:
        return None
    named = "joints" if table == "joints" else "bodies"
    i, names = slot if owner is None else owner, frame.joint_names if named == "joints" else frame.body_names
    there = slot < len(state.tables[table]) and i < len(state.names[named]) and i < len(names)
    return state.tables[table][field][slot] if there and state.names[named][i] == names[i] else None


def vector(label: str, values: np.ndarray, unit: str, help: str) -> tuple[float, ...] | None:
    """Draw three numbers side by side below their name; returns the new vector if one was changed."""
    measured = f" [{pretty(unit)}]" if unit else ""
    widgets.dim_text(f"{label}{measured}")
    widgets.tooltip(help)
    space = imgui.get_style().item_inner_spacing.x
    width = (imgui.get_content_region_avail().x - 2.0 * space) / 3.0
    changed, least = None, ZERO_BELOW * max(1.0, *map(abs, values))
    for k, axis in enumerate(AXES):
        if k:
            imgui.same_line(0.0, space)
        imgui.push_id(label)
        new = widgets.number(f"{label} {axis}", float(values[k]) if abs(values[k]) > least else 0.0, inline=True, width=width,
                             help=message("{help}\n{axis}{measured}. Drag, or double-click to type.", help=help, axis=axis,
                                          measured=measured))
        imgui.pop_id()
        if new is not None:
            changed = tuple(new if j == k else float(v) for j, v in enumerate(values))
    return changed


def shown(label: str, text: str, help: str = "") -> None:
    """Draw a fact that cannot be changed."""
    width, start = imgui.get_content_region_avail().x, imgui.get_cursor_pos_x()
    imgui.push_style_var(imgui.StyleVar_.item_spacing, imgui.ImVec2(imgui.get_style().item_spacing.x, widgets.scaled(2.0)))
    widgets.dim_text(label)
    widgets.tooltip(help)
    column = max(0.4 * width, imgui.calc_text_size(label).x + widgets.scaled(8.0))
    if column + imgui.calc_text_size(text).x <= width:
        imgui.same_line(start + column)
    widgets.wrapped(text)
    widgets.tooltip(help)
    imgui.pop_style_var()


def triple(values: Any, unit: str) -> str:
    """Numbers in brackets with their unit."""
    return f"({', '.join(brief(v) for v in values)}) {pretty(unit)}".rstrip()


def brief(value: float) -> str:
    """A number in few digits."""
    return "none" if math.isinf(value) else rounded(value, 4)


def text(label: str, value: str, help: str) -> str | None:
    """Draw a line of text to edit; returns the new text after Enter."""
    widgets.row(label, help)
    imgui.set_next_item_width(-1.0)
    entered, new = imgui.input_text(f"##{label}", value, imgui.InputTextFlags_.enter_returns_true
                                    | imgui.InputTextFlags_.auto_select_all)
    widgets.register_area(label)
    widgets.tooltip(message("{help}\nPress Enter to apply.", help=help))
    return new if entered and new != value else None


def section(label: str, opened: bool = False) -> bool:
    """Draw a collapsible section."""
    flags = imgui.TreeNodeFlags_.default_open if opened else imgui.TreeNodeFlags_.none
    imgui.push_style_color(imgui.Col_.header, style.vec(style.palette().field))
    shown_now = imgui.collapsing_header(label, flags)
    imgui.pop_style_color()
    widgets.register_area(label)
    return shown_now
