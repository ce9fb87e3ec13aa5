"""Curvature term of contacts on mechanisms: how their rows turn in a step (constraints/contact_batches.py, 4).

    J(q_mid) qd = J(q0) qd + t c,   c = e . (a_b + alpha_b x r_b + omega_b x r_b' - the same of a),  for the normal + n' . dv  (1)

with a, alpha the accelerations of a link where qdd = 0, of a body without joints and of tops (tops.py) those of a free top.
Without it a body that rolls end over end gains or loses a share of its energy of the first order in the step.
"""

import numpy as np

from physics.articulated import dynamics, kinematics, tops
from physics.articulated.tree import GROUND
from physics.constraints.contact_batches import (
    POINT_FIELDS,
    SWEEP_A,
    SWEEP_B,
    SWING,
    surface_arms,
    turn_with_bodies,
    write_turns,
)
from physics.contact.targets import TOUCH_GAP
from physics.core import contact_points, vec
from physics.core.jit import kernel, routine
from physics.dynamics import integrate

KNOWN_TURN = 0.05
"""Turn of an arm for which its rate is taken as constant [rad]."""


@kernel
def turn_rows(contacts, bodies, links, states, of_body, last_dt, middle, out):
    """out (contacts, 3): t c of (1) along the normal and the tangents of CONTACT records, t up to `middle` [s]; their arms become
    the present ones. states: kinematics.STATE of the poses and velocities of the bodies; last_dt: since contacts were last solved
    [s]."""
    point, motion = np.zeros((POINT_FIELDS, 1)), np.empty((links.shape[0], 6))
    turns = write_turns(bodies, last_dt, False)
    link_accelerations(bodies, links, states, motion)
    for n in range(contacts.shape[0]):
        c = contacts[n]
        a, b = bodies[c.body_a], bodies[c.body_b]
        r_a, r_b = surface_arms(c, a, b)
        point[:, 0] = 0.0
        touches = c.impulse > 0.0 or c.gap <= TOUCH_GAP     # after a step with an impact it has no impulse to start from
        turning = (0.0, 0.0, 0.0)
        if touches and vec.dot(c.arm_a, c.arm_a) + vec.dot(c.arm_b, c.arm_b) > 0.0:
            turning = turn_with_bodies(c, a, b, r_a, r_b, point, 0, last_dt, turns)
            if not contact_points.comes_later(c):
                turning = vec.add(turning, _carried(b, links, of_body[c.body_b], motion, r_b, point[SWEEP_B : SWEEP_B + 3, 0]))
                turning = vec.sub(turning, _carried(a, links, of_body[c.body_a], motion, r_a, point[SWEEP_A : SWEEP_A + 3, 0]))
        t1, half = vec.copy(c.tangent), _time_known(point, r_a, r_b, middle)
        out[n, 0] = half * (vec.dot(turning, c.normal) + point[SWING, 0])
        out[n, 1] = half * vec.dot(turning, t1)
        out[n, 2] = half * vec.dot(turning, vec.scale(vec.cross(c.normal, t1), c.anisotropy))
        vec.assign(c.arm_a, r_a)
        vec.assign(c.arm_b, r_b)


@kernel
def link_accelerations(bodies, links, states, motion):
    """motion (links, 6): angular and linear accelerations of the links where qdd = 0, of tops those of free ones."""
    for i in range(links.shape[0]):
        link, state = links[i], states[i]
        if link.parent == GROUND:
            dynamics.set_base_acceleration(motion[i], state, bodies[link.other], (0.0, 0.0, 0.0))
        else:
            kinematics.shift_motion(motion[i], motion[link.parent], state.r)
        for k in range(6):
            motion[i, k] += state.c[k]
    for i in range(links.shape[0]):     # from spatial ones to those of the centres of mass
        vec.add_scaled(motion[i, 3:6], vec.cross(states[i].v[0:3], states[i].v[3:6]), 1.0)
        if tops.is_top(links, bodies, i):
            tops.add_free_acceleration(links[i], bodies[links[i].body], states[i], motion[i])


@routine
def _time_known(point, r_a, r_b, middle):
    """How far ahead c of (1) is known, at most `middle` [s]: an arm that turns so far has another rate then."""
    rate = 0.0
    for sweep, r in ((SWEEP_A, r_a), (SWEEP_B, r_b)):
        size = vec.norm((point[sweep, 0], point[sweep + 1, 0], point[sweep + 2, 0]))
        if size > 0.0:
            rate = max(rate, size / vec.norm(r))
    return min(middle, KNOWN_TURN / rate) if rate > 0.0 else middle


@routine
def _carried(body, links, link, motion, r, sweep):
    """a + alpha x r of (1); sweep: r'. A free top whose arm is taken as fixed is one that does not turn either."""
    if link < 0:
        return (0.0, 0.0, 0.0)
    if links[link].joint < 0 and (link + 1 == links.shape[0] or links[link + 1].parent != link):
        if sweep[0] == 0.0 and sweep[1] == 0.0 and sweep[2] == 0.0:
            return (0.0, 0.0, 0.0)
        return vec.cross(integrate.free_acceleration(body), r)
    return vec.add(motion[link, 3:6], vec.cross(motion[link, 0:3], r))
