"""Record layouts of the tables: bodies, shapes, manifolds, contacts, joints, rows, blocks; arrays without reference counts.

Frames: "world" unless a field says "body". Angles in radians, SI units. Indices point into the table named.

numba counts references to every array with an atomic instruction wherever one is passed or a row of it is taken: 5 ns each, more
than the arithmetic of a small matrix. `borrow` returns the same array without reference counting. The original must outlive it:
numba frees an array after the last line that names it, so name it again after the last use of the borrowed one. A routine cannot
detect that its argument is uncounted: where it matters it borrows again.
"""

from collections.abc import Iterator

import numba
import numpy as np
from numba.core import cgutils
from numba.extending import intrinsic


class NamedCode(int):
    """A code of `Codes`, with its name in capitals."""

    name: str


class Codes(type):
    """Type of classes of named integers. They are plain ones, not members of an enum: NumPy takes ten microseconds to compare one
    of those with an element of an array, and a tenth of one for these."""

    def __iter__(cls) -> Iterator[int]:
        return (code for name, code in vars(cls).items() if name.isupper())

    def __call__(cls, code: int) -> "NamedCode":
        """The code as an integer with a name, like a member of an enum.

        Raises:
            ValueError: it is none of these.
        """
        if code not in tuple(cls):
            raise ValueError(f"{code!r} is no {cls.__name__}; allowed are "
                             + ", ".join(f"{value} ({cls.name_of(value)})" for value in cls))
        named = NamedCode(code)
        named.name = cls.name_of(code).upper()
        return named

    def name_of(cls, code: int) -> str:
        """Name of a code, in lower case."""
        return next(name for name, value in vars(cls).items() if name.isupper() and value == code).lower()


class Kind(metaclass=Codes):
    """Kind of motion of a body."""

    FREE = 0        # an empty slot of the table
    STATIC = 1      # never moves
    KINEMATIC = 2   # moves with its given velocity; nothing pushes it
    DYNAMIC = 3     # moved by forces and impulses


class Bound(metaclass=Codes):
    """Set of admissible impulses p of a block."""

    EQUALITY = 0    # any p
    ONE_SIDED = 1   # p >= 0
    DISC = 2        # ||p|| <= limit                                   (MS16 eq 12, 16)
    CONE = 3        # ||p|| <= mu * normal impulse: on the circle or inside the regular k-gon, or a single row
    INTERVAL = 4    # lower <= p <= upper, a single row
    POLYGON = 5     # p in limit times a convex polygon around 0, two rows (ST96 3.5)


class Case(metaclass=Codes):
    """How a friction block (of a contact or of a joint) ended the step."""

    OPEN = 0        # no normal impulse
    STICK = 1       # inside its bound, no relative motion
    SLIP = 2        # on its bound


class Drive(metaclass=Codes):
    """Motor mode of a joint axis."""

    OFF = 0
    VELOCITY = 1    # holds a velocity
    POSITION = 2    # moves to a position and holds it
    SPRING = 3      # pulls towards a position, with damping


class Role(metaclass=Codes):
    """Role of a joint's block."""

    CONSTRAINT = 0
    FRICTION = 1
    LOWER = 2       # limits
    UPPER = 3
    MOTOR = 4


MOMENT = 5
"""BLOCK.role of the rolling and torsional friction of a contact."""


class Owner(metaclass=Codes):
    """Owner of a block."""

    JOINT = 0
    CONTACT = 1


class SleepReason(metaclass=Codes):
    """Why a body sleeps or stays awake."""

    NOT_TRACKED = 0   # sleeping is off, or the body is not dynamic
    FAST = 1        # awake: faster than the thresholds
    CREEPS = 2      # awake: slow, but its displacement adds up
    RESTING = 3       # awake: calm, but not long enough
    ISLAND = 4      # awake: calm, but connected to a body that is not
    ASLEEP = 5      # calm long enough, like its whole island


