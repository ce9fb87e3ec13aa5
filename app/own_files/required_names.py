"""Checks what an own file must define, and reports the line, before anything uses it."""

import ast
import math
import typing
from types import ModuleType
from typing import Any

from app.files import safe_read
from app.i18n.message import message

DEFINES = {"scenes": "SCENE", "scenes.lessons": "LESSON", "app.panels": "TITLE", "app.render.overlays": "OVERLAY",
           "physics.solvers": "SOLVER"}
"""Required name by package."""


class InvalidFile(Exception):
    """The file is not of its kind. places: (file, line), as of `cancellable_work.WorkAbandoned`."""

    def __init__(self, why: str, places: list[tuple[str, int]]) -> None:
        super().__init__(why)
        self.places = places


def check(module: ModuleType) -> None:
    """Check an own module that has just run; modules whose names begin with _ are helpers and need define nothing.

    Raises:
        Wrong: it does not define what its package needs.
    """
    package, _, own = module.__name__.rpartition(".")
    name = DEFINES.get(package, "")
    if own.startswith("_") or not name:
        return
    if not hasattr(module, name):
        raise InvalidFile(message("it defines no {name} (names of imported helper files must begin with _)", name=name), [])
    if wrong := _wrong(package, module, getattr(module, name)):
        raise InvalidFile(wrong, [(module.__file__, _line(module.__file__, name))])


def _wrong(package: str, module: ModuleType, found: Any) -> str:
    """What is wrong with the definition; "" if nothing."""
    if package == "scenes":
        return _wrong_scene(found)
    if package == "scenes.lessons":
        from scenes.lessons import Lesson

        return "" if isinstance(found, Lesson) else "LESSON is not a Lesson(...)"
    if package == "app.panels":
        if not isinstance(found, str):
            return "TITLE is not a string"
        return "" if callable(getattr(module, "draw", None)) else "TITLE is defined, but the function draw(session) is missing"
    if package == "app.render.overlays":
        return "" if type(found).__name__ == "Overlay" else "OVERLAY is not an Overlay(...)"
    needs = ("name", "doc", "unsupported", "step")
    lacks = [name for name in needs if not hasattr(found, name)] if isinstance(found, type) else needs
    return message("SOLVER is not a class with {needs}", needs=", ".join(needs)) if lacks else ""


def _wrong_scene(found: Any) -> str:
    from app.type_hints import matches_type
    from physics import fields
    from physics.core.check import shown_value
    from scenes import Scene

    if not isinstance(found, Scene):
        return "SCENE is not a Scene(...)"
    for name in ("title", "category", "look_for", "law", "law_text", "solver"):
        if not isinstance(getattr(found, name), str):
            return message("{name} of SCENE is not a string", name=name)
    if not callable(found.build):
        return "build of SCENE is not a function"
    for name, hint in typing.get_type_hints(Scene).items():
        if name not in ("parameters", "dt") and not matches_type(getattr(found, name), hint):
            return message("{name} of SCENE cannot be {value}", name=name, value=shown_value(getattr(found, name)))
    try:
        fields(found.parameters())
        good = math.isfinite(found.dt) and found.dt > 0.0
    except Exception as error:  # noqa: BLE001  (whatever was written there)
        return message("parameters or dt of SCENE are not valid: {error_type}: {error}", error_type=type(error).__name__,
                       error=error)
    return "" if good else "dt of SCENE must be greater than zero"


def _line(path: str, name: str) -> int:
    """Line of the last assignment to a name; 1 if there is none."""
    tree = ast.parse(safe_read.read(path))
    lines = [one.lineno for one in ast.walk(tree) if isinstance(one, ast.Name) and one.id == name
             and isinstance(one.ctx, ast.Store)]
    return max(lines, default=1)
