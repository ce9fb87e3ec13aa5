"""The basic controls of all panels. One function for every number; every value passes `accept`.

Each returns the new value if the user changed it, else None. Nothing here depends on the physics.
"""

import dataclasses
import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

from app.gui.controls import flags, icons, style
from app.gui.controls.values import ZEROS, accept, from_fraction, log_floor, parse, pretty, symbols, title, to_fraction
from app.gui.text.chinese_lines import ELLIPSIS, shortened
from app.i18n import translate
from app.i18n.imgui_translated import imgui
from app.i18n.message import Verbatim, joined, message
from app.number_format import rounded
from physics import fields

TYPED_DIGITS = 12
SLIDER_DIGITS = 4

REFUSAL_DURATION = 4.0
"""How long the reason for a refused input is shown [s]."""

CLICK_DELAY = 0.3
"""A click on a slider counts after this time, a drag at once: it may be half of a double-click, which starts typing [s]."""


@dataclasses.dataclass
class _WidgetState:
    """State of the control that the user is operating."""

    active: int = 0             # the control held with the mouse
    value: Any = None           # its value while held: the physics answers a little later
    touched: int = 0            # the control touched last
    before: Any = None          # its value before that
    returned: Any = None            # the value last returned to the caller
    since: float = 0.0          # time of activation
    moves: bool = False         # dragged or held, not just clicked
    waiting: int = 0            # the control that was clicked and may be clicked again
    typing: int = 0             # the control that is a text field now
    text: str = ""
    fresh: bool = False         # the field takes the keyboard in this frame
    refused: tuple[int, str, float] = (0, "", 0.0)
    scene: str = ""             # the scene that the controls belong to


_state = _WidgetState()
_groups: list[str] = []
_marks: list[tuple[str, str]] = []

clickable_areas: dict[str, tuple[float, float, float, float]] | None = None
"""For tests: if a dict, each drawn control stores its rectangle (x0, y0, x1, y1) under "Panel/group/label"."""


sought: tuple[str, ...] = ()
"""Names, as of `clickable_areas`, of controls whose rectangles are wanted in every picture."""

found: dict[str, tuple[float, float, float, float]] = {}
"""Rectangles of those that were drawn, as of `clickable_areas`."""


@contextmanager
def group(name: str) -> Iterator[None]:
    """An ID scope for a part of a panel that shares labels with other parts."""
    imgui.push_id(name)
    _groups.append(name)
    try:
        yield
    finally:
        _groups.pop()
        imgui.pop_id()


@contextmanager
def marked(sign: str, help: str) -> Iterator[None]:
    """A sign after the labels of the controls drawn inside, "": none, and a sentence that is added to their help."""
    _marks.append((sign, help))
    try:
        yield
    finally:
        _marks.pop()


def _with_mark(help: str) -> str:
    """Help of a control with the sentence of `marked`, on a line of its own."""
    return joined("\n", (help, _marks[-1][1])) if help and _marks else _marks[-1][1] if _marks else help


def grouped(label: str) -> str:
    """A label with the groups that it is drawn in."""
    return "/".join((*_groups, label))


def register_area(label: str, start: imgui.ImVec2 | None = None) -> None:
    """Store the rectangle of the last item, or of all from `start`, a place at the left edge [px], to its lower edge, for tests
    and if it is sought; then it is scrolled to, too."""
    if clickable_areas is None and not sought:
        return
    lo, hi = imgui.get_item_rect_min(), imgui.get_item_rect_max()
    window = imgui.internal.get_current_window()
    name = f"{window.name.split('##')[-1].lstrip('#').split('/')[0]}/{grouped(label)}"
    if start is not None:
        lo, hi = start, imgui.ImVec2(window.work_rect.max.x, hi.y)
    if clickable_areas is not None:
        clickable_areas[name] = (lo.x, lo.y, hi.x, hi.y)
    if name in sought:
        found[name] = (lo.x, lo.y, hi.x, hi.y)
        if lo.y < window.inner_clip_rect.min.y or hi.y > window.inner_clip_rect.max.y:
            imgui.set_scroll_here_y()


