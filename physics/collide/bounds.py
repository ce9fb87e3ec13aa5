"""Poses and bounding boxes of shapes, grown by how far each shape may move in the coming step.

    x = x_B + R_B x_local,  R = R_B R_local
    reach = min(margin, THIN s) / 2 + (|v| + |omega| R + |g| dt) dt      s: least side of the shape's bounding box,
                                                                         R: its radius about the body's centre

Two shapes whose gap exceeds the sum of their reaches cannot touch within the step under gravity alone, so contacts are searched
only within it (speculative contacts: Catto, Continuous Collision, GDC 2013).

Also recomputes contacts at poses other than those of the step's start, for solvers that find contacts again.
"""

import math
from typing import Any

import numpy as np

from physics.collide.convex.core_bounds import core_bounds
from physics.collide.narrow import unrefined
from physics.core import mat3, quat, stack, vec
from physics.core.contact_points import keys_of
from physics.core.jit import kernel
from physics.core.records import Kind, selected
from physics.shapes import kinds
from physics.shapes._geometry import EMPTY, GeometryArrays

BOUNDS = {name: (kind.bounds or core_bounds, kind.geometric or not kind.bounds) for name, kind in kinds().items()}
"""(kernel, whether it takes the geometry) of each kind."""

THIN = 0.25
"""Share of its least side by which a shape's reach exceeds its own motion at most: grains of a heap, and bricks of a thin wall,
shall have contacts with their neighbours, not with those behind them."""

_DYNAMIC, _KINEMATIC = Kind.DYNAMIC, Kind.KINEMATIC

_before = stack.scratch(3, 3)


@kernel
def place(bodies, shapes):
    """Write pos, rot and active of the live shapes from the poses of their bodies; sleeping shapes are left unchanged."""
    before = _before()
    for i in range(shapes.shape[0]):
        s = shapes[i]
        if s.body < 0:
            continue
        b = bodies[s.body]
        if b.asleep != 0:
            if s.active != 0:       # memory that is not written stays clean
                s.active = 0
            continue
        x = vec.add(b.pos, quat.rotate(b.quat, s.local_pos))
        q = quat.multiply(b.quat, s.local_quat)
        s.active = 1
        if b.kind != _DYNAMIC:
            mat3.copy(before, s.rot)
            moved = x[0] != s.pos[0] or x[1] != s.pos[1] or x[2] != s.pos[2]
            quat.to_matrix(s.rot, q)
            for k in range(9):
                moved = moved or before[k // 3, k % 3] != s.rot[k // 3, k % 3]
            moving = b.kind == _KINEMATIC and (vec.dot(b.vel, b.vel) > 0.0 or vec.dot(b.omega, b.omega) > 0.0)
            s.active = 1 if moved or moving else 0
        else:
            quat.to_matrix(s.rot, q)
        vec.assign(s.pos, x)


@kernel
def grow(bodies, shapes, margin, dt, gravity):
    """Write reach of the live shapes that do not sleep, and their boxes grown by it; gravity: vector (3,) [m/s^2]."""
    for i in range(shapes.shape[0]):
        s = shapes[i]
        if s.body < 0:
            continue
        b = bodies[s.body]
        if b.asleep != 0:
            continue
        reach = 0.5 * min(margin, THIN * min(s.hi[0] - s.lo[0], s.hi[1] - s.lo[1], s.hi[2] - s.lo[2]))
        if b.kind == _DYNAMIC or b.kind == _KINEMATIC:
            x = max(b.pos[0] - s.lo[0], s.hi[0] - b.pos[0])
            y = max(b.pos[1] - s.lo[1], s.hi[1] - b.pos[1])
            z = max(b.pos[2] - s.lo[2], s.hi[2] - b.pos[2])
            radius = vec.norm((x, y, z))
            if not math.isfinite(radius):      # a moving plane: only its own translation counts
                radius = 0.0
            speed = vec.norm(b.vel) + vec.norm(b.omega) * radius
            if b.kind == _DYNAMIC:
                speed += vec.norm(gravity) * dt
            reach += speed * dt
        s.reach = reach
        for k in range(3):
            s.lo[k] -= reach
            s.hi[k] += reach


def update(bodies, shapes, lists: dict, margin: float, dt: float, gravity, pool: GeometryArrays = EMPTY.arrays) -> None:
    """Refresh pos, rot, reach, lo, hi of all live shapes.

    lists: {kind of shape: int32 indices of the live shapes of that kind}; gravity: vector [m/s^2]; pool: their geometry.
    """
    place.unchecked(bodies, shapes)
    for name, index in lists.items():
        if len(index):
            bounds, geometric = BOUNDS[name]
            bounds.unchecked(shapes, index, *((pool,) if geometric else ()))
    grow.unchecked(bodies, shapes, float(margin), float(dt), gravity)


def update_shapes(world: Any, dt: float) -> None:
    """Update the shapes of awake bodies to their bodies' poses, with their reach in a step of dt [s]."""
    update(world.bodies, world.shapes, world.layout.shapes, world.margin, dt, world.gravity, world.pool.arrays)


def refresh_contacts(world: Any, dt: float) -> np.ndarray:
    """CONTACT of the pairs of this step, with the bodies at their current poses.

    Impulses of the last step are matched as at its start. The shapes follow their bodies; nothing else of the world changes.
    Contacts that strike when this part of the step ends are none of it: a solver that finds them here would brake them before.
    """
    bodies, shapes = world.bodies, world.shapes
    update_shapes(world, dt)
    refine = world.edge_filter.over(unrefined, bodies, shapes, world.pool.arrays, dt, world.revision)
    contacts = world.narrow_phase.find(shapes, world.pairs, world.awake_contacts, world.pool.arrays, refine)
    if world.strikes:
        contacts = selected(contacts, np.array([key not in world.strikes for key in keys_of(contacts)], bool))
    world.mix_materials(contacts)
    return contacts
