"""The panel Fit in the real window: data are dropped, a fit is run, its answers and curves are drawn and saved."""

import math

import numpy as np
import pytest

from app.analysis.friction_fit.plan import OpenedData, offered
from app.analysis.friction_fit.study import SET, FitRun
from app.engine import commands
from app.engine.scene_files.document import Document
from app.files import folders
from app.panels import fit
from tests.helpers import wait


@pytest.fixture
def fitting(person, monkeypatch):
    """The level slider; fits run in this process."""
    person.load("slider")
    person.session.post(commands.set_parameter, "tilt", 0.0)
    assert person.wait(lambda: person.session.parameters.tilt == 0.0)
    person.window.gui.panels.open("fit")
    person.forget(fit.FitState, OpenedData)
    monkeypatch.setattr(fit.FitRun, "beside_the_window", FitRun.of)
    person.look(6)
    yield person
    person.forget(fit.FitState, OpenedData)


def dropped(person, path, titles, *columns):
    path.write_text(titles + "\n" + "\n".join(",".join(map(repr, row)) for row in np.column_stack(columns).tolist()))
    person.send("on_file_drop", 100, 100, [str(path)])
    person.look(4)


def finished(person):
    state = person.session.state(fit.FitState)
    person.click("fit/run fit")
    assert wait(lambda: state.run.done, 250.0)      # pictures would take the time that the fit needs
    person.look(4)
    assert not state.run.problem and not person.window.gui.panels.all["fit"].error
    return {one.name: one for one in state.run.result.answers}


def test_a_dropped_video_is_fitted(fitting, tmp_path, monkeypatch):
    t = np.arange(0.0, 0.4, 0.025)
    noise = np.random.default_rng(1).normal(0.0, 2e-4, len(t))      # without any the step would be refined to the end
    dropped(fitting, tmp_path / "video.csv", "time [s],position [m]", t, 3.0 * t - 1.5 * t**2 + noise)
    fitting.click("fit/find max_friction")
    found = finished(fitting)
    force = found["max_friction"]
    assert force.value == pytest.approx(6.0, rel=5e-3) and force.lo < 6.0 < force.hi
    monkeypatch.setattr(folders, "documents", lambda: tmp_path)
    fitting.session.messages.clear()
    fit.save_report(fitting.session, fitting.session.state(fit.FitState).run.made, fitting.session.state(fit.FitState).run.result)
    assert "saved" in fitting.session.messages[-1].text and "<svg" in next(tmp_path.glob("slider-fit-*.html")).read_text()


def test_what_a_fit_waits_for_is_said(fitting, tmp_path, monkeypatch):
    said = []
    wrapped = fit.widgets.wrapped
    monkeypatch.setattr(fit.widgets, "wrapped", lambda text, *colour: (said.append(str(text)), wrapped(text, *colour))[1])
    fitting.look(3)
    assert fit.FORMAT_HELP in said
    t = np.arange(0.0, 0.4, 0.025)
    dropped(fitting, tmp_path / "video.csv", "time [s],position [m]", t, t)
    said.clear()
    fitting.look(3)
    assert fit.FORMAT_HELP not in said and any(text.startswith("Under Find, tick") for text in said)
    fitting.click("fit/find max_friction")
    said.clear()
    fitting.look(3)
    assert fit.RUN_HELP in said


def test_a_scene_that_is_opened_and_not_yet_shown_has_no_parameters_here(fitting, monkeypatch):
    """While a frame is being made the panel is drawn with the former one: it then kept that one's parameters for good."""
    session, state = fitting.session, fitting.session.state(fit.FitState)
    shown = state.scene, state.offered
    monkeypatch.setattr(session.simulation, "document", Document("other.toml"))
    monkeypatch.setattr(session.simulation, "scene_name", "other")
    fitting.look(2)
    assert (state.scene, state.offered) == shown == ("slider", offered(session.frame))


def test_a_set_is_shown_as_one(fitting, tmp_path):
    """Force growing by 4 N/s on 2 kg: sticks up to 8 N, then 5 N of friction."""
    t = np.arange(0.0, 3.0, 0.01)
    late = np.maximum(t - 2.0, 0.0)
    dropped(fitting, tmp_path / "log.csv", "time [s],velocity [m/s],force [N]", t, 1.5 * late + late**2, 4.0 * t)
    fitting.session.state(fit.FitState).wanted = ("static", "kinetic")
    found = finished(fitting)
    assert found["static"].kind == SET and found["static"].lo < 8.0 < found["static"].hi
    assert found["kinetic"].value == pytest.approx(5.0, abs=0.05) and math.isfinite(found["static"].hi)


def test_another_scene_forgets_the_fit_and_offers_its_own_parameters(fitting, tmp_path):
    state = fitting.session.state(fit.FitState)
    assert {"max_friction", "speed", "mu", "viscous", "stribeck"} <= set(state.offered)
    fitting.load("pyramid")
    assert state.run is None and "viscous" not in state.offered and "mu" in state.offered


def test_a_fit_that_cannot_be_planned_is_said(fitting, tmp_path):
    t = np.arange(0.0, 1.0, 0.05)
    dropped(fitting, tmp_path / "a.csv", "time [s],angle [deg]", t, t)
    state = fitting.session.state(fit.FitState)
    state.wanted = ("max_friction",)
    fitting.click("fit/run fit")
    assert "which quantity" in fitting.session.messages[-1].text and state.run is None
