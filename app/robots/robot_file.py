"""Files of robots and meshes as scenes: `admit` reads one; from then on `scenes.find` finds its scene by its path."""

import os
from dataclasses import dataclass, replace
from pathlib import Path

import scenes
from app.files.printable import printable
from app.i18n.message import Verbatim, message
from app.robots import mesh_files, mjcf, sdf, urdf
from app.robots.model import Robot, build, extents, prepared, view_of
from app.robots.xml_tree import read
from physics import Plane, World, option
from physics.core.records import Kind

ROBOTS = (".urdf", ".xml", ".sdf")
SUFFIXES = (*ROBOTS, *mesh_files.MESH_SUFFIXES)
MAX_LISTED = 60
"""Largest number of skipped elements that a check lists."""
MAX_WARNINGS = 5
"""Largest number of them of which a world warns."""


@dataclass(kw_only=True)
class _Meshes:
    split: bool = option(False, help="Meshes that are not convex are split into convex parts; else their hull stands for them.")
    dents: float = option(0.05, lo=0.01, hi=1.0, help="Depth of dents that splitting may fill, as a share of the size.")


@dataclass
class UrdfParameters(_Meshes):
    free: bool = option(False, help="The root of the robot moves freely, and a floor lies under its lowest point; else the root "
                                    "is fixed to the world.")
    motors: bool = option(True, help="Motors with the effort and velocity limits of the file hold the joints where they start.")


@dataclass
class MjcfParameters(_Meshes):
    motors: bool = option(True, help="The actuators of the file act, with their controls at zero.")


@dataclass
class SdfParameters(_Meshes):
    floor: bool = option(True, help="A floor lies under the lowest point, where the file has no plane.")
    motors: bool = option(True, help="The springs of the joints act.")


PARAMETERS = {"URDF": UrdfParameters, "MJCF": MjcfParameters, "SDF": SdfParameters}


def robot_of(path: str | Path) -> Robot:
    """Read a URDF, MJCF or SDF file, by its top element.

    Raises:
        BadInput: one sentence with file, line and remedy.
    """
    path = Path(path)
    tag = read(path).tag if path.suffix.lower() == ".xml" else path.suffix.lower()[1:]
    return {"mujoco": mjcf, "sdf": sdf}.get(tag, urdf).robot_of(path)


def admit(word: str) -> str:
    """Read a file that a person named; returns its path, by which `scenes.find` has its scene from now on; raises as `robot_of`
    and `mesh_files.read`, and where the engine refuses what it holds."""
    path = os.path.abspath(word)
    if path.lower().endswith(mesh_files.MESH_SUFFIXES):
        scene = mesh_files.scene_of(mesh_files.read(path))
    else:
        scene = scene_of(robot_of(word))
    scenes.files[path] = replace(scene, file=path)
    return path


def found(name: str) -> scenes.Scene:
    """The scene of a name, for what knows a robot by its path only, as a recording; raises as `admit` and `scenes.find`."""
    return scenes.find(admit(name) if name.lower().endswith(SUFFIXES) and name not in scenes.files else name)


def scene_of(robot: Robot) -> scenes.Scene:
    """The scene of a robot.

    Raises:
        BadInput: the engine refuses it.
    """
    parameters = PARAMETERS[robot.kind]
    grounded = any(isinstance(one.shape, Plane) for link in robot.links.values() for one in link.geometries)

    def make(world: World, chosen: UrdfParameters | MjcfParameters | SdfParameters) -> None:
        free = getattr(chosen, "free", False) or (getattr(chosen, "floor", False) and not grounded)
        shaped = mesh_files.with_split_meshes(robot, chosen.dents) if chosen.split else robot
        build(world, shaped, free=free, motors=chosen.motors)
        _warn(world, robot)
        for _, why in shaped.skipped[len(robot.skipped):]:
            world.warnings.add(why)
        if not any(link.geometries for link in shaped.links.values()):
            world.warnings.add(message("No link of {file} has a shape that can be read: only its joints are seen, and nothing "
                                       "can be dragged. `stiction check` says why.", file=shaped.file))

    world = World()
    make(world, parameters())
    moving = [joint.name for joint in robot.joints if joint.kind in ("revolute", "prismatic")][:3]
    plots = tuple(f"joint:{name}.angle" for name in moving)     # the coordinate of any joint; of a slide its travel
    seen = extents(robot)
    seen = seen if len(seen) else world.bodies["pos"][world.bodies["kind"] == Kind.DYNAMIC]
    note = message(" {skipped} elements of the file are not used: `stiction check` lists them.",
                   skipped=len(robot.skipped)) if robot.skipped else ""
    return scenes.Scene(
        title=robot.name, category="Own",
        look_for=message("The robot of {file}: {parts}.{note} Drag a link, and change joint friction in the inspector.",
                         file=robot.file, parts=_count(world), note=note),
        law="", law_text="", build=make, parameters=parameters, dt=robot.dt, options={"iterations": 400}, view=view_of(seen),
        plots=plots)


def _warn(world: World, robot: Robot) -> None:
    """Warn of what of a file is not used, of the first few elements by their lines."""
    for line, why in sorted(robot.skipped)[:MAX_WARNINGS]:
        where = message("{file}, line {line}", file=Verbatim(robot.file), line=line)
        world.warnings.add(message("{where}: {sentence}", where=where, sentence=why))
    if len(robot.skipped) > MAX_WARNINGS:
        more = len(robot.skipped) - MAX_WARNINGS
        world.warnings.add(message("{path}: {skipped} more are skipped", path=robot.file, skipped=more))


def checked(path: Path) -> str:
    """What `stiction check` says of a valid file: what it holds and what of it is skipped, a line each; raises as `admit`."""
    if path.suffix.lower() in mesh_files.MESH_SUFFIXES:
        return mesh_files.checked(path)
    robot = robot_of(path)
    world = World()
    build(world, robot)
    kind = {"URDF": "a URDF", "MJCF": "an MJCF", "SDF": "an SDF"}[robot.kind]
    lines = [message("valid: {format} robot, {parts}", format=kind, parts=_count(world))]
    skipped = sorted(prepared(robot, False).skipped)
    lines += [printable(message("{path}:{line}: skipped: {why}", path=path, line=line,
                                why=why)) for line, why in skipped[:MAX_LISTED]]
    if len(skipped) > MAX_LISTED:
        lines.append(message("{path}: {skipped} more are skipped", path=path, skipped=len(skipped) - MAX_LISTED))
    return "\n".join(lines)


def _count(world: World) -> str:
    moving = int((world.bodies["kind"] == Kind.DYNAMIC).sum())
    bodies = message("{count} moving body", "{count} moving bodies", count=moving)
    joints = message("{count} joint", "{count} joints", count=int((world.joints["kind"] >= 0).sum()))
    return message("{bodies} of {mass:.4g} kg, {joints}", bodies=bodies, mass=world.bodies["mass"].sum(), joints=joints)