class WakeReason(metaclass=Codes):
    """What last woke a body; the cause is a body unless stated otherwise."""

    NEVER = 0       # not slept yet
    ISLAND = 1      # another body of its island (the cause) was woken
    TOUCHED = 2     # an awake body came near
    MOVED_BODY = 3       # a kinematic body, or a static one that was moved, came near
    SUPPORT = 4     # a body in contact with it was removed
    FORCE = 5       # a force or torque was applied to it
    VELOCITY = 6    # its velocity was set
    POSE = 7        # its pose was set
    MASS = 8        # its mass was changed
    MATERIAL = 9    # friction, restitution or filter was changed
    JOINT = 10      # a joint (the cause) was added, changed or removed
    GRAVITY = 11    # gravity was changed
    SOLVER = 12     # the solver or one of its options was changed
    REQUESTED = 13       # `World.wake`, or sleeping was switched off


def record(fields: list) -> np.dtype:
    """A C-aligned record type whose elements have attributes with and without the compiler.

    In a kernel an element does not keep its array alive: numba frees an array made by the kernel after its last use. So take
    the element of a scratch array inside the loop that uses it, never before (checked by tests/house/test_layers.py).
    """
    return np.dtype((np.record, np.dtype(fields, align=True)))


def copy_of(table: np.ndarray) -> np.ndarray:
    """Copy a contiguous table of records. numpy's own copy goes field by field and takes several times as long."""
    if 0 < table.nbytes < LARGE:    # two copies of its bytes are cheaper than two views
        return np.frombuffer(bytearray(table.tobytes()), table.dtype).reshape(table.shape)
    return _opaque(table).copy().view(table.dtype)


def record_of(table: np.ndarray, i: int) -> np.record:
    """Copy one record of a contiguous table, in a tenth of the time that its own `copy` takes."""
    return copy_of(table[i : i + 1])[0]


def selected(table: np.ndarray, which: np.ndarray) -> np.ndarray:
    """Copy of those records of a contiguous table; which: their indices, or bool (n,). numpy's own way is as slow as its copy."""
    return _opaque(table)[which].view(table.dtype)


def put(table: np.ndarray, which: np.ndarray, records: np.ndarray) -> None:
    """Write records to those places of a contiguous table; which: as in `selected`."""
    _opaque(table)[which] = _opaque(records)


def joined(*tables: np.ndarray) -> np.ndarray:
    """Contiguous tables of one record type, one after the other. numpy would compare the types field by field."""
    return np.concatenate([_opaque(table) for table in tables]).view(tables[0].dtype)


def _opaque(table: np.ndarray) -> np.ndarray:
    """View of a contiguous table whose elements are bytes without fields."""
    return table.view(f"V{table.itemsize}")


LARGE = 1 << 15
"""Bytes of a table from which on copying them twice takes longer than what views cost."""


BODY = record([
    ("pos", "f8", 3),                # centre of mass [m]
    ("quat", "f8", 4),               # orientation (w, x, y, z), body to world
    ("vel", "f8", 3),                # velocity of the centre of mass [m/s]
    ("omega", "f8", 3),              # angular velocity [rad/s]
    ("force", "f8", 3),              # applied force, for one step [N]
    ("torque", "f8", 3),             # applied torque, for one step [N m]
    ("mass", "f8"),                  # [kg]; 0 if not dynamic
    ("inv_mass", "f8"),              # [1/kg]; 0 if not dynamic
    ("inertia", "f8", (3, 3)),       # body frame [kg m^2]; 0 if not dynamic
    ("inv_inertia", "f8", (3, 3)),   # body frame [1/(kg m^2)]
    ("inv_inertia_world", "f8", (3, 3)),  # world frame, refreshed at the start of a step
    ("kind", "i4"),                  # Kind
    ("group", "i4"),                 # for use by scenes (colour group in the viewer)
    ("asleep", "i4"),                # 0: awake; else the lowest body of the island that fell asleep together
    ("sleep_reason", "i4"),          # SleepReason
    ("wake_reason", "i4"),           # WakeReason
    ("wake_cause", "i4"),            # the body, or the joint (JOINT), that woke it; -1: none
    ("rest_time", "f8"),             # time for which it has been calm [s]
    ("owed_impulse", "f8", 6),       # impulse and torque impulse of an applied force not yet given (integrate.py)
    ("before", "f8", 6),             # kinematic: vel and omega of the last step (kinematic_velocity.py) [m/s, rad/s]
    ("older", "f8", 6),              # kinematic: vel and omega of the step before that
    ("velocity_lag", "f8"),          # lag of vel and omega behind the pose [s]: half of its last motion; 0: just set
])

