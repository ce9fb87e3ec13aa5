"""Panels opened late show earlier steps by replaying them."""

import numpy as np
import pytest

from app.engine import commands
from app.engine.simulation import Simulation
from app.panels import energy, joint_lens


@pytest.fixture
def late(person):
    """A door that was pushed open while nobody looked."""
    session, panels = person.session, person.window.gui.panels
    for name in ("energy", "joint_lens"):
        panels.all[name].open = False
        session._states.pop({"energy": energy.EnergyState, "joint_lens": joint_lens.JointLensState}[name], None)
    session.simulation.audited = False
    person.load("door")
    session.post(commands.set_time_share, 0.0)
    session.post(Simulation.set_speed, 0.5)
    session.post(Simulation.single_step, 100)
    assert person.wait(lambda: session.frame.step == 100)
    yield person
    session.post(Simulation.set_speed, 1.0)


def see_again(person, name):
    panels = person.window.gui.panels
    panels.open(name)
    person.look(4)
    panels.show(name)
    person.look(4)
    person.click(f"{name}/see again")
    assert person.wait(lambda: person.session.frame.step == 100 and person.session.frame.paused and not
                       person.session.simulation.player.playing, 30.0)
    person.look(3)


def test_a_replay_fills_the_joint_lens(late):
    see_again(late, "joint_lens")
    columns = late.session.state(joint_lens.JointLensState).history.columns(20.0)
    assert len(columns["time"]) > 10 and columns["time"][0] < 0.5 and columns["time"][-1] == pytest.approx(1.0)
    assert np.abs(columns["friction"]).max() == pytest.approx(20.0, rel=1e-6), "it slid"
    assert late.session.frame.past.last == 100, "nothing is forgotten"


def test_a_replay_fills_the_energy_panel(late):
    see_again(late, "energy")
    history = late.session.state(energy.EnergyState).history
    assert history.count > 10
    assert not late.window.gui.panels.all["energy"].error
    late.look(3)
    assert late.session.state(energy.EnergyState).layers is not None
