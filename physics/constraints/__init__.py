"""Constraints as data: what must hold between two bodies, and the layouts in which solvers read it.

The language. CONTACT and JOINT (core/records.py) say what touches and what is joined; a constraint made of them is a block of
rows between two bodies a, b. A row has a Jacobian J, an impulse p on b (M^-1 J^T p on the velocities), a target of J V, a
softness and a position error or gap; a block has one bound (records.Bound): equality, one-sided p >= 0, interval,
disc ||p|| <= limit, cone ||p_t|| <= mu p_n. Targets: contact/targets.py; the laws, each once: contact/laws.py. Solvers write
impulses and residuals back to CONTACT and JOINT, which is all that the auditor, the window and the next step read.

The layouts, made of these records for the time of a step:

    rows and blocks      ROW, BLOCK     joints of all solvers (joint_rows.py, kept by joint_system.py); contacts of the exact
                                        solver, its judge included (rows.py); the residual (dynamics/measure.py)
    factors              of the blocks  joints solved together (dynamics/direct_joint_solver.py)
    contact batches      four patches   contacts of sequential impulses, soft steps and impacts, with their ledger and residual
                                        (contact_batches.py); the microscope's replays
    extended contacts    a list         beside the batches: rolling, spinning, tangential restitution, adhesion
                                        (extended_contacts.py, swept by solvers/impulses/extended_contacts.py)

Which rows a joint has changes only with the structure of the world: joint_layout.py, kept with the other index lists (layout.py).
"""