SHAPE = record([
    ("body", "i4"),                  # index of the body; -1: an empty slot
    ("kind", "i4"),                  # index into the alphabetical list of shape kinds
    ("geometry", "i4"),              # index into the world's pool (physics/shapes/_geometry.py); -1: dims suffice
    ("dims", "f8", 3),               # property `dims` of the shape kind, documented in its file [m]
    ("rounding", "f8"),              # radius of the ball added all around [m]; not included in dims
    ("friction", "f8"),              # static coefficient mu_s of its surface
    ("restitution", "f8"),           # coefficient e of its surface
    ("material", "i4"),              # index into the world's materials: all other surface properties
    ("local_pos", "f8", 3),          # centre, body frame [m]
    ("local_quat", "f8", 4),         # orientation, body frame
    ("pos", "f8", 3),                # centre [m], refreshed at the start of a step
    ("rot", "f8", (3, 3)),           # shape to world, refreshed at the start of a step
    ("reach", "f8"),                 # distance within which contacts are sought in this step [m]: margin plus own motion
    ("lo", "f8", 3),                 # lower corner of the bounding box grown by reach [m]; -inf for a plane
    ("hi", "f8", 3),                 # upper corner [m]; +inf for a plane
    ("active", "i4"),                # 1: contacts are sought: its body is awake, or was moved since the last step
    ("category", "u4"),              # bits of the categories it belongs to; 0: the first one
    ("ignores", "u4"),               # bits of the categories it does not collide with (complement of its mask)
    ("group", "i4"),                 # shapes of one group always (> 0) or never (< 0) collide, whatever the categories
    ("sensor", "i4"),                # 1: reports overlaps and pushes nothing
])

MATERIAL = record([                  # directions are in the frame of the shape
    ("kinetic_ratio", "f8"),         # mu_k / mu_s
    ("anisotropy", "f8"),            # friction across the axis over friction along it
    ("axis", "f8", 3),               # of the friction ellipse
    ("surface_velocity", "f8", 3),   # of the surface relative to its body [m/s]
])

PAIR = record([                      # of two materials (mixing.py)
    ("friction_rule", "i4"),         # index into RULES (material.py)
    ("restitution_rule", "i4"),
    ("friction", "f8"),              # nan: mixed from the shapes by the rule
    ("kinetic_friction", "f8"),      # nan: mixed
    ("restitution", "f8"),           # nan: mixed
    ("tangential_restitution", "f8"),
    ("torsional_restitution", "f8"),
    ("rolling", "f8"),               # moment against rolling over the normal force [m]
    ("torsional", "f8"),             # moment against spinning about the normal over the normal force [m]
    ("adhesion", "f8"),              # pull between two touching shapes [N]
    ("extended", "i4"),              # 1: one of the last five is not zero
])

GEOMETRY = record([                  # first element and count, in each array of the pool (physics/shapes/_geometry.py)
    ("vertex", "i4"),
    ("vertices", "i4"),
    ("triangle", "i4"),
    ("triangles", "i4"),
    ("integer", "i4"),
    ("integers", "i4"),
    ("number", "i4"),
    ("numbers", "i4"),
    ("node", "i4"),
    ("nodes", "i4"),
])

NODE = record([                      # of a tree of boxes, in the frame of the shape
    ("lo", "f8", 3),                 # lower corner [m]
    ("hi", "f8", 3),                 # upper corner [m]
    ("first", "i4"),                 # leaf: first element; else the node after its subtree (shapes/_tree.py)
    ("count", "i4"),                 # leaf: number of elements; else 0
])

MANIFOLD = record([
    ("shape_a", "i4"),               # the pair, in the order of the pair kernel
    ("shape_b", "i4"),
    ("count", "i4"),                 # 0 .. 4 points
    ("more", "i4"),                  # index of another manifold of the same pair; 0: none
    ("no_rebound", "i4"),            # 1: its bodies hit something else first in this step and do not rebound here
    ("shift", "f8", 3),              # added to pos for the arms of b: the bodies meet after they have moved [m]
    ("normal", "f8", 3),             # unit, from a to b
    ("pos", "f8", (4, 3)),           # points half way between the two surfaces [m]
    ("gap", "f8", 4),                # distance of the surfaces along the normal [m]; negative: overlap
    ("feature", "i8", 4),            # feature id, the same for the same features in the next step
])

