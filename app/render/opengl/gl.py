"""A thin layer over OpenGL 3.3: programs from files, instanced meshes, depth maps, one uniform block. Needs a context."""

import ctypes
from pathlib import Path

import numpy as np
from pyglet import gl

SHADERS = Path(__file__).resolve().parents[3] / "assets" / "shaders"
UNIFORM_BINDING = 0
FIRST_INSTANCE = 8
"""First attribute location of the vec4s of an instance (mat4 attributes are avoided)."""

draw_calls = 0
"""Draw calls since the start; for tests and the performance panel."""


class ShaderError(RuntimeError):
    """A shader did not compile or link; holds the file's name and the driver's message."""


def _text(name: str) -> str:
    return (SHADERS / name).read_text(encoding="utf-8")


def _compile(kind: int, name: str, source: str) -> int:
    shader = gl.glCreateShader(kind)
    data = source.encode("utf-8")
    text = ctypes.cast(ctypes.c_char_p(data), ctypes.POINTER(gl.GLchar))
    gl.glShaderSource(shader, 1, ctypes.byref(text), ctypes.byref(gl.GLint(len(data))))
    gl.glCompileShader(shader)
    done = gl.GLint()
    gl.glGetShaderiv(shader, gl.GL_COMPILE_STATUS, ctypes.byref(done))
    if not done.value:
        words = ctypes.create_string_buffer(8192)
        gl.glGetShaderInfoLog(shader, 8192, None, words)
        raise ShaderError(f"{name}: {words.value.decode('utf-8', 'replace')}")
    return shader


class Program:
    """assets/shaders/NAME.vert (or VERTEX.vert) and NAME.frag, preceded by scene.glsl (and by shadow.glsl if `shadows`)."""

    def __init__(self, name: str, shadows: bool = False, textures: dict[str, int] | None = None, vertex: str = "") -> None:
        head = "#version 330 core\n" + _text("scene.glsl")
        extra = _text("shadow.glsl") if shadows else ""
        self.id = gl.glCreateProgram()
        vertex = f"{vertex or name}.vert"
        parts = [_compile(gl.GL_VERTEX_SHADER, vertex, head + _text(vertex)),
                 _compile(gl.GL_FRAGMENT_SHADER, f"{name}.frag", head + extra + _text(f"{name}.frag"))]
        for part in parts:
            gl.glAttachShader(self.id, part)
        gl.glLinkProgram(self.id)
        done = gl.GLint()
        gl.glGetProgramiv(self.id, gl.GL_LINK_STATUS, ctypes.byref(done))
        if not done.value:
            words = ctypes.create_string_buffer(8192)
            gl.glGetProgramInfoLog(self.id, 8192, None, words)
            raise ShaderError(f"{name}: {words.value.decode('utf-8', 'replace')}")
        for part in parts:
            gl.glDetachShader(self.id, part)
            gl.glDeleteShader(part)
        self._where: dict[str, int] = {}
        block = gl.glGetUniformBlockIndex(self.id, b"Scene")
        if block != gl.GL_INVALID_INDEX:
            gl.glUniformBlockBinding(self.id, block, UNIFORM_BINDING)
        self.use()
        for sampler, unit in (textures or {}).items():
            gl.glUniform1i(self._location(sampler), unit)

    def use(self, **values: float) -> None:
        """Make it current and set uniforms; an int sets an int uniform."""
        gl.glUseProgram(self.id)
        for name, value in values.items():
            if isinstance(value, int):
                gl.glUniform1i(self._location(name), value)
            else:
                gl.glUniform1f(self._location(name), value)

    def delete(self) -> None:
        gl.glDeleteProgram(self.id)

    def _location(self, name: str) -> int:
        if name not in self._where:
            self._where[name] = gl.glGetUniformLocation(self.id, name.encode())
        return self._where[name]


def handle(make: object) -> int:
    """Create one GL object and return its name; make: glGenTextures and the like."""
    number = gl.GLuint()
    make(1, ctypes.byref(number))
    return number.value


