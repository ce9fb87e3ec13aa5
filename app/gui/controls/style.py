"""Colours and spacing of the GUI: muted, the same in all themes, matching app/render/scene/theme.py."""

from dataclasses import dataclass
from functools import cache

from imgui_bundle import imgui, implot, implot3d

from app.render.scene.theme import theme

RGBA = tuple[float, float, float, float]


def rgb(text: str, alpha: float = 1.0) -> RGBA:
    """"#rrggbb" as four numbers 0 .. 1."""
    red, green, blue = (int(text[i:i + 2], 16) / 255.0 for i in (1, 3, 5))
    return red, green, blue, alpha


@dataclass(frozen=True)
class Palette:
    """The colours of the GUI. stick, slip, open are safe for colour-blind eyes."""

    panel: RGBA
    bar: RGBA
    field: RGBA
    field_hover: RGBA
    field_active: RGBA
    border: RGBA
    text: RGBA
    dim: RGBA
    accent: RGBA
    accent_strong: RGBA
    accent_hover: RGBA
    on_accent: RGBA
    good: RGBA
    warn: RGBA
    bad: RGBA
    stick: RGBA
    slip: RGBA
    open: RGBA
    curves: tuple[RGBA, ...]
    outlined: bool = False      # fields and buttons have borders


def _palette(name: str, **own: RGBA | tuple[RGBA, ...] | bool) -> Palette:
    t = theme(name)
    shared = {key: (*getattr(t, key), 1.0) for key in ("panel", "text", "stick", "slip", "open")}
    return Palette(**shared, dim=(*t.muted, 1.0), on_accent=rgb("#ffffff"), **own)


DARK = _palette(
    "dark", bar=rgb("#11151c"), field=rgb("#262d39"), field_hover=rgb("#303948"), field_active=rgb("#3b4657"),
    border=rgb("#2a3240"), accent=rgb("#3877ba"), accent_strong=rgb("#62a6e6"), accent_hover=rgb("#2f68a5"), good=rgb("#62c596"),
    warn=rgb("#f5b942"), bad=rgb("#f47f80"),
    curves=tuple(map(rgb, ("#62a6e6", "#f5a742", "#62c596", "#d98bd0", "#e8d65c", "#f47f80", "#7fd6df", "#b8b8c8"))))

LIGHT = _palette(
    "light", bar=rgb("#eceff4"), field=rgb("#e4e9f0"), field_hover=rgb("#d8dfe9"), field_active=rgb("#cad3e0"),
    border=rgb("#d9dfe8"), accent=rgb("#2f74c0"), accent_strong=rgb("#1f5f9f"), accent_hover=rgb("#2765aa"), good=rgb("#1c7a4f"),
    warn=rgb("#9a5b00"), bad=rgb("#bb2d34"),
    curves=tuple(map(rgb, ("#2f74c0", "#c06500", "#1c7a4f", "#9c3f92", "#857600", "#bb2d34", "#17808f", "#555566"))))

CONTRAST = _palette(
    "contrast", bar=rgb("#000000"), field=rgb("#161616"), field_hover=rgb("#303030"), field_active=rgb("#444444"),
    border=rgb("#8f8f8f"), accent=rgb("#0a4db0"), accent_strong=rgb("#7cc4ff"), accent_hover=rgb("#083c8c"), good=rgb("#5cf0a4"),
    warn=rgb("#ffd24a"), bad=rgb("#ff9a9a"), outlined=True,
    curves=tuple(map(rgb, ("#7cc4ff", "#ffae33", "#5cf0a4", "#f0a0e8", "#fff06a", "#ff9a9a", "#80f4ff", "#ffffff"))))

PALETTES = {"dark": DARK, "light": LIGHT, "contrast": CONTRAST}

_current = DARK


def palette() -> Palette:
    """The current colours."""
    return _current