KEPT = record([                      # a manifold and where it was found (physics/collide/convex/keep.py); side 0: a, 1: b
    ("shape_a", "i4"),               # as in MANIFOLD
    ("shape_b", "i4"),
    ("kind", "i4", 2),               # what the shapes were, as in SHAPE
    ("geometry", "i4", 2),
    ("dims", "f8", (2, 3)),
    ("rounding", "f8", 2),
    ("pos", "f8", 3),                # pose of b in the frame of a [m]
    ("rot", "f8", (3, 3)),
    ("allowed", "f8"),               # largest motion of b in a for which it holds [m]
    ("widest", "f8"),                # largest gap of a candidate for a point within the reach [m]
    ("beyond", "f8"),                # smallest gap of one beyond the reach [m]
    ("owner", "i4"),                 # side with which the normal turns
    ("count", "i4"),                 # 1 .. 4 points
    ("normal", "f8", 3),             # unit, from a to b, in the frame of the owner
    ("surface", "f8", (2, 4, 3)),    # the points on each surface, in the frame of its side [m]
    ("feature", "i8", 4),            # as in MANIFOLD
])

CONTACT = record([
    ("shape_a", "i4"),
    ("shape_b", "i4"),
    ("body_a", "i4"),
    ("body_b", "i4"),
    ("feature", "i8"),               # as in MANIFOLD
    ("pos", "f8", 3),                # [m]; the arm of a ends there, that of b at pos + shift
    ("shift", "f8", 3),              # 0 except for impacts later in the step (physics/collide/continuous/impacts.py) [m]
    ("normal", "f8", 3),             # unit, from a to b
    ("normal_change", "f8", 3),      # change of the normal since the last step; 0: new contact
    ("arm_a", "f8", 3),              # arm from the body's centre to its surface as last solved [m]; 0: not yet solved
    ("arm_b", "f8", 3),
    ("tangent", "f8", 3),            # unit, first axis of the friction cone; the second is normal x tangent
    ("gap", "f8"),                   # [m] at the start of the step (the exact solver leaves the one at its end)
    ("friction", "f8"),              # mu of the pair, static or kinetic, along the first tangent
    ("restitution", "f8"),           # e of the pair
    ("anisotropy", "f8"),            # friction along the second tangent over friction along the first, <= 1
    ("target", "f8", 3),             # target velocity of b relative to a: normal, tangent, second tangent [m/s]; targets.py
    ("impulse", "f8"),               # normal impulse of the step on b [N s], >= 0; opposite on a
    ("friction_impulse", "f8", 3),   # tangential impulse of the step on b [N s]
    ("spin_impulse", "f8", 3),       # moment of rolling and torsional friction in the step on b [N m s]
    ("slip", "f8", 3),               # tangential velocity of b's surface relative to a's at the end of the step [m/s]
    ("approach", "f8"),              # normal velocity of b relative to a at the start of the step [m/s]; < 0: approaching
    ("pending_rebound", "f8"),       # speed of an impact whose rebound waits until the surfaces touch [m/s]; targets.py
    ("residual", "f8", 3),           # residual of the normal law, of friction [m/s], of rolling and spinning [rad/s]
    ("patch", "f8", 3),              # compliant contact: displacement of the surface patch, of b against a, from rest [m]
    ("patch_turn", "f8", 3),         # the same by torsion (normal) and rolling, at its lever: compliant/patch_turns.py [m]
    ("pair", "i4"),                  # index into the pairs of materials; 0: plain
    ("no_rebound", "i1"),            # as in MANIFOLD; 1: holds without rebound
    ("case", "i1"),                  # Case
    ("warm_startable", "i1"),        # 1: the next step may start from these impulses (0 after an impact)
    ("sign_case", "i1"),             # 1 .. 8, the case of T08's three inequalities: friction_cases.py; 0: not known yet
])

MAX_AXES = 6
"""Maximum number of axes (free coordinates) of a joint."""