def _pointer(array: np.ndarray) -> ctypes.c_void_p:
    return ctypes.c_void_p(array.ctypes.data)


class Instanced:
    """A mesh drawn many times with one call.

    vertices (n, f) float32: attributes of the given sizes, in order; triangles (m, 3).
    vec4s: number of vec4 per instance; `upload` takes (count, 4 * vec4s) float32.
    """

    def __init__(self, vertices: np.ndarray, sizes: tuple[int, ...], triangles: np.ndarray, vec4s: int) -> None:
        vertices = np.ascontiguousarray(vertices, np.float32)
        index = np.ascontiguousarray(triangles, np.uint32).ravel()
        self.indices, self.count, self.width = len(index), 0, 4 * vec4s
        self.vao = handle(gl.glGenVertexArrays)
        self.buffers = [handle(gl.glGenBuffers) for _ in range(3)]
        gl.glBindVertexArray(self.vao)
        gl.glBindBuffer(gl.GL_ARRAY_BUFFER, self.buffers[0])
        gl.glBufferData(gl.GL_ARRAY_BUFFER, vertices.nbytes, _pointer(vertices), gl.GL_STATIC_DRAW)
        offset = 0
        for location, size in enumerate(sizes):
            self._attribute(location, size, 4 * sum(sizes), offset)
            offset += 4 * size
        gl.glBindBuffer(gl.GL_ELEMENT_ARRAY_BUFFER, self.buffers[1])
        gl.glBufferData(gl.GL_ELEMENT_ARRAY_BUFFER, index.nbytes, _pointer(index), gl.GL_STATIC_DRAW)
        gl.glBindBuffer(gl.GL_ARRAY_BUFFER, self.buffers[2])
        for k in range(vec4s):
            self._attribute(FIRST_INSTANCE + k, 4, 16 * vec4s, 16 * k)
            gl.glVertexAttribDivisor(FIRST_INSTANCE + k, 1)
        gl.glBindVertexArray(0)

    def upload(self, instances: np.ndarray) -> None:
        """Replace all instances."""
        data = np.ascontiguousarray(instances, np.float32).reshape(-1, self.width)
        self.count = len(data)
        if self.count:
            gl.glBindBuffer(gl.GL_ARRAY_BUFFER, self.buffers[2])
            gl.glBufferData(gl.GL_ARRAY_BUFFER, data.nbytes, _pointer(data), gl.GL_STREAM_DRAW)

    def draw(self) -> None:
        """Draw all instances in one call; no call if there are none."""
        global draw_calls
        if not self.count or not self.indices:
            return
        gl.glBindVertexArray(self.vao)
        gl.glDrawElementsInstanced(gl.GL_TRIANGLES, self.indices, gl.GL_UNSIGNED_INT, None, self.count)
        draw_calls += 1

    def delete(self) -> None:
        gl.glDeleteVertexArrays(1, ctypes.byref(gl.GLuint(self.vao)))
        gl.glDeleteBuffers(3, (gl.GLuint * 3)(*self.buffers))

    @staticmethod
    def _attribute(location: int, size: int, stride: int, offset: int) -> None:
        gl.glEnableVertexAttribArray(location)
        gl.glVertexAttribPointer(location, size, gl.GL_FLOAT, gl.GL_FALSE, stride, ctypes.c_void_p(offset))


class Triangle:
    """One triangle without attributes that covers the viewport."""

    def __init__(self) -> None:
        self.vao = handle(gl.glGenVertexArrays)

    def draw(self) -> None:
        global draw_calls
        gl.glBindVertexArray(self.vao)
        gl.glDrawArrays(gl.GL_TRIANGLES, 0, 3)
        draw_calls += 1

    def delete(self) -> None:
        gl.glDeleteVertexArrays(1, ctypes.byref(gl.GLuint(self.vao)))


