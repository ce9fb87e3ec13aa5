"""Predictions of scenes under every solver: reached, or the scene says why not, or the solver does not support the scene."""


import pytest

import scenes
from physics import BadInput, Diverged, Unsupported, solvers
from tests.helpers import ALL_TESTS

NAMES = [name for name, scene in scenes.all_scenes().items() if scene.unreached is not None]
SLOW = {"books": ("compliant_contact", "stewart_trinkle"), "capstan": ("compliant_contact", "stewart_trinkle"),
        "card_house": ("compliant_contact", "joint_space"), "masonry_arch": ("joint_space",),
        "ragdoll": ("joint_space", "stewart_trinkle"), "rattleback": ("compliant_contact", "joint_space", "stewart_trinkle"),
        "spinning_coin": ("joint_space", "stewart_trinkle"),
        "tippe_top": ("compliant_contact", "joint_space", "soft_steps", "stewart_trinkle"),
        "woodpecker": ("compliant_contact", "joint_space", "stewart_trinkle")}
"""Solvers that take seconds for a scene, or minutes: left to STICTION_ALL_TESTS=1, and to the gallery."""

ENDLESS = {("card_house", "stewart_trinkle")}
"""Not waited for at all."""


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
        raise
    rows = scenes.predicted_and_measured(scene, scene.parameters(), world, trace)
    return all(prediction.holds(measured) for prediction, measured in rows)


@pytest.mark.parametrize("name", NAMES)
def test_reasons_name_other_solvers(name):
    scene = scenes.find(name)
    assert scene.predict and set(scene.unreached) <= set(solvers.available()) - {scene.solver}
    assert all(len(reason) > 20 for reason in scene.unreached.values())


@pytest.mark.parametrize("solver", solvers.available())
@pytest.mark.parametrize("name", NAMES)
def test_predictions_are_reached_under_every_solver(name, solver):
    """At the scene's step and at half of it; a reason why a solver does not reach them must be true at one of both."""
    scene = scenes.find(name)
    if solver == scene.solver:
        assert reaches(scene, solver, 0.5 * scene.dt), "the scene's own step is in test_scenes.py"
        return
    if (name, solver) in ENDLESS:
        pytest.skip(scene.unreached[solver])
    if solver in SLOW.get(name, ()) and not ALL_TESTS:
        pytest.skip("slow: STICTION_ALL_TESTS=1 runs it")
    try:
        reached = reaches(scene, solver, scene.dt)
        if reason := scene.unreached.get(solver):
            assert not reached or not reaches(scene, solver, 0.5 * scene.dt), f"it is reached, although '{reason}'"
        else:
            assert reached
    except Unsupported as error:
        assert solver not in scene.unreached, f"it is rejected: {error}"
        pytest.skip(str(error))
