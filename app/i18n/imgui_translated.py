"""imgui and implot of imgui-bundle with translated texts (app/i18n/translate.py).

The single point of translation: panels and controls import them from here, pass English texts and need nothing else. Labels keep
their identity ("shown###English"), so nothing closes or moves when the language changes.
"""

from collections.abc import Callable
from functools import wraps
from types import ModuleType
from typing import TYPE_CHECKING, Any

import imgui_bundle

from app.i18n import translate

LABEL_FUNCTIONS = {"imgui": ("button", "small_button", "checkbox", "radio_button", "selectable", "menu_item", "begin_menu",
                             "begin_combo", "tree_node", "tree_node_ex", "collapsing_header", "begin_tab_item"),
                   "implot": ("plot_line", "plot_scatter", "plot_shaded", "plot_bars", "plot_stairs", "plot_inf_lines",
                              "plot_dummy", "begin_plot")}
"""Functions whose first argument is a label."""

TEXTS = {"imgui": {"text_unformatted": (0,), "text": (0,), "text_wrapped": (0,), "separator_text": (0,), "calc_text_size": (0,),
                   "set_tooltip": (0,), "begin_combo": (1,), "menu_item": (1,), "input_text_with_hint": (1,),
                   "progress_bar": (2,)},
         "implot": {"setup_axis": (1,), "setup_axes": (0, 1), "annotation": (5,), "plot_text": (0,),
                     "tag_x": (2,), "tag_y": (2,)}}
"""Functions with texts, and the positions of those arguments."""


def _with_texts(function: Callable, labels: bool, texts: tuple[int, ...]) -> Callable:
    translated, label = translate.translate, translate.label

    @wraps(function)
    def drawn(*args: Any, **named: Any) -> Any:
        shown = list(args)
        if labels and shown:
            shown[0] = label(shown[0])
        for place in texts:
            if place < len(shown) and isinstance(shown[place], str):
                shown[place] = translated(shown[place])
        return function(*shown, **named)
    return drawn


def _of_text(function: Callable) -> Callable:
    return lambda text, *more, **named: function(translate.translate(text), *more, **named)


def _module(name: str) -> ModuleType:
    real, made = getattr(imgui_bundle, name), ModuleType(name)
    made.__dict__.update(vars(real))
    for function in {*LABEL_FUNCTIONS[name], *TEXTS[name]}:
        labels, texts = function in LABEL_FUNCTIONS[name], TEXTS[name].get(function, ())
        drawn = getattr(real, function)
        setattr(made, function, _of_text(drawn) if not labels and texts == (0,) else _with_texts(drawn, labels, texts))
    return made


if TYPE_CHECKING:
    from imgui_bundle import imgui, implot
else:
    imgui, implot = _module("imgui"), _module("implot")
