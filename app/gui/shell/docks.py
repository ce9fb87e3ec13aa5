"""Docking of panels: the default layout, docks with a bounded share of the window, lists of tabs that do not fit.

Dear ImGui keeps docks at fixed sizes in pixels when text or window change. Here every dock beside the scene keeps its size in
units of the text, as given by default or by the user, and shrinks where that is too much of the window; it grows back when there
is space again. A window that is low for its text has one dock on the left instead of two; in another one that is narrow, with
docks on both sides, that at the bottom is as wide as the window, for tables and plots. Before an audience, whose text is large,
the panels of the right are tabs on the left, so that the scene keeps most of the width.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from app.gui.controls import widgets
from app.i18n import translate
from app.i18n.imgui_translated import imgui

DOCK_SIZES = {"left": 330.0, "right": 340.0, "bottom": 270.0}
"""Default sizes of the docks [px at scale 1]."""
MAX_DOCK_SHARES = (0.3, 0.36)
"""Largest share of the window's width and height for a dock."""
MIN_DIVIDED_HEIGHT = 560.0
"""Window height below which the left dock is not divided [px at scale 1]."""
MIN_BETWEEN_WIDTH = 1050.0
"""Window width below which the bottom dock is not between those of the sides [px at scale 1]."""
MIN_WINDOW_SIZE = 64.0
"""A smaller window counts as not shown [px]."""
UPPER_SHARE = {"left": 0.4, "right": 0.56}
"""Share of the upper half in a divided dock."""
LAYOUT_PICTURES = 3
"""Pictures until tabs have their widths."""
DRAG_THRESHOLD = 1.5
"""A dock whose size differs by more than this was dragged [px]."""


class Docked(Protocol):
    """What is required of a panel."""

    name: str
    window: str
    place: str
    open: bool
    focus: bool


DockedPanels = Mapping[str, Docked]


class LayoutKind(NamedTuple):
    """low: the left dock is not divided; narrow: the bottom dock is below those of the sides; one_sided: there is no right dock,
    its panels are on the left."""

    low: bool = False
    narrow: bool = False
    one_sided: bool = False


