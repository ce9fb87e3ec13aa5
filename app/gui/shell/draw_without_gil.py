"""Draws ImGui's picture without the GIL, so that the physics thread runs meanwhile.

imgui-bundle's binding of the OpenGL renderer holds the GIL for the whole call: some milliseconds, and tens without a graphics
card. Its library exports the same function, and ctypes releases the GIL. Where the name is not exported, the binding is used.
"""

import ctypes
import logging
from collections.abc import Callable
from importlib.util import find_spec

from imgui_bundle import imgui

log = logging.getLogger(__name__)

DATA, RENDER = "_ZN5ImGui11GetDrawDataEv", "_Z32ImGui_ImplOpenGL3_RenderDrawDataP10ImDrawData"
"""ImGui::GetDrawData() and ImGui_ImplOpenGL3_RenderDrawData(ImDrawData*), as mangled by GCC and Clang."""


def renderer() -> Callable[[], None]:
    """Return the function that draws the finished picture with the current GL context."""
    try:
        library = ctypes.CDLL(find_spec("imgui_bundle._imgui_bundle").origin)
        data, render = library[DATA], library[RENDER]
    except (AttributeError, OSError):
        log.info("imgui-bundle exports no renderer here: steps wait while the panels are drawn")
        return lambda: imgui.backends.opengl3_render_draw_data(imgui.get_draw_data())
    data.argtypes, data.restype = (), ctypes.c_void_p
    render.argtypes, render.restype = (ctypes.c_void_p,), None
    return lambda: render(data())
