"""Events panel in the real window: every case of a contact, and no name cut."""

from app.engine.simulation import Simulation
from app.i18n.imgui_translated import imgui
from app.panels import events as panel
from physics import Sphere
from physics.articulated.event_log import ContactCase

BALLS = (("above", 0.11, 0.0), ("leaves", 0.1, 1e-8), ("rests", 0.1, 0.0), ("a ball with a long name", 0.101, -2.0))
"""Names, heights [m] and speeds [m/s] of balls of 0.1 m that nothing pulls; slower than 1e-9 m in a step they still touch."""


class Watched:
    """imgui that notes the texts of cells and whether each fits into its cell."""

    def __init__(self):
        self.seen = []

    def __getattr__(self, name):
        return getattr(imgui, name)

    def text_unformatted(self, text):
        self.seen.append((text, imgui.calc_text_size(text).x <= imgui.get_content_region_avail().x + 1.0))
        imgui.text_unformatted(text)


def test_a_scene_that_the_solver_refuses_gets_the_reason_and_no_advice_to_choose_it(person, monkeypatch):
    said = []
    monkeypatch.setattr(panel.widgets, "wrapped", lambda text, colour=None: said.append(str(text)))
    for scene, advised in (("pendulum", False), ("collision_carts", True)):
        person.load(scene)
        person.session.window.open_panel("events")
        reason = panel.unsupported(person.session)["event_driven"]
        said.clear()
        person.look(4)
        assert bool(reason) != advised
        assert ("Choose it under Physics." in said) == advised
        assert any(text.startswith("It does not support this scene: ") and reason in text for text in said) != advised


def test_every_case_is_shown_and_no_text_is_cut(person, monkeypatch):
    person.load("double_pendulum_wall")
    session, before = person.session, person.session.frame.step

    def add_balls(simulation):
        simulation.world.set_gravity((0.0, 0.0, 0.0))
        for k, (name, height, speed) in enumerate(BALLS):
            simulation.world.add_body(Sphere(0.1), pos=(0.6 + 0.4 * k, 0.5, height), vel=(0.0, 0.0, speed), friction=0.0,
                                      restitution=0.5, name=name)

    session.post(add_balls)
    session.window.open_panel("events")
    session.post(Simulation.single_step)
    assert person.wait(lambda: session.frame.step > before and session.frame.report is not None)
    assert session.frame.report.events.cases == (ContactCase.APART, ContactCase.LEAVING, ContactCase.STAYING, ContactCase.APART)
    watched = Watched()
    person.look(3)
    monkeypatch.setattr(panel, "imgui", watched)
    person.look()
    texts = [text for text, _ in watched.seen]
    rows = list(zip(texts, texts[1:], texts[2:]))
    assert ("ground, above", "1", "apart") in rows and ("ground, leaves", "2b", "touching and leaving") in rows
    assert "ground - a ball with a long name" in texts
    assert not [text for text, fits in watched.seen if not fits]