def ramp(count: int) -> list[RGBA]:
    """Colours of values in order, from the first to the second colour of curves by way of the text's."""
    p = palette()
    ends, found = (p.curves[0], p.text, p.curves[1]), []
    for k in range(count):
        at = 2.0 * k / max(1, count - 1)
        lo, hi = ends[min(1, int(at))], ends[min(1, int(at)) + 1]
        share = at - min(1, int(at))
        found.append(tuple((1.0 - share) * a + share * b for a, b in zip(lo, hi)))
    return found


def of_state(state: str) -> RGBA:
    """Colour of a contact's state, by the names of app/analysis/forces/contact_lens.py."""
    p = palette()
    return {"stick": p.stick, "slide": p.slip, "open": p.open, "no friction": p.dim}.get(state, p.warn)


def of_source(source: str) -> RGBA:
    """Colour of a force by its source, as in the scene."""
    name = next(name for name, known in PALETTES.items() if known is _current)
    return *theme(name).source(source), 1.0


def vec(colour: RGBA, alpha: float | None = None) -> imgui.ImVec4:
    return imgui.ImVec4(*colour[:3], colour[3] if alpha is None else alpha)


def u32(colour: RGBA, alpha: float | None = None) -> int:
    return imgui.color_convert_float4_to_u32(vec(colour, alpha))


def apply(name: str, scale: float) -> None:
    """Set the style of ImGui and ImPlot. scale: of text and spacing, 1 on an ordinary screen."""
    global _current
    _current = PALETTES.get(name, DARK)
    style = imgui.get_style()
    size = style.font_size_base
    fresh = imgui.Style()
    for size_name in sizes():
        setattr(style, size_name, getattr(fresh, size_name))
    for size_name, value in STYLE_SIZES.items():
        setattr(style, size_name, imgui.ImVec2(*value) if isinstance(value, tuple) else value)
    style.frame_border_size = 1.0 if _current.outlined else 0.0
    style.scale_all_sizes(scale)
    style._main_scale = max(1.0, scale)     # scaled too: close buttons are drawn int(it) thick
    style.font_size_base, style.font_scale_main = size, scale
    (imgui.style_colors_light if name == "light" else imgui.style_colors_dark)()
    _colours(style, _current)
    _plot(_current, scale)
    _plot_3d(_current)


STYLE_SIZES = {
    "window_padding": (12.0, 10.0), "frame_padding": (9.0, 5.0), "item_spacing": (8.0, 7.0),
    "item_inner_spacing": (7.0, 5.0), "cell_padding": (7.0, 4.0), "indent_spacing": 16.0, "scrollbar_size": 11.0,
    "grab_min_size": 11.0, "window_rounding": 6.0, "child_rounding": 5.0, "frame_rounding": 5.0,
    "popup_rounding": 6.0, "scrollbar_rounding": 6.0, "grab_rounding": 4.0, "tab_rounding": 5.0,
    "window_border_size": 1.0, "frame_border_size": 0.0, "tab_bar_border_size": 0.0, "separator_text_border_size": 1.0,
    "docking_separator_size": 3.0, "tab_border_size": 0.0, "tab_bar_overline_size": 0.0,
    "tab_close_button_min_width_selected": 0.0, "tab_min_width_shrink": 400.0,
    "separator_text_padding": (0.0, 4.0), "hover_delay_short": 0.25,
    "disabled_alpha": 0.5,
}


@cache
def sizes() -> tuple[str, ...]:
    """All sizes of ImGui's style except the font's. They are reset before each scaling, since scaling is cumulative."""
    fresh = imgui.Style()
    return tuple(name for name in dir(fresh) if not name.startswith(("_", "font_"))
                 and isinstance(getattr(fresh, name), float | imgui.ImVec2))


