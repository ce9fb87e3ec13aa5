"""The kinds of files that can be opened, by their endings, and how one is made known that a person names as a scene."""

from pathlib import Path

from app.engine.recording import file
from app.engine.scene_files import scene_file
from app.files import safe_read
from app.robots import mesh_files, robot_file

FILE_SUFFIXES = {
    "scene files": (scene_file.SUFFIX,), "robots": robot_file.ROBOTS, "meshes": mesh_files.MESH_SUFFIXES,
    "recordings": (file.SUFFIX,), "problem reports": (file.REPORT,), "measured runs": (".csv",), "own scenes": (".py",)}
SCENES = ("scene files", "robots", "meshes")
"""Kinds that describe a scene, without code that runs."""


def kind_of(path: str | Path) -> str:
    """The kind of a file, one of FILE_SUFFIXES; "": none."""
    ending = Path(path).suffix.lower()
    return next((kind for kind, endings in FILE_SUFFIXES.items() if ending in endings), "")


def admit(word: str) -> str:
    """The name by which `scenes.find` has the scene: a scene file or a robot is read, without running code; other words stay.

    Raises:
        BadInput: the file is not there or mistaken.
    """
    with safe_read.noted() as files:
        if word.endswith(scene_file.SUFFIX):
            name = scene_file.admit(word)
        else:
            name = robot_file.admit(word) if kind_of(word) in SCENES[1:] else word
    if files:
        contents[name] = files
    return name


contents: dict[str, dict[str, str]] = {}
"""SHA-256 of the file of a scene and of those that it includes, such as meshes, when it was read: by its name, by their paths."""
