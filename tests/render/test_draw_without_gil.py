"""Drawing yields to the physics: no GIL while panels are drawn, low priority of software drawing threads."""

import os
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from imgui_bundle import imgui

from app.gui.shell import draw_without_gil
from app.render.opengl import software
from app.render.opengl.gl import renderer_name


@pytest.fixture
def counting():
    """A number in a list that another thread counts up whenever it may run. Threads give up Python's lock only of themselves."""
    count, end, before = [0], threading.Event(), sys.getswitchinterval()

    def run():
        while not end.is_set():
            count[0] += 1
            time.sleep(0)

    thread = threading.Thread(target=run)
    sys.setswitchinterval(60.0)
    thread.start()
    yield count
    end.set()
    sys.setswitchinterval(before)
    thread.join()


def counted(count, do, times=20):
    """How far the other thread got while `do` ran."""
    total = 0
    for _ in range(times):
        before = count[0]
        do()
        total += count[0] - before
    return total


@pytest.mark.skipif(sys.platform != "linux", reason="the names of functions differ")
def test_other_threads_run_while_the_panels_are_drawn(person, counting):
    person.see(scene=False)
    person.look(2)
    assert counted(counting, draw_without_gil.renderer()) > 0
    assert counted(counting, lambda: imgui.backends.opengl3_render_draw_data(imgui.get_draw_data())) == 0, \
        "the binding gives the lock away itself now: app/gui/shell/draw_without_gil.py is not needed any more"


def test_without_the_exported_name_the_picture_is_the_same(person, monkeypatch):
    def pixels():
        from pyglet.image import get_buffer_manager
        return np.frombuffer(get_buffer_manager().get_color_buffer().get_image_data().get_data("RGBA", -4800), np.uint8)

    person.see(scene=False)
    person.look(2)
    for _ in range(60):                 # what is seen through gets denser until nothing changes
        draw_without_gil.renderer()()
    ours = pixels()
    monkeypatch.setattr(draw_without_gil, "RENDER", "_ZNothing")
    draw_without_gil.renderer()()
    assert np.abs(ours.astype(int) - pixels()).max() <= 1 and np.ptp(ours) > 100


def test_software_drawing_threads_have_low_priority(person):
    if "llvmpipe" not in renderer_name().lower():
        pytest.skip("a graphics card draws")
    manners = [os.getpriority(os.PRIO_PROCESS, int(thread.name)) for thread in Path("/proc/self/task").iterdir()
               if (thread / "comm").read_text().startswith(software.THREADS)]
    assert manners and min(manners) >= software.NICE_LEVEL
    assert os.getpriority(os.PRIO_PROCESS, threading.get_native_id()) < software.NICE_LEVEL


@pytest.mark.parametrize(("name", "soft"), [("llvmpipe (LLVM 15.0.6, 256 bits)", True), ("NVIDIA GeForce RTX 4070", False),
                                            ("Google SwiftShader", True), ("AMD Radeon (radeonsi)", False)])
def test_software_renderers_are_recognised(name, soft):
    assert software.is_software(name) == soft