def scaled(size: float) -> float:
    """A length at the current scale."""
    return size * imgui.get_style().font_scale_main


def tooltip(text: str) -> None:
    """Explanation of the last item, wrapped, after a delay; none while someone types, as over the lines of the palette."""
    if text and not imgui.get_io().want_text_input and imgui.is_item_hovered(flags.EXPLAINED):
        imgui.begin_tooltip()
        imgui.push_text_wrap_pos(scaled(320.0))
        imgui.text_unformatted(shortened(translate.translate(text),
                                         scaled(320.0) - imgui.get_cursor_pos_x()))     # wraps at a column
        imgui.pop_text_wrap_pos()
        imgui.end_tooltip()


def cut(text: str, room: float | None = None) -> str:
    """As much of the text as fits its cell, or `room` pixels."""
    text = translate.translate(text)
    room, width = imgui.get_content_region_avail().x if room is None else room, imgui.calc_text_size(text).x
    if width <= room:
        return text
    return Verbatim(text[: max(1, int(len(text) * room / width) - 2)].rstrip(" ,") + ELLIPSIS)


def wrapped(text: str, colour: style.RGBA | None = None) -> None:
    """Draw a wrapped paragraph."""
    imgui.push_style_color(imgui.Col_.text, style.vec(colour or style.palette().text))
    imgui.push_text_wrap_pos(0.0)
    imgui.text_unformatted(shortened(translate.translate(_clean(text)), imgui.get_content_region_avail().x))
    imgui.pop_text_wrap_pos()
    imgui.pop_style_color()


def dim_text(text: str) -> None:
    coloured(text, style.palette().dim)


def coloured(text: str, colour: style.RGBA) -> None:
    imgui.push_style_color(imgui.Col_.text, style.vec(colour))
    imgui.text_unformatted(_clean(text))
    imgui.pop_style_color()


def right(text: str, colour: style.RGBA | None = None, end: float | None = None) -> None:
    """Draw text aligned to the right end of its cell, or to `end`."""
    end = cell_end() if end is None else end
    imgui.set_cursor_pos_x(max(imgui.get_cursor_pos_x(), end - imgui.calc_text_size(text).x))
    coloured(text, colour or style.palette().text)


def cell_end() -> float:
    """Right end of the current cell."""
    return imgui.get_cursor_pos_x() + imgui.get_content_region_avail().x


def heading(text: str) -> None:
    """Draw a subtle line between groups."""
    imgui.dummy(imgui.ImVec2(0.0, scaled(2.0)))
    imgui.push_style_color(imgui.Col_.text, style.vec(style.palette().dim))
    imgui.separator_text(text)
    imgui.pop_style_color()


def same_line(label: str, beside: float = 44.0) -> None:
    """Place the next control on the same line if it fits: a button with that label and an icon, or one that needs so much room
    beside the label [px at scale 1]."""
    imgui.same_line()
    if imgui.get_content_region_avail().x < imgui.calc_text_size(label).x + scaled(beside):
        imgui.new_line()


def swatch(colour: style.RGBA) -> None:
    """Draw a small square in the colour in which something is drawn; text continues on the same line."""
    side, corner = scaled(10.0), imgui.get_cursor_screen_pos()
    top = corner.y + 0.5 * (imgui.get_text_line_height() - side)
    imgui.get_window_draw_list().add_rect_filled(imgui.ImVec2(corner.x, top), imgui.ImVec2(corner.x + side, top + side),
                                                 style.u32(colour), scaled(2.0))
    imgui.dummy(imgui.ImVec2(side, imgui.get_text_line_height()))
    imgui.same_line(0.0, scaled(6.0))


def fitting_label(icon: str, word: str, ascii_sign: str) -> str:
    """Label of a button: its icon and word, or where the panel is narrower the icon alone."""
    whole, room = icons.text(icon, word), imgui.get_content_region_avail().x
    fits = imgui.calc_text_size(whole).x + 2.0 * imgui.get_style().frame_padding.x <= room
    return whole if fits else icons.text(icon, ascii_sign=ascii_sign)


