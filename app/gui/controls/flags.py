"""Flags of ImGui and ImPlot in the combinations that controls and panels use.

Made once: to join two of them takes longer than to draw a line of text, and every picture asked for more than a hundred.
"""

from app.gui.speaking import imgui, implot

_Cell, _Plot, _Table = imgui.SelectableFlags_, implot.Flags_, imgui.TableFlags_

EXPLAINED = imgui.HoveredFlags_.for_tooltip | imgui.HoveredFlags_.allow_when_disabled
"""When an explanation appears."""
SLIDER = imgui.SliderFlags_.no_input | imgui.SliderFlags_.always_clamp
TYPED = imgui.InputTextFlags_.auto_select_all | imgui.InputTextFlags_.enter_returns_true
LINE, LINE_TWICE = _Cell.span_all_columns | _Cell.allow_overlap, _Cell.span_all_columns | _Cell.allow_double_click
"""Of a line of a table that is clicked, or clicked twice."""
TWICE = _Cell.allow_overlap | _Cell.allow_double_click
TABLE = _Table.row_bg | _Table.no_saved_settings
SCROLLED = TABLE | _Table.scroll_y
PLOT = _Plot.no_title | _Plot.no_mouse_text | _Plot.no_menus
BARE = PLOT | _Plot.no_legend
"""Of a plot with a legend and without one."""
UNTOUCHED = BARE | _Plot.no_inputs
"""Of one that the mouse does not move."""
FLOAT = (imgui.WindowFlags_.no_collapse | imgui.WindowFlags_.no_docking | imgui.WindowFlags_.always_auto_resize
         | imgui.WindowFlags_.no_saved_settings)
DOCKED = imgui.WindowFlags_.no_collapse | imgui.WindowFlags_.no_focus_on_appearing
"""Of panels' windows."""
WITHIN = imgui.ChildFlags_.nav_flattened
"""Of a part of a panel that scrolls: the keyboard goes into it like into the rest of the panel."""
