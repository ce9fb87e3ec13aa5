"""Pictures from files as textures for the GUI: read when first asked for, at most one a picture of the window."""

import logging
from pathlib import Path
from typing import Any

import pyglet
from imgui_bundle import imgui

log = logging.getLogger(__name__)

_known: dict[Path, Any] = {}
_at = -1


def texture(path: Path) -> imgui.ImTextureRef | None:
    """The picture; None if there is none, if it is damaged, or until the next picture of the window."""
    global _at
    if path not in _known:
        if _at == imgui.get_frame_count():
            return None
        _at = imgui.get_frame_count()
        try:
            with path.open("rb") as stream:
                _known[path] = pyglet.image.load(path.name, file=stream).get_texture()
        except Exception as error:  # noqa: BLE001  (whatever the decoder says, a list of scenes does without)
            log.info("the picture %s could not be read: %s", path, error)
            _known[path] = None
    found = _known[path]
    return None if found is None else imgui.ImTextureRef(found.id)


def release() -> None:
    """Give them back; the GL context must still be current."""
    for found in _known.values():
        if found is not None:
            found.delete()
    _known.clear()