def button(label: str, help: str = "", *, name: str = "", accent: bool = False, width: float = 0.0) -> bool:
    """Draw a button. name: for tests, where the label changes."""
    p = style.palette()
    if accent:
        imgui.push_style_color(imgui.Col_.button, style.vec(p.accent))
        imgui.push_style_color(imgui.Col_.button_hovered, style.vec(p.accent_hover))
        imgui.push_style_color(imgui.Col_.button_active, style.vec(p.accent_hover))
        imgui.push_style_color(imgui.Col_.text, style.vec(p.on_accent))
    pressed = imgui.button(f"{label}###{name or label}", imgui.ImVec2(width, 0.0))
    if accent:
        imgui.pop_style_color(4)
    register_area(name or label)
    tooltip(help)
    return pressed


def toggle(label: str, value: bool, help: str = "") -> bool | None:
    changed, value = imgui.checkbox(label, value)
    register_area(label)
    tooltip(_with_mark(help))
    _sign(label)
    return value if changed else None


def choice(label: str, value: str, choices: tuple[str, ...], help: str = "", show: Callable[[str], str] = str) -> str | None:
    """Choose one of several texts from a drop-down list."""
    help = _with_mark(help)
    row(label, help, combo_width(show(value)))
    picked = None
    imgui.set_next_item_width(-1.0)
    if imgui.begin_combo(f"##{label}", show(value)):
        register_area(label)
        for item in choices:
            if imgui.selectable(show(item), item == value)[0] and item != value:
                picked = item
            register_area(f"{label}={item}")
        imgui.end_combo()
    else:
        register_area(label)
    tooltip(help)
    return picked


def search(label: str, text: str, hint: str) -> str:
    """Draw a field that filters a list, as wide as the panel."""
    imgui.set_next_item_width(-1.0)
    _, text = imgui.input_text_with_hint(f"##{label}", icons.text(icons.SEARCH, hint), text)
    register_area(label)
    return text


def combo_width(text: str) -> float:
    """Width of a closed list that shows this text."""
    return imgui.calc_text_size(text).x + imgui.get_frame_height() + 2.0 * imgui.get_style().frame_padding.x


def row(label: str, help: str = "", need: float = 0.0) -> None:
    """Start a line "label | control"; the label is above if it is too long or the control needs more width than `need` leaves."""
    width = imgui.get_content_region_avail().x
    column = max(0.4 * width, scaled(60.0))
    start = imgui.get_cursor_pos_x()
    imgui.align_text_to_frame_padding()
    imgui.text_unformatted(_clean(label))
    tooltip(help)
    taken = imgui.calc_text_size(label).x + _sign(label)
    if taken <= column - scaled(6.0) and column + need <= width:
        imgui.same_line(start + column)


def _sign(label: str) -> float:
    """Draw the sign of `marked` after a label; returns the width that it takes [px]."""
    sign = _marks[-1][0] if _marks else ""
    if not sign:
        return 0.0
    imgui.same_line(0.0, scaled(5.0))
    dim_text(sign)
    register_area(f"sign of {label}")
    tooltip(_marks[-1][1])
    return scaled(5.0) + imgui.calc_text_size(sign).x


def number(label: str, value: Any, *, lo: float | None = None, hi: float | None = None, unit: str = "",
           log: bool = False, help: str = "", default: Any = None, live: bool = True, inline: bool = False,
           width: float = 0.0, instead: str = "", zero: str = "") -> Any:
    """A number: drag the slider, or double-click (Ctrl+click) to type; right-click or the small button resets it.

    value: an int stays an int. lo, hi: inclusive; without both it is a field to drag in. default: target of the reset.
    live: return values while the slider moves; else once, on release. inline: no label. width: of an inline one.
    instead: shown in place of the number while nobody moves it, if it stands for several values; zero: shown in place of 0.
    """
    ident = imgui.get_id(label)
    hint = _with_mark(_hint(help, lo, hi, unit, default))
    if not inline:
        row(label, hint)
    resettable = default is not None and not inline and value != default
    space = imgui.get_frame_height() + imgui.get_style().item_spacing.x if resettable else 0.0
    imgui.set_next_item_width(width if width else -1.0 - space)
    if _state.typing == ident:
        new = _type(label, ident, value, lo, hi)
    else:
        floor = log_floor(lo, hi, default) if log else None
        several = instead if ident not in (_state.active, _state.waiting) else ""
        new = _slide(label, ident, value, lo, hi, lambda v: _slider_text(v, unit, several or ("" if v else zero)), floor, live)
        if default is not None and imgui.is_item_clicked(1):
            new = default
        if not _explain_refusal(ident):
            tooltip(hint)
    if resettable:
        imgui.same_line()
        imgui.push_style_color(imgui.Col_.text, style.vec(style.palette().dim))
        if imgui.button(f"{icons.text(icons.RESET, '', 'x')}##{label}reset", imgui.ImVec2(imgui.get_frame_height(), 0)):
            new = default
        imgui.pop_style_color()
        register_area(f"{label} reset")
        tooltip(message("Back to {default}{unit}", default=rounded(default, 6), unit=f" {symbols(unit)}" if unit else ""))
    return None if new is None else accept(new, lo, hi, value)