MAX_FRICTION_GROUPS = 2
"""Maximum number of groups of directions with their own friction law: sliding [N] and turning [N m]."""

MAX_FRICTION_CORNERS = 16
"""Maximum number of corners of the polygon of a joint's friction."""

JOINT = record([
    ("kind", "i4"),                  # index into the alphabetical list of joint kinds; -1: an empty slot
    ("body_a", "i4"),
    ("body_b", "i4"),
    ("anchor_a", "f8", 3),           # joint point, frame of body a [m]
    ("anchor_b", "f8", 3),           # joint point, frame of body b [m]
    ("frame_a", "f8", 4),            # joint frame (its z axis is the joint's axis) in body a
    ("frame_b", "f8", 4),            # the same in body b
    ("rest_a", "f8", 4),             # frame a in the world when the joint was made: reference for the angles of gears
    ("rest_b", "f8", 4),
    ("param", "f8", 4),              # further parameters of the kind: see its file
    ("max_friction", "f8", MAX_FRICTION_GROUPS),  # bound of the dry friction at rest, F_max of MS16 eq 8 [N m] or [N]
    ("kinetic", "f8", MAX_FRICTION_GROUPS),  # its bound at speed [N m] or [N]
    ("stribeck", "f8", MAX_FRICTION_GROUPS),  # speed at which the bound falls from static to kinetic [rad/s] or [m/s]
    ("viscous", "f8", MAX_FRICTION_GROUPS),  # coefficient of viscous friction [N m s] or [N s/m]
    ("load_mu", "f8", MAX_FRICTION_GROUPS),  # fraction of the joint's reaction added to both bounds
    ("load_radius", "f8", MAX_FRICTION_GROUPS),  # lever arm at which it acts [m]; 1 for sliding
    ("corners", "f8", (MAX_FRICTION_CORNERS, 2)),  # polygon of the dry friction of both directions, instead of these bounds
    ("corner_count", "i4"),          # how many; 0: none
    ("limit_lo", "f8", MAX_AXES),    # range of each axis [rad] or [m]; -inf, inf: no limit
    ("limit_hi", "f8", MAX_AXES),
    ("limit_restitution", "f8"),     # coefficient of restitution at a limit
    ("motor_target", "f8", MAX_AXES),  # velocity or position by the mode [rad/s, m/s] or [rad, m]
    ("motor_force", "f8", MAX_AXES),  # largest force or torque [N] or [N m]
    ("motor_speed", "f8", MAX_AXES),  # POSITION: largest speed on the way [rad/s] or [m/s]
    ("motor_stiffness", "f8", MAX_AXES),  # SPRING: [N/m] or [N m/rad]
    ("motor_damping", "f8", MAX_AXES),  # SPRING: [N s/m] or [N m s/rad]
    ("motor_mode", "i4", MAX_AXES),  # Drive
    ("used", "i4"),                  # bit k: axis k has a limit, a motor or a lock
    ("locked", "i4"),                # bit k: axis k is held at limit_lo
    ("coordinate", "f8", MAX_AXES),  # value of each axis when rows were last written; full turns counted [rad] or [m]
    ("start_error", "f8", MAX_AXES),  # constraint error at creation of the joint, row by row [m] or [rad]
    ("ramp", "f8"),                  # fraction of time left in which that error is removed, 1 .. 0
    ("break_force", "f8"),           # the joint breaks above this reaction [N]; inf: never
    ("break_torque", "f8"),          # [N m], about the joint point
    ("impulse", "f8", 6),            # constraint impulses of the step, row by row [N s] or [N m s]
    ("closing", "f8", (2, 6)),       # added to the targets by the closing of the last two substeps, row by row [m/s] or [rad/s]
    ("friction_impulse", "f8", 6),   # friction impulses of the step, row by row [N s] or [N m s]
    ("slip", "f8", 6),               # velocities in the friction rows at the end of the step [rad/s] or [m/s]
    ("limit_impulse", "f8", MAX_AXES),  # impulse of each axis' limits: lower > 0, upper < 0 [N s] or [N m s]
    ("motor_impulse", "f8", MAX_AXES),  # [N s] or [N m s]
    ("reaction", "f8", 6),           # total on b in the step: impulse [N s], angular about its centre [N m s]
    ("load", "f8"),                  # size of the constraint's impulse [N s]
    ("error", "f8"),                 # largest constraint error at the start of the step [m] or [rad]
    ("residual", "f8", 5),           # natural map residual of its laws, by Role (measure.py) [m/s] or [rad/s]
    ("case", "i4"),                  # Case of the friction: SLIP if any group slips
    ("collide", "i4"),               # 1: the two bodies collide with each other
])

