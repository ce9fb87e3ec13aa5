"""Experiments that are known not to hold at one rate or more, and why: the tests let these pass, `stiction truth` does not."""

IMPULSES, SOFT, EXACT = "sequential_impulses", "soft_steps", "stewart_trinkle"
ALL = (IMPULSES, SOFT, EXACT)

REASONS: tuple[tuple[str, tuple[str, ...], str], ...] = (
    ("impacts are answered at an end of the step: times are off by up to a step, and what should follow in it is lost", (EXACT,),
     "zeno_08 zeno_09 bounce_heights bounce_elastic small_on_large row_e cradle_gap_01 cradle_gap_1 cradle_gap_10 cradle_energy"),
    ("balls that touch are struck all at once, by Newton's law for each contact, and not one after the other", ALL,
     "cradle_gap_0 cradle_two"),
    ("a crowd of elastic balls gains a thousandth", (IMPULSES,), "many_balls"),
    ("rolling rims lose energy at first order", ALL,
     "eulers_disc_energy coin_tilt coin_energy wheel_circle egg_rolls egg_energy rattleback"),
    ("rolling rims lose energy at first order", (IMPULSES, EXACT), "eulers_disc_tilt wheel_tilt"),
    ("a thin body that spins fast gains energy at its contacts", (IMPULSES,), "spinning_rod_lands fast_spin_smooth"),
    ("edges are pivots of first order", ALL, "rocking_block ladder_leaves"),
    ("edges are pivots of first order", (IMPULSES, EXACT), "toppling_block rod_pulled rod_pushed"),
    ("a carrier's change of speed comes all at once in a step's first part", ALL, "shaken_holds truck_holds truck_slips"),
    ("it lets go and stops at ends of steps", ALL, "break_away stick_slip_period stick_slip_amplitude"),
    ("friction creeps where contacts and joints are soft", (SOFT,),
     "slope_holds slope_slides box_slope rolls_straight first_step_holds arm_held drawer_jams"),
    ("soft contacts and joints have not come to rest", (SOFT,), "cantilever heavy_on_light arch gripper_still"),
    ("too few sweeps for 200 kg on 1 kg", (IMPULSES,), "heavy_on_light"),
    ("one of many solutions, and not the least", (IMPULSES,), "table_four"),
    ("one of many solutions, and not the least", (EXACT,), "gripper gripper_still table_four drawer_jams drawer_slides capstan"),
    ("implicit springs are damped", (IMPULSES, EXACT), "spring_amplitude spring_damped spring_orbit"),
    ("constraint forces of bodies that spin fast are of first order", ALL,
     "gyroscope top_steady top_steady_tilt top_nods top_nods_round conical"),
    ("the swings of a chain's end are not resolved", ALL, "chain_energy"),
    ("soft joints cannot carry it", (SOFT,), "chain_1000 chain_1000_holds chain_light"),
    ("it tears where a step does not resolve the swing of light links", (EXACT,), "chain_1000 chain_1000_holds"),
)
"""(why, solvers, experiments)."""

KNOWN = {(name, solver): reason for reason, found, names in REASONS for solver in found for name in names.split()}
