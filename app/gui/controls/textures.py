"""Picture files as textures for the GUI: loaded on demand, at most one per frame of the window, deleted once unseen for long."""

import logging
from pathlib import Path
from typing import Any

import pyglet
from imgui_bundle import imgui

log = logging.getLogger(__name__)

UNSEEN_FRAMES = 300
"""A texture that was not asked for in this many frames is deleted when another one is loaded."""

cached: dict[Path, Any] = {}
_seen: dict[Path, int] = {}     # the frame in which each was last asked for
_at = -1


def texture(path: Path) -> imgui.ImTextureRef | None:
    """The texture; None if the file is missing or damaged, or until the next frame of the window."""
    global _at
    frame = imgui.get_frame_count()
    if path not in cached:
        if _at == frame:
            return None
        _at = frame
        _delete([other for other in cached if frame - _seen[other] > UNSEEN_FRAMES])
        try:
            with path.open("rb") as stream:
                cached[path] = pyglet.image.load(path.name, file=stream).get_texture()
        except Exception as error:  # noqa: BLE001  (whatever the decoder raises, the GUI does without)
            log.info("the picture %s could not be read: %s", path, error)
            cached[path] = None
    _seen[path] = frame
    found = cached[path]
    return None if found is None else imgui.ImTextureRef(found.id)


def release() -> None:
    """Delete them; the GL context must still be current."""
    _delete(list(cached))


def _delete(paths: list[Path]) -> None:
    for path in paths:
        _seen.pop(path, None)
        if (found := cached.pop(path)) is not None:
            found.delete()