@dataclass
class Docks:
    """The dock space. laid_out: a layout was loaded or made; centre: the area that docks leave free (x, y, w, h) [px], y down.

    wanted, applied: sizes of docks beside the scene by ID [px at scale 1; px]; fitted: scale and window size of the last fit;
    presenting: before an audience.
    """

    laid_out: bool = False
    centre: tuple[float, float, float, float] = (0.0, 0.0, 1.0, 1.0)
    wanted: dict[int, float] = field(default_factory=dict)
    applied: dict[int, float] = field(default_factory=dict)
    fitted: tuple[float, ...] = ()
    kind: LayoutKind = field(default_factory=LayoutKind)
    presenting: bool = False
    _made: dict[str, float] = field(default_factory=lambda: dict(DOCK_SIZES))   # sizes that the layout was made with
    _front: int = 0         # pictures until the first tab of each dock comes to the front
    _front_tabs: frozenset[str] = frozenset()   # panels that are to be in front then
    _front_before: frozenset[str] = frozenset()     # panels that were in front when there was last a right dock
    _lists: int = 0         # pictures in which the tab lists are updated
    _shown: tuple = ()

    def draw(self, panels: DockedPanels, presenting: bool = False) -> None:
        """Draw the dock space, before the panels."""
        self.presenting = presenting
        viewport = imgui.get_main_viewport()
        ident = imgui.get_id("docks")
        if not self.laid_out:
            self.laid_out = True
            if imgui.internal.dock_builder_get_node(ident) is None:
                self.reset(panels)
            else:
                self.kind = self._fitting_kind(panels)
                _dock_unplaced_panels(panels)
        if self.kind != self._fitting_kind(panels) and not _tiny() and _as_made(panels, self.kind.one_sided):
            self._front_tabs = self._front_tabs or front_tabs(panels)
            if not self.kind.one_sided:
                self._front_before = self._front_tabs
            self.reset(panels, self._sizes(panels))
        imgui.dock_space_over_viewport(ident, viewport, imgui.DockNodeFlags_.passthru_central_node)
        node = imgui.internal.dock_builder_get_central_node(ident)
        if node is not None:
            self.centre = (node.pos.x, node.pos.y, node.size.x, node.size.y)
            if not _tiny():
                self._fit(panels, node)
        self._bring_to_front(panels)
        self._list_tabs(panels)

    def reset(self, panels: DockedPanels, sizes: Mapping[str, float] = DOCK_SIZES) -> None:
        """Dock all panels in the default layout. sizes: of the docks [px at scale 1]."""
        build, root = imgui.internal, imgui.get_id("docks")
        if build.dock_builder_get_node(root) is not None:
            build.dock_builder_remove_node(root)
        self.kind, whole = self._fitting_kind(panels), imgui.get_main_viewport().work_size
        build.dock_builder_add_node(root, build.DockNodeFlagsPrivate_.dock_space)
        build.dock_builder_set_node_size(root, whole)
        nodes, middle, left = {}, root, [max(whole.x, 1.0), max(whole.y, 1.0)]
        self.wanted, self.applied, self.fitted, self._shown, self._made = {}, {}, (), (), dict(sizes)
        sides = [("left", imgui.Dir.left, 0), ("right", imgui.Dir.right, 0), ("bottom", imgui.Dir.down, 1)]
        for side, direction, axis in sides[::-1] if self.kind.narrow else sides:
            if side == "right" and self.kind.one_sided:
                continue
            size = _bounded(sizes[side], axis)
            split = build.dock_builder_split_node(middle, direction, min(0.9, size / left[axis]))
            nodes[side], middle = split.id_at_dir, split.id_at_opposite_dir
            left[axis] = max(1.0, left[axis] - size)
            self.wanted[nodes[side]] = sizes[side]
        for side, ratio in UPPER_SHARE.items():
            if side not in nodes:
                continue
            if self.kind.low and side == "left":
                nodes["left top"] = nodes["left"]
                continue
            split = build.dock_builder_split_node(nodes[side], imgui.Dir.up, ratio)
            nodes[f"{side} top"], nodes[side] = split.id_at_dir, split.id_at_opposite_dir
        for node in nodes.values():
            build.dock_builder_get_node(node).set_local_flags(_flags(False))
        for panel in sorted(panels.values(), key=_rank):
            place = _shown_place(panel.place, self.kind.one_sided)
            if place in nodes:
                build.dock_builder_dock_window(panel.window, nodes[place])
        build.dock_builder_finish(root)
        self.show_first_tabs()

    def show_first_tabs(self, front: frozenset[str] = frozenset()) -> None:
        """Bring one open panel of each dock to the front, once panels just opened are in their docks: one of `front`, else the
        first."""
        self._front, self._front_tabs, self.fitted = 4, front or self._front_tabs, ()

    # ---- sizes

    def _fitting_kind(self, panels: DockedPanels) -> LayoutKind:
        """The layout for the size of the window and the panels that are open."""
        width, height = imgui.get_main_viewport().work_size
        right = any(panel.open and panel.place.removesuffix(" top") == "right" for panel in panels.values())
        one_sided = self.presenting and right
        if height < widgets.scaled(MIN_DIVIDED_HEIGHT):
            return LayoutKind(low=True, one_sided=one_sided)
        narrow = width < widgets.scaled(MIN_BETWEEN_WIDTH) and right and not one_sided
        low = narrow and height - _bounded(DOCK_SIZES["bottom"], 1) < widgets.scaled(MIN_DIVIDED_HEIGHT)
        return LayoutKind(low, narrow, one_sided)

    def _fit(self, panels: DockedPanels, central: imgui.internal.DockNode) -> None:
        """Resize the docks if text or window have changed; else detect which of them were dragged."""
        whole = imgui.get_main_viewport().work_size
        now = (widgets.scaled(1.0), whole.x, whole.y)
        build = imgui.internal
        if now == self.fitted:
            for ident, size in self.applied.items():
                node = build.dock_builder_get_node(ident)
                axis = int(node.parent_node.split_axis.value) if node is not None and node.parent_node is not None else -1
                if axis >= 0 and abs(node.size[axis] - size) > DRAG_THRESHOLD:
                    self.applied[ident] = node.size[axis]
                    self.wanted[ident] = node.size[axis] / widgets.scaled(1.0)
                    self._lists = LAYOUT_PICTURES
            return
        before, self.fitted = self.fitted[0] if self.fitted else now[0], now
        for ident, axis in _sides(panels, central).items():
            node = build.dock_builder_get_node(ident)
            wanted = self.wanted.setdefault(ident, node.size[axis] / before)
            size = [max(1.0, node.size.x), max(1.0, node.size.y)]
            size[axis] = self.applied[ident] = _bounded(wanted, axis)
            build.dock_builder_set_node_size(ident, imgui.ImVec2(*size))

    def _sizes(self, panels: DockedPanels) -> dict[str, float]:
        """Present size of each dock of the default layout; of one that it has not, that of the layout before."""
        sizes = dict(self._made)
        for panel in panels.values():
            if self.kind.one_sided and panel.place.startswith("right"):
                continue
            window, side = imgui.internal.find_window_by_name(panel.window), panel.place.removesuffix(" top")
            node = imgui.internal.dock_builder_get_node(window.dock_id) if window is not None and window.dock_id else None
            while node is not None:
                if node.id_ in self.wanted and side in sizes:
                    sizes[side] = self.wanted[node.id_]
                node = node.parent_node
        return sizes

    # ---- tabs

    def _bring_to_front(self, panels: DockedPanels) -> None:
        """Bring the first panel of each dock to the front, a few pictures after `show_first_tabs`."""
        self._front -= 1
        if self._front not in (0, 1):
            return
        first: dict[int, Docked] = {}
        order = sorted(panels.values(), key=lambda panel: (panel.name not in self._front_tabs,
                                                           panel.name not in self._front_before, _rank(panel)))
        for panel in order:
            window = imgui.internal.find_window_by_name(panel.window) if panel.open else None
            if window is not None and window.dock_id:
                first.setdefault(window.dock_id, panel)
        for panel in first.values():
            if self._front == 1:
                imgui.set_window_focus(panel.window)    # else the last one to appear keeps its tab in front
            else:
                panel.focus = True
        self._front_tabs = self._front_tabs if self._front else frozenset()
        self._front_before = self._front_before if self._front or self.kind.one_sided else frozenset()

    def _list_tabs(self, panels: DockedPanels) -> None:
        """Show a button with a list of tabs in each dock whose tabs do not all fit."""
        shown = (self.fitted, translate.code(), [panel.open for panel in panels.values()])
        if shown != self._shown:
            self._shown, self._lists = shown, LAYOUT_PICTURES
        self._lists -= 1
        if self._lists < 0:
            return
        for ident in {window.dock_id for window in _windows(panels)}:
            node = imgui.internal.dock_builder_get_node(ident)
            if node is not None and node.tab_bar is not None:
                bar, button = node.tab_bar.bar_rect, imgui.get_font_size() + imgui.get_style().item_inner_spacing.x
                listed = not node.local_flags & imgui.internal.DockNodeFlagsPrivate_.no_window_menu_button
                room = bar.max.x - bar.min.x + (button if listed else 0.0)
                node.set_local_flags(_flags(node.tab_bar.width_all_tabs_ideal > room))


