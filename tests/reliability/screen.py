"""Goals of the real window; they need a display."""

import contextlib
import ctypes
import os
import random
import threading
import time
from collections.abc import Iterator
from typing import Any

from app.engine.simulation import Simulation
from app.engine.timeline.history import MEMORY_BUDGET

from .goals import Measured, both, goal, tested
from .mechanics import resident


@contextlib.contextmanager
def a_person() -> Iterator:
    """Someone at the real window."""
    from tests.tools.person import at, opened

    windows = opened()
    window = next(windows)
    people = at(window)
    try:
        yield next(people)
    finally:
        for made in (people, windows):
            with contextlib.suppress(StopIteration):
                next(made)


def _objects() -> int:
    """How many objects OpenGL has: textures, buffers, programs, vertex arrays, framebuffers."""
    from pyglet import gl

    kinds = (gl.glIsTexture, gl.glIsBuffer, gl.glIsProgram, gl.glIsVertexArray, gl.glIsFramebuffer)
    return sum(bool(known(ctypes.c_uint(name))) for known in kinds for name in range(1, 4000))


def _held() -> tuple[int, int, int]:
    """(objects of OpenGL, threads, open files)."""
    files = len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0
    return _objects(), threading.active_count(), files


GROWTH = 0.02
"""What a process may hold more in the second half of a long run than in the first, as a share."""
UNSEEN = 0.05
"""Share of OpenGL's objects that may come and go: textures of formulas and scenes that are no longer seen are deleted when the
next one is made, and how many pictures were drawn by then depends on the machine."""


@goal("R7", "the window runs for long",
      "30 minutes of scenes, sizes, panels: OpenGL objects, threads, files as before, memory +2 %")
def r7(size: float) -> Measured:
    """Both halves are the same visits, so that whatever is made once and kept (meshes, shaders, kernels, modules that a panel
    imports, caches) is made in the first. The history of the scene shown is measured by itself, within its budget: the more steps
    the machine makes in a visit, the longer it is."""
    import scenes

    seconds = max(20.0, 1800.0 * size)
    names = sorted(scenes.all_scenes())
    stay = min(5.0, seconds / (4.0 * len(names)))      # each scene is seen twice until half time, and twice after it
    with a_person() as person:
        person.see()
        if not person.session.thread.is_alive:
            person.session.thread.start()
        panels = list(person.window.gui.panels.all.values())

        def visit(name: str, panel: Any, width: int, height: int) -> None:
            until = time.perf_counter() + stay
            person.session.post(Simulation.load, name)
            person.session.post(Simulation.run)
            person.window.set_size(width, height)
            panel.open = not panel.open
            while time.perf_counter() < until:
                person.look()
                person.window.flip()        # as a window does: commands that no picture shows pile up, 2 MB a picture in Mesa
            panel.open = not panel.open

        begin, visits, most = time.perf_counter(), max(2 * len(names), round(0.5 * seconds / stay)), []
        for _ in range(2):
            chance, held = random.Random(5), []
            shuffled = chance.sample(panels, len(panels))
            for k in range(visits):
                visit(names[k % len(names)], shuffled[k % len(panels)], chance.randrange(600, 1300), chance.randrange(400, 900))
                past = person.session.simulation.history.size
                held.append((*_held(), past, resident() - past))
            most.append(list(map(max, zip(*held, strict=True))))
        person.session.thread.stop()
    (*before, past, memory), (*after, later_past, last) = most
    what = ("OpenGL objects", "threads", "files")
    words = ", ".join(f"{name} {a} -> {b}" for name, a, b in zip(what, before, after, strict=True))
    return Measured(f"{time.perf_counter() - begin:.0f} s, {2 * visits} visits of all scenes, the same in both halves; the most "
                    f"in the first and in the second: {words}, memory {memory / 1e6:.0f} -> {last / 1e6:.0f} MB beside the "
                    f"history of the scene shown, {past / 1e6:.0f} -> {later_past / 1e6:.0f} MB",
                    after[0] <= (1.0 + UNSEEN) * before[0] and after[1] <= before[1] and after[2] <= before[2]
                    and max(past, later_past) <= MEMORY_BUDGET and last <= (1.0 + GROWTH) * memory)


@goal("R14", "invalid input in widgets",
      "typed nan, inf, 1e999, 0x10, long numbers: the physics sees finite values in range only")
def r14(_: float) -> Measured:
    return tested("tests/gui/test_window.py", "tests/gui/controls/test_sliders.py", "-k", "typed or typing")


@goal("R15", "a failing panel does not affect the others",
      "1,000 exceptions at random places: pictures are finished, panels reopen")
def r15(size: float) -> Measured:
    from imgui_bundle import imgui

    count, chance, survived = max(20, int(1_000 * size)), random.Random(2), 0
    red = imgui.ImVec4(1.0, 0.0, 0.0, 1.0)
    open_things = (lambda: imgui.begin_child("half open"), lambda: imgui.push_style_color(imgui.Col_.text, red),
                   lambda: imgui.begin_table("never closed", 3), lambda: imgui.push_id(7), imgui.begin_group,
                   imgui.begin_disabled, lambda: imgui.push_item_width(9.0), lambda: imgui.tree_push("open"), imgui.begin_tooltip)
    with a_person() as person:
        panels = person.window.gui.panels
        for _ in range(count):
            panel = panels.all[chance.choice(sorted(name for name, panel in panels.all.items() if panel.place != "menu"))]
            begun, real = chance.sample(open_things, chance.randrange(1, 5)), panel.module.draw
            panels.open(panel.name)
            person.look(1)

            def broken(session, begun=begun) -> None:
                for begin in begun:
                    begin()
                raise RuntimeError("on purpose")

            panel.module.draw, pictures = broken, person.window.pictures_drawn
            person.look(2)
            panel.module.draw, failed = real, "on purpose" in panel.error
            panel.error = ""
            person.look(1)
            survived += failed and person.window.pictures_drawn == pictures + 3 and not panel.error
    return Measured(f"{survived} of {count}: the picture was finished and the panel drew again", survived == count)


@goal("R28", "sizes and picking", "1 x 1 to full screen, all scales: no exception, picking right to a pixel")
def r28(_: float) -> Measured:
    return both(tested("tests/gui/test_window.py", "tests/render/test_picking.py", "-k", "sizes or pick"),
                tested("tests/render/test_views.py"))
