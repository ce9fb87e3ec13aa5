"""Experiments whose number a solver does not reach at one rate or more by a limit of its method, with reasons. Their verdict is
"known limit"; tolerances are those of all solvers. Reasons of the default solver say what to do instead, and tests do it."""

IMPULSES, SOFT, EXACT = "sequential_impulses", "soft_steps", "stewart_trinkle"
COMPLIANT, JOINT_SPACE, SUBSYSTEMS, EVENTS = "compliant_contact", "joint_space", "subsystems", "event_driven"
ALL = (IMPULSES, SOFT, EXACT)

REASONS: tuple[tuple[str, tuple[str, ...], str], ...] = (
    ("balls that touch are struck simultaneously by default, and all move off: set multiple_impacts to sequential for an impact "
     "that travels from ball to ball", (*ALL, JOINT_SPACE), "cradle_gap_0 cradle_two"),
    ("balls that touch are struck simultaneously, and all move off", (EVENTS,), "cradle_gap_0 cradle_two"),
    ("a crowd of elastic balls gains a thousandth", (JOINT_SPACE,), "many_balls"),
    ("rolling rims lose energy at first order", (EXACT,), "coin_tilt coin_energy wheel_circle rattleback"),
    ("rolling rims lose energy at first order", (JOINT_SPACE,), "egg_energy"),
    ("rolling rims lose energy at first order", (JOINT_SPACE, COMPLIANT), "egg_rolls"),
    ("it lets go and stops at ends of steps", (SOFT, EXACT), "break_away stick_slip_amplitude stick_slip_period"),
    ("it lets go and stops at ends of steps", (JOINT_SPACE,), "stick_slip_amplitude stick_slip_period"),
    ("friction creeps where contacts are soft", (SOFT,), "slope_holds slope_slides box_slope rolls_straight first_step_holds"),
    ("the loads of four legs on rigid ground have many solutions, and sweeps find one that is not the least: soft_steps, "
     "joint_space and stewart_trinkle share the load evenly", (IMPULSES,), "table_four"),
    ("a top nods by a thousandth of a radian where it starts without doing so", (SOFT,), "top_steady_tilt"),
    ("the swings of a chain's end are not resolved", (SUBSYSTEMS,), "chain_1000"),
    ("rebounds follow from springs and dampers, not from coefficients of restitution", (COMPLIANT,),
     "bounce_elastic bounce_fifth bounce_heights zeno_08 zeno_09 small_on_large cradle_gap_0 cradle_gap_01 cradle_gap_1 "
     "cradle_gap_10 cradle_two cradle_energy pi_31 pi_314 pi_3141 row_e rod_smooth rod_slides oblique_slides oblique_sticks "
     "billiard_speed"),
    ("contacts give way before they slip, and arms end on their surfaces", (COMPLIANT,),
     "slope_holds slope_slides slip_slope slope_up_and_back box_slope first_step_holds break_away shaken_holds truck_holds "
     "truck_slips stick_slip_amplitude stick_slip_period box_tips drawer_jams ball_in_groove arch rocking_block "
     "heavy_on_light billiard_moment roll_slope drawer_slides rod_pushed"),
    ("an impact takes time, in which its normal turns", (COMPLIANT,), "billiard_throw"),
    ("rims that roll give way", (COMPLIANT,), "coin_energy coin_tilt egg_energy rattleback"),
    ("its friction cones have facets", (JOINT_SPACE,), "break_away stop_round_cone stop_direction"),
    ("contacts of bodies that spin fast are of first order", (JOINT_SPACE,), "rattleback"),
    ("a Runge-Kutta method keeps angular momentum to its order", (SUBSYSTEMS,), "free_moment"),
    ("a Runge-Kutta method keeps energy to its order", (SUBSYSTEMS, EVENTS), "free_slender"),
)
"""(why, solvers, experiments)."""

KNOWN = {(name, solver): reason for reason, found, names in REASONS for solver in found for name in names.split()}
