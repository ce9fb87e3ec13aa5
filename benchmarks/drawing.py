"""Cost of drawing: Python time for a picture of 5,000 bodies and for all panels, draw calls, and lateness of the physics.

    python -m benchmarks.drawing            a window is needed (Xvfb will do)

Rendering itself is not waited for: without a graphics card its time is meaningless.
"""

import argparse
import itertools
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

BODIES = 5000
RATE = 240


def pile(count: int = BODIES) -> tuple[Any, Any]:
    """Two frames, a step apart, with `count` boxes and balls in layers, and a contact under each."""
    from app.engine.frame import RealTimePace, capture
    from physics import Box, Plane, Sphere, World, step

    world = World()
    world.add_body(Plane(), kind="static")
    side = round(count ** (1 / 3)) + 1
    for k in range(count):
        z, rest = divmod(k, side * side)
        y, x = divmod(rest, side)
        shape = Box((0.2, 0.2, 0.2)) if k % 2 else Sphere(0.2)
        world.add_body(shape, pos=(0.41 * (x - side / 2), 0.41 * (y - side / 2), 0.2 + 0.4 * z))
    frames = []
    for _ in range(2):
        before = (world.bodies["pos"].copy(), world.bodies["quat"].copy())
        step(world, 1.0 / RATE)
        frames.append(capture(world, scene="pile", dt=1.0 / RATE, paused=True, pace=RealTimePace(), before=before))
    return tuple(frames)


def median_ms(do: Callable[[], object], times: int) -> float:
    """Median processor time of this thread [ms]."""
    taken = []
    for _ in range(times):
        start = time.thread_time()
        do()
        taken.append(time.thread_time() - start)
    return 1e3 * float(np.median(taken))


def pictures(times: int) -> None:
    """Print Python's time for a picture in which everything, or only the camera, has moved; and its draw calls."""
    from app.camera import Camera
    from app.render.opengl import gl
    from app.render.opengl.offscreen import Offscreen
    from app.render.view_options import ViewOptions, toggles

    frames, camera = pile(), Camera(np.array([0.0, 0.0, 3.0]), 18.0)
    with Offscreen(640, 400, 0) as picture:
        from app.render.opengl.renderer import Renderer

        renderer = Renderer("high")
        for name, view in (("as at first", ViewOptions()), ("all overlays on", ViewOptions(**dict.fromkeys(toggles(), True)))):
            for what, shown in (("all moves", frames), ("the camera moves", frames[:1])):
                turn = itertools.cycle(shown)

                def draw(view: ViewOptions = view, turn: Iterator[Any] = turn) -> None:
                    picture.begin()
                    camera.azimuth += 0.1
                    camera.update(1.0 / 60.0)
                    renderer.draw(next(turn), camera, view, 640, 400, time.perf_counter())
                for _ in range(3):
                    draw()
                before = gl.draw_calls
                draw()
                calls = gl.draw_calls - before
                said = f"{len(frames[0].bodies) - 1} bodies, {len(frames[0].contacts)} contacts, {name}, {what}"
                with no_card():
                    print(f"{said}: {median_ms(draw, times):.2f} ms of Python, {calls} draw calls")
        renderer.delete()


@contextmanager
def no_card() -> Iterator[None]:
    """Disable OpenGL's functions: the remaining time is ours."""
    from pyglet import gl

    real = {name: getattr(gl, name) for name in dir(gl) if name.startswith("gl") and callable(getattr(gl, name))}
    try:
        for name in real:
            setattr(gl, name, lambda *args: 0)
        yield
    finally:
        for name, function in real.items():
            setattr(gl, name, function)


def panels(times: int) -> None:
    """Print the time of all panels of the default layout, without the scene; and step lateness with an idle or busy window."""
    from app.gui.shell.imgui_context import draw
    from app.render.scene.labels import PlacedLabel
    from app.session import Session
    from app.window import Window

    window = Window(1600, 1000, vsync=False)
    session = Session.open("pyramid")
    window.adopt(session)
    try:
        real = window.renderer.draw
        window.renderer.draw = lambda *args, **kwargs: PlacedLabel()
        for _ in range(60):
            window.on_refresh(1.0 / 60.0)
        taken, drawn = [], draw
        for _ in range(times):
            window.gui.begin(1.0 / 60.0)
            start = time.thread_time()
            drawn(window.gui)
            taken.append(time.thread_time() - start)
            window.gui.end()
        print(f"all panels: {1e3 * float(np.median(taken)):.2f} ms")
        for name, busy in (("idle", False), ("busy", True)):
            window.renderer.draw = real if busy else window.renderer.draw
            end = time.perf_counter() + 4.0
            while time.perf_counter() < end:
                if busy:
                    window.on_refresh(1.0 / 60.0)
                else:
                    time.sleep(0.01)
            session.update(time.perf_counter())
            pace = session.frame.pace
            print(f"physics at {RATE} Hz, window {name}: half of the steps late by {1e3 * pace.late_p50:.2f} ms or less, "
                  f"99 in 100 by {1e3 * pace.late_p99:.2f} ms")
    finally:
        window.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--times", type=int, default=30, help="pictures that are measured")
    times = parser.parse_args().times
    panels(times)
    pictures(times)


if __name__ == "__main__":
    main()
