"""ImGui's picture drawn without Python's lock, so that the physics thread goes on meanwhile.

imgui-bundle's binding of the OpenGL renderer keeps the lock for the whole call: some milliseconds, and tens without a graphics
card. Its library exports the same function, and ctypes gives the lock away. Where the name is not exported, the binding is used.
"""

import ctypes
import logging
from collections.abc import Callable
from importlib.util import find_spec

from imgui_bundle import imgui

log = logging.getLogger(__name__)

DATA, RENDER = "_ZN5ImGui11GetDrawDataEv", "_Z32ImGui_ImplOpenGL3_RenderDrawDataP10ImDrawData"
"""ImGui::GetDrawData() and ImGui_ImplOpenGL3_RenderDrawData(ImDrawData*), as GCC and Clang name them."""


def renderer() -> Callable[[], None]:
    """What draws the finished picture with the current GL context."""
    try:
        library = ctypes.CDLL(find_spec("imgui_bundle._imgui_bundle").origin)
        data, render = library[DATA], library[RENDER]
    except (AttributeError, OSError):
        log.info("imgui-bundle exports no renderer here: steps wait while the panels are drawn")
        return lambda: imgui.backends.opengl3_render_draw_data(imgui.get_draw_data())
    data.argtypes, data.restype = (), ctypes.c_void_p
    render.argtypes, render.restype = (ctypes.c_void_p,), None
    return lambda: render(data())
