"""Commands of scene files: save the world, export it, make it the start. `Simulation.load` opens one."""

from collections.abc import Callable
from pathlib import Path
from typing import Any
from weakref import ref

from app.engine.command import command
from app.engine.scene_files import python_export, scene_file
from app.engine.scene_files.document import Document, newest, stamp_of
from app.engine.scene_files.link import link_of
from app.engine.scene_files.scene_file import SceneContext
from app.engine.simulation import Simulation
from app.engine.undo.edit_list import Edit
from app.files import safe_read
from app.i18n.message import joined, message
from app.robots import robot_file
from physics import BadInput, World

Write = Callable[[Path, bytes], None]
"""(path, contents): writes a file atomically (app/files/atomic_write.py)."""

MakeFile = Callable[[], tuple[bytes, list[str]]]
"""Makes the contents of a file, and sentences about what is not in it."""


@command
def save_scene_file(simulation: Simulation, path: str | Path, view: dict[str, Any], show: tuple[str, ...], write: Write) -> None:
    """Write the world, as it is now, to a scene file, in the background if there is a writer (`recorder.writer`).

    view: of the window, by `view_state.values`; show: overlays that are on. Comments and order of a file that is there stay.

    Raises:
        BadInput: without a writer: it is too large, or cannot be written.
    """
    world, around = _world(simulation), _around(simulation, view, show)
    path, dt, saved = Path(path), simulation.dt, newest(simulation.edits)

    def job() -> tuple[bytes, list[str]]:
        former = safe_read.read(path, scene_file.MAX_BYTES) if path.is_file() else b""
        text, notes = scene_file.text_of(world, dt, around, former)
        return text.encode(), notes

    _write(simulation, path, job, write, (scene_file_saved, str(path), saved))


@command
def export_python(simulation: Simulation, path: str | Path, view: dict[str, Any], show: tuple[str, ...], write: Write) -> None:
    """Write a scene as Python (scenes/__init__.py) that builds this world; arguments as `save_scene_file`, and raises as it."""
    world, around, path, dt = _world(simulation), _around(simulation, view, show), Path(path), simulation.dt

    def job() -> tuple[bytes, list[str]]:
        drivers = ", ".join(map(scene_file.driver_name, world.drivers))
        notes = [message("{drivers}: functions that drive the world are not in the program", drivers=drivers)] if drivers else []
        return python_export.text_of(world, dt, around).encode(), notes

    _write(simulation, path, job, write)


@command
def copy_link(simulation: Simulation, view: dict[str, Any], show: tuple[str, ...], keep: Callable[[str], None]) -> None:
    """Pass the scene as a link to keep(), which puts it on the clipboard.

    Raises:
        BadInput: it is too large.
    """
    text, notes = scene_file.text_of(_world(simulation), simulation.dt, _around(simulation, view, show))
    link = link_of(text)
    keep(link)
    simulation.notify(joined("; ", (message("copied: the scene as {count:,} letter; paste it anywhere",
                                         "copied: the scene as {count:,} letters; paste it anywhere", count=len(link)), *notes)))


def _world(simulation: Simulation) -> World:
    """A copy of the world as it is now."""
    simulation.timeline.go_to_goal()
    world = World()
    world.restore(simulation.world.snapshot())
    return world


def _around(simulation: Simulation, view: dict[str, Any], show: tuple[str, ...]) -> SceneContext:
    opened = scene_file.opened.get(simulation.document.path)
    if opened is None and simulation.scene is not None and simulation.scene_name.lower().endswith(robot_file.SUFFIXES):
        return SceneContext(simulation.scene.title, view=view, show=show)       # the scene file needs the robot's file no more
    return SceneContext(opened.title if opened is not None else "", simulation.scene_name, simulation.present_parameters, view,
                        show)


def _write(simulation: Simulation, path: Path, job: MakeFile, write: Write, done: tuple = ()) -> None:
    """Write a file, now or in the background. done: a command and its arguments, run between two steps once it is written."""
    def written() -> str:
        data, notes = job()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            write(path, data)
        except OSError as error:
            raise BadInput(message("could not save {path} ({reason}): choose another folder or name", path=path,
                                   reason=error.strerror or error)) from None
        return joined("; ", (message("saved {path}", path=path), *notes))

    writer = simulation.recorder.writer
    if writer is None:
        simulation.notify(written())
        if done:
            done[0](simulation, *done[1:])
        return

    def behind() -> str:
        result = written()
        if done:
            writer.post(*done)
        return result

    writer.submit(path.name, behind, simulation.messages.append)


@command
def scene_file_saved(simulation: Simulation, path: str, saved: ref[Edit] | None) -> None:
    """Note that the world is in that file up to this edit."""
    simulation.document = Document(path, saved, stamp_of(path))


@command
def set_start(simulation: Simulation) -> None:
    """Make this state the one to which a reset returns."""
    world = _world(simulation)
    if simulation.dragged >= 0:
        world.remove_joint(simulation.dragged)
    simulation.start_here(world)
    simulation.notify(message("a reset now returns to this state, t = {time:.3f} s", time=world.time))
