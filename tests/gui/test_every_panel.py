"""Every panel in every scene, in a window of its own: the panels lie in it as no user has them."""

from collections import Counter

import scenes
from app.engine.simulation import Simulation
from app.gui.shell.panel_host import BARS
from tests.helpers import wait
from tests.tools.person import some_body


def test_every_panel_draws_in_every_scene(person, monkeypatch):
    """All at once: docked panels float here, since of a dock only one is drawn in a picture."""
    session, panels, drawn = person.session, person.window.gui.panels, Counter()
    for name, panel in panels.all.items():
        def draw(session, name=name, real=panel.module.draw):
            drawn[name] += 1
            real(session)

        monkeypatch.setattr(panel.module, "draw", draw)
        if panel.place not in (*BARS, "popup"):
            monkeypatch.setitem(vars(panel), "place", "float")
    for scene in scenes.all_scenes():
        session.post(Simulation.load, scene)
        session.post(Simulation.single_step, 5)
        assert wait(lambda scene=scene: (frame := session.thread.frame).scene == scene and frame.step >= 5), scene
        person.look()
        session.selection.body, session.selection.contact = some_body(session), 0
        drawn.clear()
        for name in panels.all:
            panels.open(name)
        person.look()
        assert [name for name in panels.all if not drawn[name]] == [], scene
        assert not [panel.error for panel in panels.all.values() if panel.error], scene
