"""Rendering without a window: an EGL context (or a hidden window), an anti-aliased framebuffer, PNG files.

Import this before anything of `pyglet.gl` or `pyglet.window`: the choice "no display" must be made first.
"""

import ctypes
import os
import struct
import sys
import zlib
from pathlib import Path
from typing import Any

import numpy as np

from app.files.atomic_write import open_atomic


class NoGraphics(RuntimeError):
    """This machine has no OpenGL 3.3 context; one sentence."""


def _window() -> Any:
    """A tiny invisible window whose context is current."""
    import pyglet

    if "pyglet.gl" not in sys.modules:
        pyglet.options.debug_gl = False
        pyglet.options.shadow_window = False
        pyglet.options.headless = sys.platform.startswith("linux")
    try:
        from pyglet import gl
        from pyglet.window import Window

        config = gl.Config(major_version=3, minor_version=3, forward_compatible=True, double_buffer=False)
        return Window(16, 16, visible=False, config=config)
    except Exception as error:
        if pyglet.options.headless and (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
            return _hidden_window(error)
        raise NoGraphics(f"OpenGL 3.3 is not available ({_words(error)}); on Linux install Mesa's EGL (libegl1, libgl1-mesa-dri) "
                         "or run under Xvfb") from error


def _hidden_window(first: Exception) -> Any:
    """EGL failed but there is a display: reset pyglet's choice and open a hidden window."""
    import pyglet

    for name in [m for m in sys.modules if m.startswith(("pyglet.gl", "pyglet.window", "pyglet.display"))]:
        del sys.modules[name]
    pyglet.options.headless = False
    try:
        from pyglet import gl
        from pyglet.window import Window

        return Window(16, 16, visible=False, config=gl.Config(major_version=3, minor_version=3, double_buffer=False))
    except Exception as error:
        raise NoGraphics(f"OpenGL 3.3 is not available: EGL reports {_words(first)}, the display reports "
                         f"{_words(error)}") from error


def _words(error: Exception) -> str:
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__


class Offscreen:
    """A framebuffer of a fixed size, anti-aliased if `samples` > 1. Uses the current context if there is one."""

    def __init__(self, width: int, height: int, samples: int = 4) -> None:
        self.width, self.height = int(width), int(height)
        self.window = None
        current = sys.modules.get("pyglet.gl")
        if current is None or current.current_context is None:
            self.window = _window()
        from pyglet import gl

        most = (gl.GLint * 1)()
        gl.glGetIntegerv(gl.GL_MAX_SAMPLES, most)
        largest = (gl.GLint * 1)()
        gl.glGetIntegerv(gl.GL_MAX_RENDERBUFFER_SIZE, largest)
        if not 1 <= self.width <= largest[0] or not 1 <= self.height <= largest[0]:
            raise NoGraphics(f"a picture of {width}x{height} exceeds the limit of this machine ({largest[0]} pixels per side)")
        self._drawn, self._parts = self._framebuffer(min(samples, most[0]), depth=True)
        self._read, more = self._framebuffer(0, depth=False)
        self._parts += more

    def begin(self) -> None:
        """Bind it as render target."""
        from pyglet import gl

        if self.window is not None:
            self.window.switch_to()
        gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, self._drawn)

    def shrink(self, x: int, y: int, width: int, height: int) -> None:
        """Copy that part of the window, scaled to fit, origin bottom left [px]."""
        from pyglet import gl

        gl.glBindFramebuffer(gl.GL_READ_FRAMEBUFFER, 0)
        gl.glBindFramebuffer(gl.GL_DRAW_FRAMEBUFFER, self._drawn)
        gl.glBlitFramebuffer(x, y, x + width, y + height, 0, 0, self.width, self.height, gl.GL_COLOR_BUFFER_BIT, gl.GL_LINEAR)

    def pixels(self) -> np.ndarray:
        """The picture, (height, width, 3) uint8, top row first."""
        from pyglet import gl

        w, h = self.width, self.height
        gl.glBindFramebuffer(gl.GL_READ_FRAMEBUFFER, self._drawn)
        gl.glBindFramebuffer(gl.GL_DRAW_FRAMEBUFFER, self._read)
        gl.glBlitFramebuffer(0, 0, w, h, 0, 0, w, h, gl.GL_COLOR_BUFFER_BIT, gl.GL_NEAREST)
        gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, self._read)
        out = np.empty((h, w, 3), np.uint8)
        gl.glPixelStorei(gl.GL_PACK_ALIGNMENT, 1)
        gl.glReadPixels(0, 0, w, h, gl.GL_RGB, gl.GL_UNSIGNED_BYTE, ctypes.c_void_p(out.ctypes.data))
        return out[::-1]

    def close(self) -> None:
        """Free the framebuffers, and the context if it was made here."""
        from pyglet import gl

        gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, 0)
        gl.glDeleteFramebuffers(2, (gl.GLuint * 2)(self._drawn, self._read))
        gl.glDeleteRenderbuffers(len(self._parts), (gl.GLuint * len(self._parts))(*self._parts))
        if self.window is not None:
            self.window.close()

    def __enter__(self) -> "Offscreen":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _framebuffer(self, samples: int, depth: bool) -> tuple[int, list[int]]:
        from pyglet import gl

        number, parts = gl.GLuint(), []
        gl.glGenFramebuffers(1, ctypes.byref(number))
        gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, number)
        wanted = [(gl.GL_COLOR_ATTACHMENT0, gl.GL_RGBA8)]
        if depth:
            wanted.append((gl.GL_DEPTH_ATTACHMENT, gl.GL_DEPTH_COMPONENT24))
        for attachment, form in wanted:
            buffer = gl.GLuint()
            gl.glGenRenderbuffers(1, ctypes.byref(buffer))
            gl.glBindRenderbuffer(gl.GL_RENDERBUFFER, buffer)
            gl.glRenderbufferStorageMultisample(gl.GL_RENDERBUFFER, samples, form, self.width, self.height)
            gl.glFramebufferRenderbuffer(gl.GL_FRAMEBUFFER, attachment, gl.GL_RENDERBUFFER, buffer)
            parts.append(buffer.value)
        if gl.glCheckFramebufferStatus(gl.GL_FRAMEBUFFER) != gl.GL_FRAMEBUFFER_COMPLETE:
            raise NoGraphics(f"this machine cannot draw a picture of {self.width}x{self.height} with {samples} samples")
        return number.value, parts


