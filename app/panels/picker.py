"""Scene picker: choose by picture, category or words."""

from dataclasses import dataclass, field

import scenes
from app.engine.simulation import Simulation
from app.files.folders import scene_picture
from app.gui.controls import flags, style, widgets
from app.gui.controls.fuzzy_search import find
from app.gui.controls.search_list import SearchList
from app.gui.controls.textures import texture
from app.gui.output import scene_documents
from app.i18n import translate
from app.i18n.imgui_translated import imgui
from app.session import Session
from scenes import Scene

TITLE = "Open a scene"
PLACE = "popup"
OPEN = False
SIZE = (980.0, 700.0)

CARD = (205.0, 128.0)
"""Smallest width of a card, and the height that sets its aspect ratio [px at scale 1]."""
ALL_CATEGORIES = "All"

SceneRow = tuple[str, Scene]
"""A scene and the name of its file."""


@dataclass
class PickerState:
    """The typed text, the category (or all), the matching scenes."""

    typed: SearchList = field(default_factory=SearchList)
    category: str = ALL_CATEGORIES
    rows: list[SceneRow] = field(default_factory=list)
    found: list[SceneRow] = field(default_factory=list)


def draw(session: Session) -> None:
    state = session.state(PickerState)
    if imgui.is_window_appearing():
        state.rows = sorted(scenes.all_scenes().items(), key=lambda row: (row[1].category, row[1].title))
        state.typed.begin()
        state.category = ALL_CATEGORIES
        state.found = matching(state.rows, "", ALL_CATEGORIES)
        state.typed.at = next((i for i, row in enumerate(state.found) if row[0] == session.frame.scene), 0)
    changed, entered = state.typed.line("search", "Search by name, category or words")
    if widgets.button("Open a scene file", "Your own files: those opened last, and those of your folder.", name="file"):
        session.window.toggle_panel("picker")
        scene_documents.ask_open(session)
        return
    changed |= _categories(state)
    if changed:
        state.found = matching(state.rows, state.typed.text, state.category)
        state.typed.at = 0
    if not state.found:
        widgets.dim_text("no match")
        return
    about = 4.6 * imgui.get_text_line_height_with_spacing()
    if imgui.begin_child("cards", imgui.ImVec2(0.0, -about), child_flags=flags.WITHIN):
        entered |= _cards(state, session.frame.scene)
    imgui.end_child()
    name, scene = state.found[min(state.typed.at, len(state.found) - 1)]
    imgui.separator()
    widgets.coloured(scene.title, style.palette().text)
    imgui.same_line()
    widgets.dim_text(scene.category)
    widgets.wrapped(scene.look_for, style.palette().dim)
    if entered:
        session.post(Simulation.load, name)
        session.window.toggle_panel("picker")


def matching(rows: list[SceneRow], text: str, category: str) -> list[SceneRow]:
    """Scenes of a category that match the text, best first."""
    rows = [row for row in rows if category in (ALL_CATEGORIES, row[1].category)]
    return find(rows, text, lambda row: translate.both(row[1].title),
                lambda row: f"{row[1].category} {row[0]} {row[1].look_for} {row[1].law_text}")


def _categories(state: PickerState) -> bool:
    """Draw the choice of one category or all; True if it changed."""
    before, right = state.category, imgui.get_cursor_screen_pos().x + imgui.get_content_region_avail().x
    for category in (ALL_CATEGORIES, *dict.fromkeys(scene.category for _, scene in state.rows)):
        width = imgui.calc_text_size(category).x + 2.0 * imgui.get_style().frame_padding.x
        if category != ALL_CATEGORIES and imgui.get_item_rect_max().x + imgui.get_style().item_spacing.x + width < right:
            imgui.same_line()
        if widgets.button(category, accent=category == state.category):
            state.category, state.typed.focus = category, True
    return state.category != before


def _cards(state: PickerState, now: str) -> bool:
    """Draw the scenes as pictures; True if one was opened by a double-click."""
    gap = imgui.get_style().item_spacing.x
    room = imgui.get_content_region_avail().x + gap
    columns = max(1, int(room / (widgets.scaled(CARD[0]) + gap)))
    width = room / columns - gap
    state.typed.steer(len(state.found), columns)
    opened = False
    for i, (name, _) in enumerate(state.found):
        if i % columns:
            imgui.same_line()
        opened |= _card(state, i, width, state.found[i], name == now)
        state.typed.scroll_into_view(i)
    return opened


def _card(state: PickerState, index: int, width: float, row: SceneRow, current: bool) -> bool:
    name, scene = row
    p, draw_list, corner = style.palette(), imgui.get_window_draw_list(), imgui.get_cursor_screen_pos()
    height, line, rounding = width * CARD[1] / CARD[0], imgui.get_frame_height(), imgui.get_style().frame_rounding
    if imgui.invisible_button(name, imgui.ImVec2(width, height + line)):
        state.typed.at, state.typed.focus = index, True
    widgets.register_area(name)
    end, foot = imgui.ImVec2(corner.x + width, corner.y + height + line), imgui.ImVec2(corner.x + width, corner.y + height)
    over = imgui.is_item_hovered()
    draw_list.add_rect_filled(corner, end, style.u32(p.field_hover if over else p.field), rounding)
    if imgui.is_item_visible() and (picture := texture(scene_picture(name))) is not None:
        draw_list.add_image_rounded(picture, corner, foot, imgui.ImVec2(0.0, 1.0), imgui.ImVec2(1.0, 0.0), 0xFFFFFFFF, rounding)
    draw_list.push_clip_rect(corner, imgui.ImVec2(end.x - widgets.scaled(4.0), end.y), True)
    colour = p.accent_strong if current else p.text
    at = imgui.ImVec2(corner.x + widgets.scaled(7.0), foot.y + 0.5 * (line - imgui.get_text_line_height()))
    draw_list.add_text(at, style.u32(colour), widgets.cut(scene.title, width - widgets.scaled(14.0)))
    draw_list.pop_clip_rect()
    if index == state.typed.at:
        draw_list.add_rect(corner, end, style.u32(p.accent_strong), rounding, thickness=widgets.scaled(2.5))
    return over and imgui.is_mouse_double_clicked(0)
