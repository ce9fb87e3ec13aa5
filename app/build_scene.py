"""Builds the world of a scene in a worker thread, so that a long build can be shown and cancelled."""

import inspect
from typing import Any

import scenes
from app import cancellable_work
from app.own_files import discover
from physics import BadInput, World


def build(scene: scenes.Scene, parameters: Any = None) -> World:
    """Return a world with the scene built in it, as `scenes.make_world`.

    Raises:
        BadInput: the build was cancelled, or the user's own scene failed; the text names the error and its line.
    """
    path = _file(scene)
    own = discover.is_own(path)
    try:
        return cancellable_work.run(lambda: scenes.make_world(scene, parameters), f"Building '{scene.title}'",
                                    discover.MAX_LOAD_TIME if own else None)
    except cancellable_work.WorkAbandoned as error:
        if error.cancelled:
            raise BadInput(f"cancelled: '{scene.title}' was not built") from None
        raise BadInput(f"'{scene.title}' in {path} cannot be built: {discover.explained(error, path)}") from None
    except Exception as error:
        if not own:
            raise
        raise BadInput(f"'{scene.title}' in {path} cannot be built: {discover.explained(error, path)}") from error


def _file(scene: scenes.Scene) -> str:
    """Path of the file that defines the scene's build function."""
    code = getattr(inspect.unwrap(scene.build), "__code__", None)
    return code.co_filename if code is not None else ""