def front_tabs(panels: DockedPanels) -> frozenset[str]:
    """Names of the open panels that are in front of their docks."""
    return frozenset(name for name, panel in panels.items() if panel.open and in_front(panel.window))


def in_front(name: str) -> bool:
    """Whether a window is that of the tab in front of its dock."""
    window = imgui.internal.find_window_by_name(name)
    node = window.dock_node if window is not None else None
    return node is not None and node.visible_window is not None and node.visible_window.id_ == window.id_


def _flags(listed: bool) -> int:
    """Flags of a dock; listed: with a button that lists its tabs."""
    flags = imgui.internal.DockNodeFlagsPrivate_
    return int(flags.no_close_button) | (0 if listed else int(flags.no_window_menu_button))


def _shown_place(place: str, one_sided: bool) -> str:
    """The place where a layout has the panels of a place."""
    return place.replace("right", "left") if one_sided else place


def _rank(panel: Docked) -> tuple[bool, bool]:
    """Order of panels among the tabs of a dock that holds several places."""
    return panel.place.startswith("right"), panel.place.endswith(" top")


def _tiny() -> bool:
    """Whether the window shows nothing, as when minimised: docks keep their sizes."""
    return min(imgui.get_main_viewport().work_size) < MIN_WINDOW_SIZE