def write_png(path: str | Path, pixels: np.ndarray) -> None:
    """Save (height, width, 3) uint8 as a PNG file, atomically."""
    with open_atomic(path) as file:
        file.write(as_png(pixels))


def as_png(pixels: np.ndarray) -> bytes:
    """Encode (height, width, 3) uint8 as PNG."""
    height, width, _ = pixels.shape
    rows = np.empty((height, 1 + 3 * width), np.uint8)
    rows[:, 0] = 0
    rows[:, 1:] = pixels.reshape(height, -1)
    parts = [b"\x89PNG\r\n\x1a\n"]
    for kind, data in ((b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)),
                       (b"IDAT", zlib.compress(rows.tobytes(), 6)), (b"IEND", b"")):
        parts.append(struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)))
    return b"".join(parts)


def on_screen(width: int, height: int, vsync: bool) -> dict[str, Any]:
    """Arguments of a pyglet window that this machine can open.

    Raises:
        NoGraphics: no display, or no OpenGL 3.3.
    """
    import pyglet
    from pyglet import gl

    try:
        screen = pyglet.display.get_display().get_default_screen()
        found = screen.get_matching_configs(gl.Config(
            major_version=3, minor_version=3, forward_compatible=True, double_buffer=True, depth_size=24))
        if not found:
            raise NoGraphics("OpenGL 3.3 is not available: update the graphics driver or install Mesa")
    except NoGraphics:
        raise
    except Exception as error:
        raise NoGraphics(f"cannot open a window ({type(error).__name__}{': ' if str(error) else ''}{error}); check that a "
                         "display is available") from error
    width, height = min(width, screen.width), min(height, screen.height)
    return {"width": width, "height": height, "caption": "Stiction", "resizable": True, "file_drops": True,
            "vsync": vsync, "config": found[0]}