PIECE = record([
    ("joint", "i4"),                 # joint that this block belongs to, in the order of the layout
    ("place", "i4"),                 # position of the joint among the live ones
    ("role", "i4"),                  # Role
    ("slot", "i4"),                  # CONSTRAINT: rows that are not locks; FRICTION: first of its friction_impulse; else the axis
    ("group", "i4"),                 # FRICTION: friction law (MAX_FRICTION_GROUPS)
    ("first", "i4"),                 # first row in the table
    ("count", "i4"),                 # number of rows
    ("axes", "i4"),                  # CONSTRAINT: the written row of axis 0
])

ROW = record([
    ("lin_a", "f8", 3),              # Jacobian: velocity of a
    ("ang_a", "f8", 3),              # Jacobian: angular velocity of a
    ("lin_b", "f8", 3),              # Jacobian: velocity of b
    ("ang_b", "f8", 3),              # Jacobian: angular velocity of b
    ("spin_a", "f8", 3),             # I_a^-1 ang_a
    ("spin_b", "f8", 3),             # I_b^-1 ang_b
    ("target", "f8"),                # target of J V (plus softness * impulse) [m/s] or [rad/s]
    ("softness", "f8"),              # added to J M^-1 J^T, [1/kg] or [1/(kg m^2)]; 0: rigid
    ("position_error", "f8"),        # constraint error C (or gap) at the start of the step [m] or [rad]
    ("impulse", "f8"),               # accumulated impulse [N s] or [N m s]
])

BLOCK = record([
    ("a", "i4"),                     # body
    ("b", "i4"),                     # body
    ("first", "i4"),                 # first row
    ("count", "i4"),                 # rows, 1 .. 6
    ("bound", "i4"),                 # Bound
    ("normal", "i4"),                # CONE: the row of the normal impulse
    ("owner", "i4"),                 # Owner
    ("index", "i4"),                 # contact or joint
    ("inverse", "i4"),               # start of (J M^-1 J^T + softness)^-1, count x count, in the array `inverses`
    ("case", "i4"),                  # friction block, motor: Case
    ("role", "i4"),                  # joint block: Role; contact block: MOMENT or -1
    ("corner", "i4"),                # POLYGON: its first corner in the table of directions (solvers/lcp/assemble.py)
    ("corner_count", "i4"),          # POLYGON: how many
    ("first_impulse", "i4"),         # joint block: index of its first row's impulse
    ("limit", "f8"),                 # DISC, and INTERVAL of a motor: largest impulse [N s] or [N m s]; ONE_SIDED: speed of a
                                     # rebound, 0: none [m/s] or [rad/s]; POLYGON: duration of its forces [s]
    ("viscous", "f8"),               # DISC: viscous coefficient times duration of the kick [kg] or [kg m^2]
    ("lower", "f8"),                 # INTERVAL: smallest and largest impulse [N s] or [N m s]
    ("upper", "f8"),
    ("mu", "f8"),                    # CONE; of MOMENT a length [m]
    ("gradient_step", "f8"),         # 1 / (largest eigenvalue of J M^-1 J^T): the step of a projected gradient
    ("inv_mass_a", "f8"),
    ("inv_mass_b", "f8"),
])


@intrinsic
def _borrow(typing, array):
    def generate(context, builder, sig, args):
        struct = context.make_array(sig.args[0])(context, builder, args[0])
        struct.meminfo = cgutils.get_null_value(struct.meminfo.type)
        struct.parent = cgutils.get_null_value(struct.parent.type)
        return struct._getvalue()
    return array(array), generate


borrow = (lambda array: array) if numba.config.DISABLE_JIT else _borrow     # (array) -> the same array, not counted
