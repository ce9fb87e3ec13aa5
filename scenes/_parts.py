"""Helpers for scenes: ground, coloured bodies, static blocks. Colours are group numbers; the viewer has the palette."""

import math

import numpy as np

from physics import Box, Plane, TriangleMesh, World

GREY = 0
"""Colour group of static bodies."""


def ground(world: World, friction: float = 0.5, restitution: float = 0.0) -> int:
    """Add the horizontal floor z = 0."""
    return world.add_body(Plane(), kind="static", friction=friction, restitution=restitution, name="ground")


def turned(axis: tuple[float, float, float], angle: float) -> tuple[float, float, float, float]:
    """Quaternion of a rotation about a unit axis; angle [rad]."""
    s = math.sin(0.5 * angle)
    return (math.cos(0.5 * angle), axis[0] * s, axis[1] * s, axis[2] * s)


def add(world: World, shape: object, pos: tuple[float, float, float], *, group: int = 1, **more: object) -> int:
    """Add a body with a shape and a colour group."""
    body = world.add_body(shape, pos=pos, **more)
    world.bodies["group"][body] = group
    return body


def block(world: World, half: tuple[float, float, float], pos: tuple[float, float, float], **more: object) -> int:
    """Add a static grey box: a wall, a post, a shelf."""
    return add(world, Box(half), pos, kind="static", group=GREY, **more)


def strip(x: np.ndarray, z: np.ndarray, half_width: float) -> TriangleMesh:
    """A surface along y through the points (n,) x, z [m] with growing x, seen from above."""
    vertices = np.array([(a, y, c) for a, c in zip(x, z, strict=True) for y in (-half_width, half_width)])
    first = 2 * np.arange(len(x) - 1)
    return TriangleMesh(vertices, np.vstack([np.column_stack([first, first + 2, first + 1]),
                                             np.column_stack([first + 1, first + 2, first + 3])]))
