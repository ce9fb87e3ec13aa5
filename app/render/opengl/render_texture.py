"""A texture as render target; reallocated when the size changes. Needs a context."""

import ctypes

from pyglet import gl

from app.render.opengl.gl import handle

BUFFER_KINDS = {
    "colour": (gl.GL_RGBA8, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, gl.GL_COLOR_ATTACHMENT0, gl.GL_LINEAR),
    "mask": (gl.GL_R8, gl.GL_RED, gl.GL_UNSIGNED_BYTE, gl.GL_COLOR_ATTACHMENT0, gl.GL_LINEAR),
    "pair": (gl.GL_RG32F, gl.GL_RG, gl.GL_FLOAT, gl.GL_COLOR_ATTACHMENT0, gl.GL_NEAREST),
    "depth": (gl.GL_DEPTH_COMPONENT24, gl.GL_DEPTH_COMPONENT, gl.GL_UNSIGNED_INT, gl.GL_DEPTH_ATTACHMENT, gl.GL_NEAREST)}
"""What a pixel holds: a colour, 0 .. 1, two numbers, or a depth; formats, attachment and filter."""


def attach(texture: int, kind: str, size: tuple[int, int]) -> None:
    """Allocate a texture of this size [px] and attach it to the current framebuffer. kind: of BUFFER_KINDS."""
    inner, form, number, attachment, sampling = BUFFER_KINDS[kind]
    gl.glBindTexture(gl.GL_TEXTURE_2D, texture)
    gl.glTexImage2D(gl.GL_TEXTURE_2D, 0, inner, *size, 0, form, number, None)
    for name, value in ((gl.GL_TEXTURE_MIN_FILTER, sampling), (gl.GL_TEXTURE_MAG_FILTER, sampling),
                        (gl.GL_TEXTURE_WRAP_S, gl.GL_CLAMP_TO_EDGE), (gl.GL_TEXTURE_WRAP_T, gl.GL_CLAMP_TO_EDGE)):
        gl.glTexParameteri(gl.GL_TEXTURE_2D, name, value)
    gl.glFramebufferTexture2D(gl.GL_FRAMEBUFFER, attachment, gl.GL_TEXTURE_2D, texture, 0)


class RenderTexture:
    """kind: of BUFFER_KINDS."""

    def __init__(self, kind: str) -> None:
        self.kind, self.size = kind, (0, 0)
        self.texture, self.framebuffer = handle(gl.glGenTextures), handle(gl.glGenFramebuffers)

    def begin(self, width: int, height: int) -> None:
        """Bind and clear it as render target; the caller restores its own framebuffer and viewport."""
        gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, self.framebuffer)
        if self.size != (width, height):
            self.size = (width, height)
            attach(self.texture, self.kind, self.size)
            if self.kind == "depth":
                gl.glDrawBuffer(gl.GL_NONE)
                gl.glReadBuffer(gl.GL_NONE)
        gl.glViewport(0, 0, width, height)
        if self.kind == "depth":
            gl.glClear(gl.GL_DEPTH_BUFFER_BIT)
        else:
            gl.glClearBufferfv(gl.GL_COLOR, 0, (gl.GLfloat * 4)())

    def bind(self, unit: int) -> None:
        gl.glActiveTexture(gl.GL_TEXTURE0 + unit)
        gl.glBindTexture(gl.GL_TEXTURE_2D, self.texture)
        gl.glBindSampler(unit, 0)

    def delete(self) -> None:
        gl.glDeleteFramebuffers(1, ctypes.byref(gl.GLuint(self.framebuffer)))
        gl.glDeleteTextures(1, ctypes.byref(gl.GLuint(self.texture)))
