"""Universal joint (Cardan): a cross with two pins at right angles, n1 (the axis) held by a and n2 held by b.

    C    = (x_b + r_b - x_a - r_a,  n1.n2)                        (4 rows)
    q    = (rotation of the cross relative to a about n1, of b relative to the cross about n2)
    B V  = (n1 . omega_rel,  n2 . omega_rel)                      where C = 0: omega_rel = q1dot n1 + q2dot n2

n1 = z of frame a, n2 = x of frame b. Curvature: Jdot V = omega_rel . (omega_a x n1), omega_rel . (omega_b x n2).

Two shafts across the pins at an angle beta turn unevenly: omega_b / omega_a = cos beta / (1 - sin^2 beta sin^2 theta_a), theta_a
measured from where a's pin is orthogonal to both shafts.
"""

from physics.core import quat, vec
from physics.core.jit import inline, kernel
from physics.joints import Axis, Freedom, Group, Holds, JointKind, Motion, Turns
from physics.joints._parts import axis_curvature, frames, spin_of, write_angle, write_point, write_turn


@inline
def add_pin_curvature(row, omega, pin, a, b, dt):
    """Add the curvature term of the rotation about a pin that turns with omega."""
    relative = vec.sub(spin_of(b, dt), spin_of(a, dt))
    row.target = -0.5 * dt * vec.dot(relative, vec.cross(omega, pin))


@kernel
def write(joints, index, first, bodies, rows, dt):
    """Write the rows of the listed universal joints."""
    for n in range(index.shape[0]):
        joint, r = joints[index[n]], first[n]
        a, b = bodies[joint.body_a], bodies[joint.body_b]
        frame_a, frame_b = frames(joint, a, b)
        x_a, y_a, n1 = (quat.rotate(frame_a, (1.0, 0.0, 0.0)), quat.rotate(frame_a, (0.0, 1.0, 0.0)),
                        quat.rotate(frame_a, (0.0, 0.0, 1.0)))
        n2, y_b, z_b = (quat.rotate(frame_b, (1.0, 0.0, 0.0)), quat.rotate(frame_b, (0.0, 1.0, 0.0)),
                        quat.rotate(frame_b, (0.0, 0.0, 1.0)))
        write_point(rows, r, joint, a, b, dt)
        write_turn(rows[r + 3], vec.cross(n2, n1), vec.dot(n1, n2))
        axis_curvature(rows[r + 3], spin_of(a, dt), spin_of(b, dt), n1, n2, dt)
        joint.coordinate[0] = write_angle(rows[r + 4], n2, x_a, y_a, joint.coordinate[0])
        add_pin_curvature(rows[r + 4], spin_of(a, dt), n1, a, b, dt)
        # n1 seen from b turns the other way: with b as the reference the row's sign and the angle are those of y, z
        turn = write_angle(rows[r + 5], n1, z_b, y_b, joint.coordinate[1])
        row = rows[r + 5]
        vec.assign(row.ang_a, vec.scale(row.ang_a, -1.0))
        vec.assign(row.ang_b, vec.scale(row.ang_b, -1.0))
        joint.coordinate[1] = turn
        add_pin_curvature(row, spin_of(b, dt), n2, a, b, dt)


JOINT = JointKind(
    constraint=4, write=write, holds=Holds.POINT | Holds.CROSS, freedom=Freedom(turns=Turns.PINS), across=True,
    friction=(Group("first", "N m", (4,)), Group("second", "N m", (5,))),
    axes=(Axis("first", "rad", "Rotation of the cross about the pin in a.", Motion.ABOUT_Z_A),
          Axis("second", "rad", "Rotation of b about its own pin.", Motion.ABOUT_X_B)),
    doc="Universal joint (Cardan): two perpendicular pins, the first along the axis in a, the second in b.")