def option_control(field: dataclasses.Field, value: Any, *, live: bool = True) -> Any:
    """Draw the control of one described field of an options dataclass."""
    m = field.metadata
    label = title(field.name)
    if m["choices"]:
        return choice(label, value, m["choices"], m["help"])
    if isinstance(field.default, bool):
        return toggle(label, value, m["help"])
    return number(label, value, lo=m["lo"], hi=m["hi"], unit=m["unit"], log=m["log"], help=m["help"],
                  default=field.default, live=live, zero=ZEROS.get(field.name, ""))


def options(target: Any, commit: Callable[[str, Any], None], *, live: bool = True, skip: tuple[str, ...] = ()) -> None:
    """Draw the controls of all described fields; calls `commit(name, value)` for each change."""
    for field in fields(target):
        if field.name not in skip:
            new = option_control(field, getattr(target, field.name), live=live)
            if new is not None:
                commit(field.name, new)


def bar(fraction: float, text: str, colour: style.RGBA, height: float = 0.0) -> None:
    """Draw a gauge 0 .. 1 as wide as the panel, with its text in the middle."""
    fraction = min(1.0, max(0.0, fraction)) if math.isfinite(fraction) else 0.0
    corner, width = imgui.get_cursor_screen_pos(), imgui.get_content_region_avail().x
    height = height or imgui.get_frame_height()
    end, size = imgui.ImVec2(corner.x + width, corner.y + height), imgui.calc_text_size(text)
    draw_list, rounding = imgui.get_window_draw_list(), imgui.get_style().frame_rounding
    draw_list.add_rect_filled(corner, end, style.u32(style.palette().field), rounding)
    draw_list.push_clip_rect(corner, imgui.ImVec2(corner.x + fraction * width, end.y), True)
    draw_list.add_rect_filled(corner, end, style.u32(colour, 0.45), rounding)
    draw_list.pop_clip_rect()
    draw_list.push_clip_rect(corner, end, True)
    draw_list.add_text(imgui.ImVec2(round(corner.x + max(scaled(4.0), 0.5 * (width - size.x))),
                                    round(corner.y + 0.5 * (height - size.y))),
                       style.u32(style.palette().text), translate.translate(text))
    draw_list.pop_clip_rect()
    imgui.dummy(imgui.ImVec2(width, height))


def begin_picture(scene: str) -> None:
    """Call before the controls of a picture are drawn: a click of a moment ago does not change another scene."""
    if scene != _state.scene:
        _state.scene, _state.waiting = scene, 0


def _slider_text(value: Any, unit: str, instead: str) -> str:
    """Text of a slider, as ImGui's format."""
    number = str(value) if isinstance(value, int) else rounded(value, SLIDER_DIGITS)
    return (translate.translate(instead) or f"{number} {pretty(unit)}".rstrip()).replace("%", "%%")


