"""A render target with depth at its own resolution, scaled to the shown picture. Needs a context."""

import ctypes

from pyglet import gl

from app.render.opengl.gl import Program, Triangle, handle, integers
from app.render.opengl.render_texture import attach


class ScaledTarget:
    """Colour and depth without anti-aliasing; reallocated when the size changes."""

    def __init__(self) -> None:
        self.size = (0, 0)
        self._program = Program("spread", textures={"picture": 0, "picture_depth": 1})
        self._triangle = Triangle()
        self._textures = [handle(gl.glGenTextures) for _ in range(2)]
        self._framebuffer = handle(gl.glGenFramebuffers)

    def begin(self, width: int, height: int) -> None:
        """Bind it as render target; the caller restores its own framebuffer and viewport."""
        gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, self._framebuffer)
        if self.size != (width, height):
            self.size = (width, height)
            for texture, kind in zip(self._textures, ("colour", "depth")):
                attach(texture, kind, self.size)
        gl.glViewport(0, 0, width, height)

    def spread(self) -> None:
        """Draw colour and depth over the whole viewport of the current framebuffer."""
        for unit, texture in enumerate(self._textures):
            gl.glActiveTexture(gl.GL_TEXTURE0 + unit)
            gl.glBindSampler(unit, 0)
            gl.glBindTexture(gl.GL_TEXTURE_2D, texture)
        gl.glDisable(gl.GL_BLEND)
        gl.glDisable(gl.GL_CULL_FACE)
        gl.glEnable(gl.GL_DEPTH_TEST)
        gl.glDepthFunc(gl.GL_ALWAYS)
        gl.glDepthMask(gl.GL_TRUE)
        self._program.use()
        self._triangle.draw()
        gl.glDepthFunc(gl.GL_LEQUAL)

    def delete(self) -> None:
        self._program.delete()
        self._triangle.delete()
        gl.glDeleteFramebuffers(1, ctypes.byref(gl.GLuint(self._framebuffer)))
        gl.glDeleteTextures(2, (gl.GLuint * 2)(*self._textures))


class MultisampleTarget:
    """An anti-aliased framebuffer, for windows that have none; resolved into a canvas without samples."""

    def __init__(self, samples: int) -> None:
        self.samples = min(samples, integers(gl.GL_MAX_SAMPLES, 1)[0])
        self.size = (0, 0)
        self.framebuffer = handle(gl.glGenFramebuffers)
        self._buffers = [handle(gl.glGenRenderbuffers) for _ in range(2)]

    def begin(self, width: int, height: int) -> None:
        """Bind it as render target; the caller restores its own framebuffer and viewport."""
        gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, self.framebuffer)
        if self.size != (width, height):
            self.size = (width, height)
            for buffer, attachment, form in zip(self._buffers, (gl.GL_COLOR_ATTACHMENT0, gl.GL_DEPTH_ATTACHMENT),
                                                (gl.GL_RGBA8, gl.GL_DEPTH_COMPONENT24)):
                gl.glBindRenderbuffer(gl.GL_RENDERBUFFER, buffer)
                gl.glRenderbufferStorageMultisample(gl.GL_RENDERBUFFER, self.samples, form, width, height)
                gl.glFramebufferRenderbuffer(gl.GL_FRAMEBUFFER, attachment, gl.GL_RENDERBUFFER, buffer)

    def resolve(self, canvas: ScaledTarget) -> None:
        """Resolve into a canvas, which is resized to match."""
        canvas.begin(*self.size)
        gl.glBindFramebuffer(gl.GL_READ_FRAMEBUFFER, self.framebuffer)
        gl.glBlitFramebuffer(0, 0, *self.size, 0, 0, *self.size, gl.GL_COLOR_BUFFER_BIT, gl.GL_NEAREST)

    def delete(self) -> None:
        gl.glDeleteFramebuffers(1, ctypes.byref(gl.GLuint(self.framebuffer)))
        gl.glDeleteRenderbuffers(2, (gl.GLuint * 2)(*self._buffers))
