"""Predictions of scenes under a solver that may not be their own."""

import scenes
from physics import BadInput, Diverged, Unsupported, World

NAMES = [name for name, scene in scenes.all_scenes().items() if scene.unreached is not None]
SLOW = {"anisotropic_skate": ("joint_space", "sequential_impulses", "stewart_trinkle"),
        "band_brake": ("compliant_contact", "joint_space", "sequential_impulses", "stewart_trinkle"),
        "bar_net": ("joint_space", "stewart_trinkle", "subsystems"),
        "belt": ("compliant_contact", "joint_space", "stewart_trinkle"),
        "books": ("compliant_contact", "joint_space", "stewart_trinkle"),
        "bowl": ("compliant_contact", "joint_space", "sequential_impulses", "stewart_trinkle"),
        "braking_cars": ("compliant_contact", "joint_space", "sequential_impulses", "stewart_trinkle"),
        "brazil_nut": ("compliant_contact", "joint_space", "sequential_impulses", "stewart_trinkle"),
        "bumpy_road": ("compliant_contact", "joint_space", "sequential_impulses", "stewart_trinkle"),
        "capstan": ("compliant_contact", "stewart_trinkle"), "card_house": ("compliant_contact", "joint_space"),
        "chain": ("compliant_contact", "joint_space", "sequential_impulses", "stewart_trinkle", "subsystems"),
        "clutch": ("subsystems",), "collision_carts": ("event_driven",),
        "concave_ramp": ("event_driven", "joint_space", "sequential_impulses", "stewart_trinkle"),
        "concave_ramp_events": ("event_driven",), "corner_and_large_step": ("event_driven",),
        "coupled_discs": ("joint_space", "soft_steps", "stewart_trinkle", "subsystems"),
        "cradle": ("event_driven", "stewart_trinkle"),
        "crane": ("joint_space", "sequential_impulses", "stewart_trinkle", "subsystems"),
        "curling": ("joint_space", "stewart_trinkle"), "curved_faces": ("event_driven",),
        "diagonal_push": ("joint_space", "stewart_trinkle"), "differential": ("subsystems",),
        "disc_in_slot": ("stewart_trinkle",), "door": ("subsystems",),
        "double_pendulum_wall": ("event_driven", "stewart_trinkle"), "eulers_disc": ("joint_space", "stewart_trinkle"),
        "four_bars": ("joint_space", "stewart_trinkle", "subsystems"),
        "galton": ("compliant_contact", "joint_space", "sequential_impulses", "stewart_trinkle"),
        "gripper": ("compliant_contact", "joint_space", "stewart_trinkle"),
        "growing_push": ("compliant_contact", "joint_space", "stewart_trinkle"),
        "gyroscope": ("event_driven", "stewart_trinkle", "subsystems"), "hourglass": ("sequential_impulses",),
        "joint_gallery": ("compliant_contact", "joint_space", "sequential_impulses", "stewart_trinkle"),
        "kapitza": ("subsystems",), "key_in_lock": ("stewart_trinkle",), "ladder": ("joint_space", "stewart_trinkle"),
        "masonry_arch": ("joint_space", "stewart_trinkle"),
        "mf4_door": ("compliant_contact", "joint_space", "sequential_impulses", "stewart_trinkle"),
        "mf4_trainer": ("sequential_impulses",), "particle_and_wall": ("joint_space",),
        "pendulum": ("compliant_contact", "joint_space", "sequential_impulses", "stewart_trinkle", "subsystems"),
        "planetary_gear": ("joint_space", "sequential_impulses", "stewart_trinkle", "subsystems"),
        "polyhedra_ramp": ("compliant_contact", "event_driven", "joint_space", "sequential_impulses", "stewart_trinkle"),
        "pyramid": ("compliant_contact", "stewart_trinkle"), "ragdoll": ("joint_space", "stewart_trinkle"),
        "rattleback": ("compliant_contact", "joint_space", "stewart_trinkle"),
        "reuleaux": ("compliant_contact", "joint_space", "stewart_trinkle"),
        "rimless_wheel": ("compliant_contact", "joint_space", "sequential_impulses", "stewart_trinkle"),
        "rod_and_table": ("stewart_trinkle",), "rolling_shapes": ("joint_space", "stewart_trinkle"),
        "rope_bridge": ("compliant_contact", "joint_space"), "sand_pile": ("compliant_contact", "sequential_impulses"),
        "slider": ("joint_space", "subsystems"), "slider_crank": ("joint_space", "stewart_trinkle", "subsystems"),
        "spinning_ball_joint": ("joint_space", "stewart_trinkle", "subsystems"),
        "spinning_coin": ("joint_space", "stewart_trinkle"),
        "squealing_brake": ("compliant_contact", "joint_space", "stewart_trinkle"), "stack": ("joint_space", "stewart_trinkle"),
        "star_burst": ("compliant_contact", "joint_space", "stewart_trinkle"),
        "stewart_platform": ("compliant_contact", "joint_space", "sequential_impulses", "soft_steps", "stewart_trinkle",
                             "subsystems"),
        "stick_slip": ("compliant_contact", "joint_space", "sequential_impulses", "stewart_trinkle", "subsystems"),
        "stopping_distance": ("joint_space",), "superball": ("joint_space", "stewart_trinkle", "subsystems"),
        "tippe_top": ("compliant_contact", "joint_space", "sequential_impulses", "soft_steps", "stewart_trinkle"),
        "tipping_or_sliding": ("joint_space", "sequential_impulses", "stewart_trinkle"),
        "tumbling_t": ("event_driven", "joint_space", "stewart_trinkle", "subsystems"),
        "turntable": ("joint_space", "stewart_trinkle"), "two_ball_drop": ("event_driven",),
        "vibration_ratchet": ("compliant_contact", "joint_space", "stewart_trinkle"),
        "walking_toy": ("compliant_contact", "joint_space", "sequential_impulses", "soft_steps", "stewart_trinkle"),
        "watt_linkage": ("joint_space", "subsystems"),
        "woodpecker": ("compliant_contact", "joint_space", "sequential_impulses", "stewart_trinkle")}
"""Solvers that take more than a second for a scene, or minutes: left to STICTION_ALL_TESTS=1, and to the gallery."""


def reaches(scene: scenes.Scene, solver: str, dt: float) -> bool:
    """Whether all predictions come true under a solver with steps of dt [s].

    Raises:
        Unsupported: the solver rejects the scene.
    """
    try:
        world, trace = scenes.run(scene, world=scenes.world_under(scene, solver), dt=dt)
    except Diverged:
        return False
    except BadInput as error:
        if "has no contacts" in str(error):     # of the subsystems, told when bodies touch
            raise Unsupported(str(error)) from error
        if "too stiff for a step" in str(error):    # of compliant contact, as bodies touch
            return False
        raise
    return come_true(scene, world, trace)


def come_true(scene: scenes.Scene, world: World, trace: scenes.Trace) -> bool:
    """Whether all predictions hold in a run."""
    rows = scenes.predicted_and_measured(scene, scene.parameters(), world, trace)
    return all(prediction.holds(measured) for prediction, measured in rows)


def agrees(scene: scenes.Scene, solver: str, reached: bool) -> None:
    """Require that a solver reaches the predictions at the scene's step, or that the scene says why not; the reason must be true
    at that step or at half of it."""
    if reason := scene.unreached.get(solver):
        assert not reached or not reaches(scene, solver, 0.5 * scene.dt), f"it is reached, although '{reason}'"
    else:
        assert reached