def _slide(label: str, ident: int, value: Any, lo: float | None, hi: float | None, text_of: Callable[[Any], str],
           floor: float | None, live: bool) -> Any:
    shown = _state.value if ident in (_state.active, _state.waiting) else value
    slide = _slide_int if isinstance(value, int) else _slide_float
    changed, new = slide(label, shown, lo, hi, text_of(shown), floor)
    register_area(label)
    clicked = imgui.is_item_hovered() and imgui.is_mouse_clicked(0)
    entered = imgui.is_item_focused() and imgui.is_key_pressed(imgui.Key.enter, False)
    if entered or (clicked and (imgui.get_io().key_ctrl or imgui.is_mouse_double_clicked(0))):
        second = imgui.is_mouse_double_clicked(0) and _state.touched == ident
        before = _state.before if second else value
        _state.typing, _state.text, _state.fresh = ident, f"{before:.{TYPED_DIGITS}g}", True
        _state.active = _state.waiting = 0
        imgui.internal.clear_active_id()
        return before if second and _state.returned != before else None     # whether or not `value` shows it yet
    if imgui.is_item_activated():
        _state.active = _state.touched = ident
        _state.before = _state.returned = _state.value = value
        _state.since, _state.moves, _state.waiting = imgui.get_time(), not imgui.is_mouse_clicked(0), 0
    if changed and _state.active == ident:
        _state.value = accept(new, lo, hi, value)
    return _is_released(ident, live)


def _is_released(ident: int, live: bool) -> Any:
    """The value to return to the caller now, else None."""
    late = imgui.get_time() - _state.since >= CLICK_DELAY
    if _state.active == ident:
        _state.moves |= late or imgui.is_mouse_dragging(0)
        deliver = live and _state.moves
        if not imgui.is_item_active():
            _state.active, _state.waiting = 0, 0 if _state.moves else ident
            deliver = _state.moves
    elif _state.waiting == ident and (late or any(imgui.is_mouse_clicked(button) for button in range(3))):
        _state.waiting, deliver = 0, imgui.get_time() - _state.since < 10.0 * CLICK_DELAY     # not of a hidden panel
    else:
        return None
    if not deliver or _state.value == _state.returned:
        return None
    _state.returned = _state.value
    return _state.value


def _slide_float(label: str, value: float, lo: float | None, hi: float | None, text: str,
                 floor: float | None) -> tuple[bool, float]:
    if lo is None or hi is None:
        speed = max(abs(value) * 0.005, 1e-3)
        changed, new = imgui.drag_float(f"##{label}", value, speed, 0.0, 0.0, text, imgui.SliderFlags_.no_input)
    else:
        changed, new = _slide_fraction(label, value, lo, hi, text, floor)
    if changed and math.isfinite(new):
        new = float(f"{new:.{SLIDER_DIGITS}g}")
    return changed, new


def _slide_int(label: str, value: int, lo: float | None, hi: float | None, text: str,
               floor: float | None) -> tuple[bool, int]:
    if lo is None or hi is None:
        return imgui.drag_int(f"##{label}", value, 0.2, 0, 0, text, imgui.SliderFlags_.no_input)
    changed, new = _slide_fraction(label, value, lo, hi, text, floor)
    return changed, round(new) if math.isfinite(new) else value


def _draw_slider_field(fraction: float | None) -> None:
    """Draw the background of a slider, filled up to its value, in place of ImGui's grab; the text stays legible on it."""
    p, corner = style.palette(), imgui.get_cursor_screen_pos()
    width, height = imgui.calc_item_width(), imgui.get_frame_height()
    end = imgui.ImVec2(corner.x + width, corner.y + height)
    over = imgui.is_mouse_hovering_rect(corner, end) and imgui.is_window_hovered()
    draw_list, rounding = imgui.get_window_draw_list(), imgui.get_style().frame_rounding
    alpha = imgui.get_style().alpha
    draw_list.add_rect_filled(corner, end, style.u32(p.field_hover if over else p.field, alpha), rounding)
    if fraction is not None and fraction > 0.0:
        least = 2.0 * imgui.get_style().font_scale_main
        draw_list.push_clip_rect(corner, imgui.ImVec2(corner.x + max(least, fraction * width), end.y), True)
        draw_list.add_rect_filled(corner, end, style.u32(p.accent, alpha * (0.62 if over else 0.5)), rounding)
        draw_list.pop_clip_rect()


