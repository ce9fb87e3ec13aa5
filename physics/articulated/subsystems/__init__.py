"""Mechanisms as trees of subsystems (KV: R. Kasper, D. Vlasenko, *Method for distributed forward dynamic simulation of
constrained mechanical systems*).

A subsystem eliminates its inner joints and shows its parent only how the accelerations of its outer bodies answer to forces on
them, X'' = D Q + R. The root joins the ground; then forces flow back to the leaves. Accelerations are those of bodies, the state
is in joint coordinates, which are integrated by a Runge-Kutta method and put back onto the closed loops.

    partition.py    the tree: halves of the mechanism with few joints between them, or groups by name
    reduction.py    the affine maps, up and down                                              (KV eq 1 to 7)
    mechanism.py    a world in joint coordinates: their accelerations, stabilisation          (KV eq 8, section 3)
    distributed.py  the same maps with the subsystems in several processes
    sticking.py     which joints' friction holds, and which lets go
    dissipation.py  friction in several directions at once, as of ball joints
    integrate.py    Runge-Kutta steps, cut where a joint sticks or lets go

The step itself is a solver like the others: physics/solvers/subsystems.py.
"""
