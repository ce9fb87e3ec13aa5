"""Experiments known to fail at one rate or more, with reasons: tests accept these, `stiction truth` does not."""

IMPULSES, SOFT, EXACT = "sequential_impulses", "soft_steps", "stewart_trinkle"
ALL = (IMPULSES, SOFT, EXACT)

REASONS: tuple[tuple[str, tuple[str, ...], str], ...] = (
    ("balls that touch are struck all at once, by Newton's law for each contact, and not one after the other", ALL,
     "cradle_gap_0 cradle_two"),
    ("a crowd of elastic balls gains a thousandth", (IMPULSES,), "many_balls"),
    ("rolling rims lose energy at first order", (EXACT,),
     "eulers_disc_energy eulers_disc_tilt coin_tilt coin_energy wheel_circle wheel_tilt"),
    ("rolling rims lose energy at first order", ALL, "egg_rolls egg_energy rattleback"),
    ("edges are pivots of first order", ALL, "rocking_block"),
    ("edges are pivots of first order", (IMPULSES, SOFT), "ladder_leaves"),
    ("edges are pivots of first order", (EXACT,), "toppling_block rod_pulled rod_pushed"),
    ("a carrier's change of speed comes all at once in a step's first part", (SOFT,), "shaken_holds"),
    ("a carrier's change of speed comes all at once in a step's first part", ALL, "truck_holds truck_slips"),
    ("it lets go and stops at ends of steps", ALL, "break_away stick_slip_amplitude"),
    ("it lets go and stops at ends of steps", (SOFT, EXACT), "stick_slip_period"),
    ("friction creeps where contacts and joints are soft", (SOFT,),
     "slope_holds slope_slides box_slope rolls_straight first_step_holds arm_held drawer_jams"),
    ("soft contacts and joints have not come to rest", (SOFT,), "cantilever heavy_on_light arch gripper_still"),
    ("one of many solutions, and not the least", (IMPULSES,), "table_four"),
    ("constraint forces of bodies that spin fast are of first order", (IMPULSES, SOFT), "gyroscope top_steady"),
    ("constraint forces of bodies that spin fast are of first order", ALL, "top_steady_tilt top_nods_round"),
    ("constraint forces of bodies that spin fast are of first order", (SOFT,), "top_nods conical"),
    ("the swings of a chain's end are not resolved", (SOFT, EXACT), "chain_energy"),
    ("soft joints cannot carry it", (SOFT,), "chain_1000 chain_1000_holds chain_light"),
)
"""(why, solvers, experiments)."""

KNOWN = {(name, solver): reason for reason, found, names in REASONS for solver in found for name in names.split()}
