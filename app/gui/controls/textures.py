"""Picture files as textures for the GUI: loaded on demand, at most one per frame of the window."""

import logging
from pathlib import Path
from typing import Any

import pyglet
from imgui_bundle import imgui

log = logging.getLogger(__name__)

cached: dict[Path, Any] = {}
_at = -1


def texture(path: Path) -> imgui.ImTextureRef | None:
    """The texture; None if the file is missing or damaged, or until the next frame of the window."""
    global _at
    if path not in cached:
        if _at == imgui.get_frame_count():
            return None
        _at = imgui.get_frame_count()
        try:
            with path.open("rb") as stream:
                cached[path] = pyglet.image.load(path.name, file=stream).get_texture()
        except Exception as error:  # noqa: BLE001  (whatever the decoder raises, the GUI does without)
            log.info("the picture %s could not be read: %s", path, error)
            cached[path] = None
    found = cached[path]
    return None if found is None else imgui.ImTextureRef(found.id)


def release() -> None:
    """Delete them; the GL context must still be current."""
    for found in cached.values():
        if found is not None:
            found.delete()
    cached.clear()