def _colours(style: imgui.Style, p: Palette) -> None:
    Col = imgui.Col_
    clear = (0.0, 0.0, 0.0, 0.0)
    front, chosen = (p.accent, p.accent) if p.outlined else (p.panel, (*p.accent[:3], 0.28))    # tabs, list rows
    table = {
        Col.text: p.text, Col.text_disabled: p.dim, Col.window_bg: p.panel, Col.child_bg: clear, Col.popup_bg: p.panel,
        Col.border: p.border, Col.border_shadow: clear, Col.frame_bg: p.field, Col.frame_bg_hovered: p.field_hover,
        Col.frame_bg_active: p.field_active, Col.title_bg: p.bar, Col.title_bg_active: p.bar,
        Col.title_bg_collapsed: p.bar, Col.menu_bar_bg: p.bar, Col.scrollbar_bg: clear, Col.scrollbar_grab: p.field_active,
        Col.scrollbar_grab_hovered: p.dim, Col.scrollbar_grab_active: p.dim, Col.check_mark: p.accent_strong,
        Col.checkbox_selected_bg: p.field, Col.input_text_cursor: p.text, Col.tree_lines: p.border,
        Col.plot_histogram_hovered: p.accent_strong, Col.plot_lines_hovered: p.accent_strong,
        Col.slider_grab: p.accent, Col.slider_grab_active: p.accent_strong, Col.button: p.field,
        Col.button_hovered: p.field_hover, Col.button_active: p.field_active, Col.header: chosen,
        Col.header_hovered: p.field_hover, Col.header_active: p.field_active, Col.separator: p.border,
        Col.separator_hovered: p.accent, Col.separator_active: p.accent, Col.resize_grip: clear,
        Col.resize_grip_hovered: p.accent, Col.resize_grip_active: p.accent, Col.tab: p.bar, Col.tab_hovered: p.field_hover,
        Col.tab_selected: front, Col.tab_dimmed: p.bar, Col.tab_dimmed_selected: front,
        Col.tab_selected_overline: p.accent, Col.tab_dimmed_selected_overline: clear,
        Col.docking_preview: (*p.accent[:3], 0.5), Col.docking_empty_bg: clear, Col.plot_lines: p.accent,
        Col.plot_histogram: p.accent, Col.table_header_bg: p.bar, Col.table_border_strong: p.border,
        Col.table_border_light: p.border, Col.table_row_bg: clear, Col.table_row_bg_alt: (*p.dim[:3], 0.06),
        Col.text_selected_bg: (*p.accent[:3], 0.4), Col.nav_cursor: p.accent, Col.text_link: p.accent_strong,
        Col.modal_window_dim_bg: (0.0, 0.0, 0.0, 0.45),
    }
    for index, colour in table.items():
        style.set_color_(index, vec(colour))


def _plot(p: Palette, scale: float) -> None:
    if implot.get_current_context() is None:
        return
    style = implot.get_style()
    Col = implot.Col_
    clear = (0.0, 0.0, 0.0, 0.0)
    for index, colour in {
            Col.frame_bg: clear, Col.plot_bg: (*p.bar[:3], 0.55), Col.plot_border: p.border, Col.legend_bg: (*p.panel[:3], 0.85),
            Col.legend_border: clear, Col.legend_text: p.text, Col.title_text: p.text, Col.inlay_text: p.dim,
            Col.axis_text: p.dim, Col.axis_grid: (*p.dim[:3], 0.25), Col.axis_tick: (*p.dim[:3], 0.4), Col.axis_bg: clear,
            Col.axis_bg_hovered: p.field, Col.axis_bg_active: p.field_active, Col.selection: p.accent,
            Col.crosshairs: p.dim}.items():
        style.set_color_(index, vec(colour))
    style.plot_padding = imgui.ImVec2(6 * scale, 6 * scale)
    style.legend_padding = imgui.ImVec2(8 * scale, 6 * scale)
    style.plot_border_size = 0.0
    style.minor_alpha = 0.2


def _plot_3d(p: Palette) -> None:
    if implot3d.get_current_context() is None:
        return
    style, Col = implot3d.get_style(), implot3d.Col_
    clear = (0.0, 0.0, 0.0, 0.0)
    for index, colour in {
            Col.frame_bg: clear, Col.plot_bg: clear, Col.plot_border: (*p.dim[:3], 0.2), Col.axis_text: p.dim,
            Col.axis_grid: (*p.dim[:3], 0.25), Col.axis_tick: (*p.dim[:3], 0.4), Col.inlay_text: p.dim}.items():
        style.set_color(index, vec(colour))