@contextmanager
def _slider_text_only() -> Iterator[None]:
    """Let ImGui draw only the slider's text."""
    clear = imgui.ImVec4(0.0, 0.0, 0.0, 0.0)
    colours = (imgui.Col_.frame_bg, imgui.Col_.frame_bg_hovered, imgui.Col_.frame_bg_active, imgui.Col_.slider_grab,
               imgui.Col_.slider_grab_active)
    for colour in colours:
        imgui.push_style_color(colour, clear)
    imgui.push_style_var(imgui.StyleVar_.grab_min_size, 1.0)   # so that the value is at the mouse
    try:
        yield
    finally:
        imgui.pop_style_var()
        imgui.pop_style_color(len(colours))


def _slide_fraction(label: str, value: float, lo: float, hi: float, text: str, floor: float | None) -> tuple[bool, float]:
    """Slide a fraction 0 .. 1, mapped to values here: ImGui's own logarithmic scale does not reach 1e-9."""
    fraction = to_fraction(value, lo, hi, floor)
    _draw_slider_field(fraction)
    with _slider_text_only():
        changed, moved = imgui.slider_float(f"##{label}", fraction, 0.0, 1.0, text, flags.SLIDER_FLAGS)
    return changed, from_fraction(moved, lo, hi, floor) if changed else value


def _type(label: str, ident: int, value: Any, lo: float | None, hi: float | None) -> Any:
    if _state.fresh:
        imgui.set_keyboard_focus_here()
    entered, _state.text = imgui.input_text(f"##{label}", _state.text, flags.TYPED)   # with the slider's ID
    register_area(label)
    left = not _state.fresh and (imgui.is_item_deactivated() or not imgui.is_item_active())
    escaped = imgui.is_key_pressed(imgui.Key.escape)
    if _state.fresh:
        _state.fresh = False
        return None
    if not entered and not left:
        return None
    _state.typing = 0
    if escaped:
        return None
    new, reason = parse(_state.text, lo, hi, value)
    _state.refused = (ident, reason, imgui.get_time())
    return new if new != value else None


def refusal() -> str:
    """Why the input that was finished last was refused; "": it was accepted."""
    return _state.refused[1]


def acknowledge_refusal() -> None:
    """Show the reason no longer: a key or a button was pressed since."""
    _state.refused = (0, "", 0.0)


def _explain_refusal(ident: int) -> bool:
    """Show for a moment, over the control, why the input was refused; False if there is nothing to show."""
    who, reason, when = _state.refused
    if who != ident or not reason or imgui.get_time() - when >= REFUSAL_DURATION:
        return False
    lo, screen = imgui.get_item_rect_min(), imgui.get_main_viewport()
    width = imgui.calc_text_size(reason).x + 2.0 * imgui.get_style().window_padding.x
    x = max(screen.pos.x, min(lo.x, screen.pos.x + screen.size.x - width))
    imgui.set_next_window_pos(imgui.ImVec2(x, lo.y - 0.5 * imgui.get_style().window_padding.y))
    imgui.begin_tooltip()
    coloured(reason, style.palette().warn)
    imgui.end_tooltip()
    return True


@lru_cache(512)
def _hint(help: str, lo: float | None, hi: float | None, unit: str, default: Any) -> str:
    allowed = ("" if lo is None and hi is None else "Allowed: up to {hi}{unit}" if lo is None else
               "Allowed: {lo} or more{unit}" if hi is None else "Allowed: {lo} .. {hi}{unit}")
    facts = message(allowed, lo=lo is not None and rounded(lo, 6), hi=hi is not None and rounded(hi, 6),
                    unit=f" {symbols(unit)}" if unit else "")
    if default is not None:
        facts = message("{facts}, default {default}" if allowed else "default {default}", facts=facts,
                        default=rounded(default, 6))
    return joined("\n", [part for part in (help, facts, "Double-click to type, right-click to reset."
                                           if default is not None else "Double-click to type.") if part])


def _clean(text: str) -> str:
    """Replace undecodable characters, which ImGui cannot take."""
    clean = text.encode("utf-8", "replace").decode("utf-8", "replace")
    return text if clean == text else clean     # a message stays one
