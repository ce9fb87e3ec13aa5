"""Worlds from files and to files, for programs.

    world = load("arm.urdf", motors=False)     URDF, MJCF, SDF, OBJ, STL, glTF; a scene file (.toml) with all of its state
    save(world, "arm.toml")                    the whole world; .urdf, .xml (MJCF), .glb and .gltf: what those formats can hold

In an installation: `import stiction`, then `from app.world_files import load, save`. The formats: docs/scene_files.md and
docs/robots.md.
"""

import os
from pathlib import Path

import scenes
from app.engine import file_kinds
from app.engine.scene_files import scene_file
from app.files.atomic_write import write
from app.render.gltf import gltf_of
from app.render.web_page import MotionRecorder
from app.robots.mjcf_export import mjcf_of
from app.robots.urdf_export import urdf_of
from physics import BadInput, World, set_option

READ = tuple(ending for kind in file_kinds.SCENES for ending in file_kinds.FILE_SUFFIXES[kind])
WRITTEN_SUFFIXES = (scene_file.SUFFIX, ".urdf", ".xml", ".glb", ".gltf")


def load(path: str | os.PathLike[str], **parameters: object) -> World:
    """The world that a file describes; no code of it is run.

    Args:
        parameters: of the file's kind, by name: free, motors; scale, density, split ... (docs/robots.md).

    Raises:
        BadInput: no such file, format or parameter, or mistakes in it, one sentence with its line.
    """
    if Path(path).suffix.lower() not in READ:
        raise BadInput(f"{path} cannot be loaded; formats: {', '.join(READ)}")
    scene = scenes.find(file_kinds.admit(os.fspath(path)))
    chosen = scene.parameters()
    for name, value in parameters.items():
        set_option(chosen, name, value)
    return scenes.without_clock(scenes.make_world(scene, chosen))


def save(world: World, path: str | os.PathLike[str], *, title: str = "", dt: float = 1.0 / 240.0) -> list[str]:
    """Write a world to a file, by its ending; returns sentences about what is not in it.

    Args:
        title: name of the scene or robot; the file's name if not given. dt: step for those who open it [s].

    Raises:
        BadInput: no such format, or a world that it cannot hold. OSError: the file cannot be written; the old one stays.
    """
    path = Path(path)
    suffix, title, notes = path.suffix.lower(), title or path.stem, []
    if suffix == scene_file.SUFFIX:
        text, notes = scene_file.text_of(world, dt, scene_file.SceneContext(title))
        data = text.encode()
    elif suffix == ".urdf":
        folder = f"{path.stem}_meshes"
        text, meshes, notes = urdf_of(world, title, folder)
        for name, mesh in meshes.items():
            write(path.parent / folder / name, mesh)
        data = text.encode()
    elif suffix == ".xml":
        text, notes = mjcf_of(world, title, dt)
        data = text.encode()
    elif suffix in (".glb", ".gltf"):
        data = gltf_of(MotionRecorder(world, ()), title, binary=suffix == ".glb")
    else:
        raise BadInput(f"{path} cannot be saved; formats: {', '.join(WRITTEN_SUFFIXES)}")
    write(path, data)
    return notes
