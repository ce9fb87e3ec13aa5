"""Files of robots as scenes: `admit` reads one that a person named, and `scenes.find` has it by its path from then on."""

import os
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

import scenes
from app.files.printable import printable
from app.i18n.message import message
from app.robots import mjcf, urdf
from app.robots.model import Robot, build, prepared
from app.robots.xml_tree import read
from physics import World, option
from physics.core.records import Kind

SUFFIXES = (".urdf", ".xml")
MAX_TOLD = 60
"""Largest number of skipped elements that a check lists."""


@dataclass
class UrdfParameters:
    free: bool = option(False, help="The root of the robot moves freely, and a floor lies under its lowest point; else the root "
                                    "is fixed to the world.")
    motors: bool = option(True, help="Motors with the effort and velocity limits of the file hold the joints where they start.")


@dataclass
class MjcfParameters:
    motors: bool = option(True, help="The actuators of the file act, with their controls at zero.")


def robot_of(path: str | Path) -> Robot:
    """Read a URDF or MJCF file, by its top element.

    Raises:
        BadInput: one sentence with file, line and remedy.
    """
    path = Path(path)
    if path.suffix.lower() == ".xml" and read(path).tag == "mujoco":
        return mjcf.robot_of(path)
    return urdf.robot_of(path)


def admit(word: str) -> str:
    """Read a file that a person named; returns its path, by which `scenes.find` has its scene from now on; raises as `robot_of`,
    and where the engine refuses the robot."""
    path = os.path.abspath(word)
    scenes.files[path] = replace(scene_of(robot_of(word)), file=path)
    return path


def found(name: str) -> scenes.Scene:
    """The scene of a name, for what knows a robot by its path only, as a recording; raises as `admit` and `scenes.find`."""
    return scenes.find(admit(name) if name.lower().endswith(SUFFIXES) and name not in scenes.files else name)


def scene_of(robot: Robot) -> scenes.Scene:
    """The scene of a robot.

    Raises:
        BadInput: the engine refuses it.
    """
    is_urdf = bool(robot.root)
    parameters = UrdfParameters if is_urdf else MjcfParameters

    def make(world: World, chosen: UrdfParameters | MjcfParameters) -> None:
        build(world, robot, free=getattr(chosen, "free", False), motors=chosen.motors)

    world = World()
    make(world, parameters())
    moving = [joint.name for joint in robot.joints if joint.kind in ("revolute", "prismatic")][:3]
    plots = tuple(f"joint:{name}.{'angle' if world.joint_kind(world.joint(name)).axes[0].unit == 'rad' else 'travel'}"
                  for name in moving)
    note = message(" {skipped} elements of the file are not used: `stiction check` lists them.",
                   skipped=len(robot.skipped)) if robot.skipped else ""
    return scenes.Scene(
        title=robot.name, category="Own",
        look_for=message("The robot of {file}: {parts}.{note} Drag a link, and change joint friction in the inspector.",
                         file=robot.file, parts=_count(world), note=note),
        law="", law_text="", build=make, parameters=parameters, dt=robot.dt, options={"iterations": 60}, view=_view(world),
        plots=plots)


def checked(path: Path) -> str:
    """What `stiction check` says of a valid file: what it holds and what of it is skipped, a line each; raises as `admit`."""
    robot = robot_of(path)
    world = World()
    build(world, robot)
    told = [message("valid: {format} robot, {parts}", format="a URDF" if robot.root else "an MJCF", parts=_count(world))]
    skipped = sorted(prepared(robot, False).skipped)
    told += [printable(message("{path}:{line}: skipped: {why}", path=path, line=line,
                               why=why)) for line, why in skipped[:MAX_TOLD]]
    if len(skipped) > MAX_TOLD:
        told.append(message("{path}: {skipped} more are skipped", path=path, skipped=len(skipped) - MAX_TOLD))
    return "\n".join(told)


def _count(world: World) -> str:
    moving = int((world.bodies["kind"] == Kind.DYNAMIC).sum())
    return message("{moving} moving bodies of {mass:.4g} kg, {joints} joints", moving=moving, mass=world.bodies["mass"].sum(),
                   joints=int((world.joints["kind"] >= 0).sum()))


def _view(world: World) -> scenes.View:
    """A camera that sees all moving bodies."""
    moving = world.bodies[world.bodies["kind"] == Kind.DYNAMIC]
    if not len(moving):
        return scenes.View()
    lo, hi = moving["pos"].min(axis=0), moving["pos"].max(axis=0)
    middle = 0.5 * (lo + hi)
    return scenes.View(tuple(map(float, middle)), float(max(0.5, 2.0 * np.linalg.norm(hi - lo) + 0.6)), 35.0, 15.0)