class UniformBlock:
    """The uniform block shared by all programs."""

    def __init__(self) -> None:
        self.buffer = handle(gl.glGenBuffers)

    def upload(self, data: np.ndarray) -> None:
        """Upload the floats, laid out as in scene.glsl, and bind the block."""
        data = np.ascontiguousarray(data, np.float32)
        gl.glBindBuffer(gl.GL_UNIFORM_BUFFER, self.buffer)
        gl.glBufferData(gl.GL_UNIFORM_BUFFER, data.nbytes, _pointer(data), gl.GL_STREAM_DRAW)
        gl.glBindBufferBase(gl.GL_UNIFORM_BUFFER, UNIFORM_BINDING, self.buffer)

    def delete(self) -> None:
        gl.glDeleteBuffers(1, ctypes.byref(gl.GLuint(self.buffer)))


class DepthMap:
    """A square depth texture as render target; sampled with or without comparison."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.texture = handle(gl.glGenTextures)
        gl.glBindTexture(gl.GL_TEXTURE_2D, self.texture)
        gl.glTexImage2D(gl.GL_TEXTURE_2D, 0, gl.GL_DEPTH_COMPONENT24, size, size, 0, gl.GL_DEPTH_COMPONENT,
                        gl.GL_UNSIGNED_INT, None)
        self.samplers = [handle(gl.glGenSamplers) for _ in range(2)]
        for sampler, near in zip(self.samplers, (gl.GL_LINEAR, gl.GL_NEAREST)):
            gl.glSamplerParameteri(sampler, gl.GL_TEXTURE_MIN_FILTER, near)
            gl.glSamplerParameteri(sampler, gl.GL_TEXTURE_MAG_FILTER, near)
            gl.glSamplerParameteri(sampler, gl.GL_TEXTURE_WRAP_S, gl.GL_CLAMP_TO_EDGE)
            gl.glSamplerParameteri(sampler, gl.GL_TEXTURE_WRAP_T, gl.GL_CLAMP_TO_EDGE)
        gl.glSamplerParameteri(self.samplers[0], gl.GL_TEXTURE_COMPARE_MODE, gl.GL_COMPARE_REF_TO_TEXTURE)
        gl.glSamplerParameteri(self.samplers[0], gl.GL_TEXTURE_COMPARE_FUNC, gl.GL_LEQUAL)
        self.framebuffer = handle(gl.glGenFramebuffers)
        before = integers(gl.GL_DRAW_FRAMEBUFFER_BINDING, 1)[0]
        gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, self.framebuffer)
        gl.glFramebufferTexture2D(gl.GL_FRAMEBUFFER, gl.GL_DEPTH_ATTACHMENT, gl.GL_TEXTURE_2D, self.texture, 0)
        gl.glDrawBuffer(gl.GL_NONE)
        gl.glReadBuffer(gl.GL_NONE)
        gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, before)
        gl.glBindTexture(gl.GL_TEXTURE_2D, 0)

    def begin(self) -> None:
        """Bind and clear it as render target; the caller restores its own framebuffer and viewport."""
        gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, self.framebuffer)
        gl.glViewport(0, 0, self.size, self.size)
        gl.glClear(gl.GL_DEPTH_BUFFER_BIT)

    def bind(self, unit: int, compare: bool) -> None:
        gl.glActiveTexture(gl.GL_TEXTURE0 + unit)
        gl.glBindTexture(gl.GL_TEXTURE_2D, self.texture)
        gl.glBindSampler(unit, self.samplers[0 if compare else 1])

    def delete(self) -> None:
        gl.glDeleteFramebuffers(1, ctypes.byref(gl.GLuint(self.framebuffer)))
        gl.glDeleteTextures(1, ctypes.byref(gl.GLuint(self.texture)))
        gl.glDeleteSamplers(2, (gl.GLuint * 2)(*self.samplers))


def integers(name: int, count: int) -> list[int]:
    """Values of glGetIntegerv."""
    values = (gl.GLint * count)()
    gl.glGetIntegerv(name, values)
    return list(values)


def renderer_name() -> str:
    """Name of the renderer as given by the driver."""
    text = ctypes.cast(gl.glGetString(gl.GL_RENDERER), ctypes.c_char_p).value
    return (text or b"").decode("utf-8", "replace")