def _bounded(wanted: float, axis: int) -> float:
    """A size [px at scale 1] in pixels, limited by the window."""
    return max(1.0, min(widgets.scaled(wanted), MAX_DOCK_SHARES[axis] * imgui.get_main_viewport().work_size[axis]))


def _windows(panels: DockedPanels) -> list[imgui.internal.Window]:
    """Windows of the docked panels."""
    found = (imgui.internal.find_window_by_name(panel.window) for panel in panels.values())
    return [window for window in found if window is not None and window.dock_id]


def _sides(panels: DockedPanels, central: imgui.internal.DockNode) -> dict[int, int]:
    """The docks beside the scene, children of the path from the central node to the root -> axis of their size, 0 or 1."""
    way, node = set(), central
    while node is not None:
        way.add(node.id_)
        node = node.parent_node
    found = {}
    for window in _windows(panels):
        node = imgui.internal.dock_builder_get_node(window.dock_id)
        while node is not None and node.parent_node is not None and node.parent_node.id_ not in way:
            node = node.parent_node
        if node is not None and node.parent_node is not None and node.id_ not in way:
            found[node.id_] = int(node.parent_node.split_axis.value)
    return found


def _as_made(panels: DockedPanels, one_sided: bool) -> bool:
    """Whether all panels are still docked in their default places."""
    places: dict[str, set[int]] = {}
    for panel in panels.values():
        window = imgui.internal.find_window_by_name(panel.window)
        if window is not None and panel.place in (*DOCK_SIZES, *(f"{side} top" for side in UPPER_SHARE)):
            places.setdefault(_shown_place(panel.place, one_sided), set()).add(window.dock_id)
    numbers = [number for found in places.values() for number in found]
    return all(len(found) == 1 for found in places.values()) and 0 not in numbers and _apart(places)


def _apart(places: Mapping[str, Collection[int]]) -> bool:
    """Whether different places are different docks, except the halves of a side."""
    sides = {place: place.removesuffix(" top") for place in places}
    return all(sides[one] == sides[other] or not set(places[one]) & set(places[other]) for one in places for other in places)


def _dock_unplaced_panels(panels: DockedPanels) -> None:
    """Dock panels unknown to a saved layout beside another of their place; they would float over the scene otherwise."""
    build = imgui.internal
    known = {name: build.find_window_settings_by_id(build.im_hash_str(panel.window)) for name, panel in panels.items()}
    for name, panel in panels.items():
        beside = next((known[other.name].dock_id for other in panels.values()
                       if other.place == panel.place and known[other.name] and known[other.name].dock_id), 0)
        if known[name] is None and beside:
            build.dock_builder_dock_window(panel.window, beside)
