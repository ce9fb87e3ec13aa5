"""Mechanisms in joint coordinates: trees of links, and the recursive algorithms of rigid-body dynamics.

R. Featherstone, *Rigid Body Dynamics Algorithms* (2008), is named RBDA here; its chapter 11 is F11. The equation of motion of all
links together, in n joint velocities qd:

    H qdd + C = tau + J^T f                                                        (RBDA 3.1, with contacts F11 11.27)

    tree.py         links, found from the joints of a world; loops are cut
    kinematics.py   poses and velocities of links from joint coordinates, and back; motion subspaces; Jacobians
    dynamics.py     recursive Newton-Euler (inverse dynamics), composite rigid bodies (H), articulated bodies (qdd), H = L^T L
    joint_space.py  all of it for Python: `world.joint_space()`
    mechanism.py    a world's mechanisms as a state (q, qd) that a solver moves
    momentum.py     reactions of joints, and the momenta of floating mechanisms
    energy_work.py  work of rows, reactions and applied forces, for the energy ledger
    contact.py      contacts at acceleration level (F11 11.3 to 11.5), and the range of forces that the laws leave open
    impulse.py      blows and impacts (F11 11.7)
    subsystems/     the same mechanisms as trees of subsystems, over several processes

Spatial vectors are six numbers in world axes about the centre of mass of their link: motions (omega, v), forces (moment, force).
No rotation is needed between links; X from link p to link i, r = x_i - x_p, shifts the point of reference:

    motion   X v = (omega, v + omega x r)          force   X^T f = (n + r x f, f)                       (RBDA 2.21, 2.26, E = 1)
    v x m = (omega x m_w, omega x m_v + v x m_w)   v x* f = (omega x n + v x f, omega x f)              (RBDA 2.31, 2.32)

Accelerations are spatial: a = (domega/dt, dv/dt - omega x v) with v the velocity of the centre of mass.
"""
