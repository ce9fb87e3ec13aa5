"""Combined flags of ImGui and ImPlot for controls and panels.

Combined once: combining two of them takes longer than drawing a line of text, and every picture needs more than a hundred.
"""

from app.i18n.imgui_translated import imgui, implot

_Cell, _Plot, _Table = imgui.SelectableFlags_, implot.Flags_, imgui.TableFlags_

EXPLAINED = imgui.HoveredFlags_.for_tooltip | imgui.HoveredFlags_.allow_when_disabled
"""When a tooltip appears."""
SLIDER_FLAGS = imgui.SliderFlags_.no_input | imgui.SliderFlags_.always_clamp
TYPED = imgui.InputTextFlags_.auto_select_all | imgui.InputTextFlags_.enter_returns_true
LINE, LINE_TWICE = _Cell.span_all_columns | _Cell.allow_overlap, _Cell.span_all_columns | _Cell.allow_double_click
"""A table row that can be clicked, or double-clicked."""
TWICE = _Cell.allow_overlap | _Cell.allow_double_click
TABLE_FLAGS = _Table.row_bg | _Table.no_saved_settings
SCROLLED = TABLE_FLAGS | _Table.scroll_y
PLOT = _Plot.no_title | _Plot.no_mouse_text | _Plot.no_menus
WITHOUT_LEGEND = PLOT | _Plot.no_legend
"""A plot with a legend and one without."""
WITHOUT_INPUTS = WITHOUT_LEGEND | _Plot.no_inputs
"""A plot that the mouse does not move."""
FLOAT = (imgui.WindowFlags_.no_collapse | imgui.WindowFlags_.no_docking | imgui.WindowFlags_.always_auto_resize
         | imgui.WindowFlags_.no_saved_settings)
DOCKED = imgui.WindowFlags_.no_collapse | imgui.WindowFlags_.no_focus_on_appearing
"""Windows of panels."""
OVER_SCENE = (imgui.WindowFlags_.no_decoration | imgui.WindowFlags_.no_saved_settings | imgui.WindowFlags_.no_docking
              | imgui.WindowFlags_.no_move)
"""Messages in the middle of the scene."""
WITHIN = imgui.ChildFlags_.nav_flattened
"""A scrolling part of a panel, with keyboard navigation as in the rest of the panel."""
