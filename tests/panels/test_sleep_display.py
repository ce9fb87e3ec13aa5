"""Display of sleeping: count, reasons, dimmer colours; options survive a reset."""

import numpy as np
import pytest

from app.engine import commands
from app.engine.frame import RealTimePace, capture
from app.engine.simulation import Simulation
from app.panels import inspector, status
from app.render.scene import instances as drawn
from app.render.scene.theme import THEMES
from app.render.scene.transforms import BodyTransforms
from app.session import Session
from physics import BadInput, step
from physics.core.records import BODY, SleepReason, WakeReason


def test_options_survive_a_reset_and_bad_values_are_refused():
    simulation = Simulation("stack")
    commands.set_sleeping(simulation, "enabled", True)
    commands.set_sleeping(simulation, "delay", 0.1)
    with pytest.raises(BadInput, match="delay"):
        commands.set_sleeping(simulation, "delay", -1.0)
    simulation.reset()
    assert simulation.world.sleeping.enabled and simulation.world.sleeping.delay == 0.1


def seen(world):
    return capture(world, scene="stack", dt=1 / 240, paused=True, before=(world.bodies["pos"], world.bodies["quat"]),
                   pace=RealTimePace())


def test_the_frame_marks_sleeping_bodies():
    """The status line counts, the colours of sleepers are dimmer, the contacts are still there to be drawn."""
    session = Session.open("stack")
    world = session.simulation.world
    awake = seen(world)
    world.sleeping.enabled, world.sleeping.delay = True, 0.05
    for _ in range(960):
        if step(world, 1 / 240).asleep:
            break
    frame = session.frame = seen(world)
    assert frame.report.asleep > 0 and f"{frame.report.asleep} asleep" in [text for text, _, _ in status.items(session)]
    assert len(frame.contacts) == len(world.sleep.contacts()[0]) > 0
    theme = next(iter(THEMES.values()))
    colours = [drawn.fill(f, BodyTransforms(f, 1.0), theme, -1, -1)[:, 12:15] for f in (awake, frame)]
    asleep = frame.bodies["asleep"][BodyTransforms(frame, 1.0).body] != 0
    assert asleep.any() and colours[1][asleep] == pytest.approx(drawn.ASLEEP * colours[0][asleep])
    assert np.array_equal(colours[1][~asleep], colours[0][~asleep])


def test_sleep_reasons_are_described():
    """Every reason has its words; those that name something name it."""
    row = np.zeros((), BODY)
    assert inspector.rest(row, (), ()) == ""
    row["sleep_reason"], row["wake_reason"], row["wake_cause"] = SleepReason.FAST, WakeReason.TOUCHED, 1
    assert inspector.rest(row, ("world", "ball"), ()) == "awake: it moves; woken: touched by ball"
    row["wake_reason"], row["wake_cause"] = WakeReason.JOINT, 0
    assert inspector.rest(row, ("world", "ball"), ("hinge",)).endswith("joint hinge")
    row["wake_cause"] = 7
    assert inspector.rest(row, ("world",), ()).endswith("joint")
    assert set(inspector.SLEEP_TEXTS) == set(SleepReason) and set(inspector.WAKE_TEXTS) == set(WakeReason) - {WakeReason.NEVER}
