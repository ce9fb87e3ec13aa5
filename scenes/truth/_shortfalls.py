"""Experiments that are known not to hold, and why: the tests let these pass, `stiction truth` does not."""

IMPULSES, SOFT, EXACT = "sequential_impulses", "soft_steps", "stewart_trinkle"

REASONS: tuple[tuple[str, tuple[str, ...], str], ...] = (
    ("what happens within a step is answered at an end of it: arms and times are off by up to a step", (IMPULSES, SOFT, EXACT),
     "zeno_08 billiard_throw billiard_moment cradle_gap_1 small_on_large bounce_heights oblique_sticks impact_moment rod_smooth"),
    ("the friction of a rebound is bounded by the impulse of the compression alone", (SOFT,), "oblique_slides"),
    ("rolling rims lose energy at first order", (IMPULSES, SOFT, EXACT), "eulers_disc_tilt wheel_tilt"),
    ("a thin body that spins fast gains energy at its contacts", (SOFT,), "fast_spin_smooth"),
    ("the first step halves gravity and not applied forces", (IMPULSES, SOFT, EXACT), "first_step_holds door_stops"),
    ("friction creeps where contacts and joints are soft", (SOFT,), "slope_holds slope_slides shaken_holds arm_held cantilever"),
    ("it lets go a little late", (IMPULSES, SOFT, EXACT), "break_away"),
    ("implicit springs are damped", (IMPULSES, SOFT, EXACT), "spring_amplitude"),
    ("constraint forces of fast spinning bodies are of first order", (IMPULSES, SOFT, EXACT), "gyroscope"),
    ("one of many solutions for a grip", (EXACT,), "gripper_still"),
)
"""(why, solvers, experiments)."""

KNOWN = {(name, solver): reason for reason, found, names in REASONS for solver in found for name in names.split()}
