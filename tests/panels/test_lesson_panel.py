"""Lesson panel: judging, stored progress, and a lesson followed in the window."""

import dataclasses
import itertools
import math

import pytest

import scenes
from app.analysis.lessons import lesson as checks
from app.engine import commands
from app.engine.simulation import Simulation
from app.gui.controls import widgets
from app.i18n import translate
from app.i18n.imgui_translated import imgui
from app.panels import lesson as panel
from scenes.lessons import all_lessons
from tests.tools.person import fresh_spots
from tests.usability import ARM

INCLINE = all_lessons()["incline"]
FIRST, CHOICE = INCLINE.exercises[:2]


@pytest.fixture
def parameters():
    return scenes.find("incline").parameters()


def test_a_right_answer_is_right_within_its_tolerance(parameters):
    answer = FIRST.answer(parameters)
    assert checks.judge(FIRST, answer * 1.015, parameters, 0).right
    assert not checks.judge(FIRST, answer * 1.03, parameters, 0).right


def test_a_wrong_answer_shows_a_matching_hint(parameters):
    answer = FIRST.answer(parameters)
    without_friction = 9.81 * math.sin(math.radians(parameters.angle))
    assert "without friction" in checks.judge(FIRST, without_friction, parameters, 0).help
    assert "sign" in checks.judge(FIRST, -answer, parameters, 0).help
    assert "unit" in checks.judge(FIRST, 1000.0 * answer, parameters, 0).help
    assert [checks.judge(FIRST, 7.7, parameters, tries).help for tries in (0, 1, 2)] == [*FIRST.hints, FIRST.hints[-1]]
    assert not checks.judge(FIRST, math.nan, parameters, 0).right and not checks.judge(FIRST, math.inf, parameters, 0).right


def test_a_choice_is_judged_for_the_parameters_of_the_question(parameters):
    asked = CHOICE.parameters(scenes.find("incline"))
    assert asked.angle == 35.0
    assert checks.judge(CHOICE, 3.0, asked, 0).right and not checks.judge(CHOICE, 1.0, asked, 0).right


def test_placeholders_are_filled_outside_of_formulas():
    @dataclasses.dataclass
    class Given:
        mu: float = 0.123456
        case: str = "wall"

    assert checks.with_values("A {mu:.2f} $\\frac{mu}{2}$ {case}.", Given()) == "A 0.12 $\\frac{mu}{2}$ wall."


def test_a_quoted_parameter_is_rounded():
    """A bench was "tilted by 15.4247 degrees"."""
    @dataclasses.dataclass
    class Given:
        angle: float = 15.42471
        count: int = 12345

    assert checks.with_values("By {angle} degrees, {count} times.", Given()) == "By 15.42 degrees, 12345 times."


def test_progress_is_stored_and_can_be_reset(tmp_path):
    path = tmp_path / "deep" / "lessons.toml"
    progress = checks.LessonProgress(path)
    progress.tick("incline", INCLINE.steps[0])
    progress.answered("incline", FIRST, False)
    progress.answered("incline", FIRST, True, 1.92)
    progress.tick("door", all_lessons()["door"].steps[0])
    again = checks.LessonProgress(path)
    assert again.of("incline") == progress.of("incline") and again.done("incline", INCLINE) == (2, 8)
    assert again.of("incline").solved[FIRST.question] == 1.92 and again.of("incline").tries[FIRST.question] == 1
    again.tick("incline", INCLINE.steps[0], False)
    again.reset("door")
    last = checks.LessonProgress(path)
    assert last.done("incline", INCLINE) == (1, 8) and not last.of("door").ticked


def test_a_damaged_progress_file_is_left_unchanged(tmp_path):
    for text in ("[[[", "incline = 3", "[incline]\nsolved = 7", "[incline.tries]\na = 'much'"):
        path = tmp_path / "lessons.toml"
        path.write_text(text)
        progress = checks.LessonProgress(path)
        assert progress.trouble, text
        progress.tick("incline", INCLINE.steps[0])
        assert path.read_text() == text and progress.done("incline", INCLINE)[0] == 1


def test_an_unwritable_folder_is_reported(tmp_path):
    (tmp_path / "file").write_text("")
    progress = checks.LessonProgress(tmp_path / "file" / "lessons.toml")
    progress.tick("incline", INCLINE.steps[0])
    assert "could not save" in progress.trouble and progress.done("incline", INCLINE)[0] == 1


def test_formulas_have_a_plain_text():
    from app.gui.text.paragraph import after, non_breaking, plain, tokens

    assert plain("g\\,\\sin\\theta") == "g sin \u03b8"
    assert plain("s = v^2/(2 \\mu g)") == "s = v\u00b2/(2 \u03bc g)"
    assert plain("\\frac{5}{7} g") == "5/7 g" and plain("\\sqrt{2 g h}") == "sqrt(2 g h)"
    assert [word for _, word, _ in tokens("8 kg m$^2$ about")] == ["8", "kg", "m\u00b2", "about"]
    assert [non_breaking(tokens("8 kg m$^n$ about ($x$), $y$."), k) for k in range(9)] == [
        False, False, False, True, False, False, True, True, False]
    assert after(tokens("kg m$^n$, so"), 1) == 4
    assert tokens("a $x$, b") == ((False, "a", ""), (True, "", "x"), (False, ",", ""), (True, "b", ""))
    for lesson in all_lessons().values():
        for text in (t for e in lesson.exercises for t in (e.question, e.explanation)):
            for _, _, latex in tokens(text):
                assert not set("\\{}$") & set(plain(latex)), latex


def scroll_to(person, label):
    """Turn the wheel over the panel until a control is well within it."""
    for _ in range(60):
        _, y = person.spot(label)
        if 80 < y < 440:
            return
        person.move(150, 200)
        person.send("on_mouse_scroll", 150, 200, 0, -1 if y <= 80 else 1)
        person.look(3)
    raise AssertionError(f"{label} cannot be scrolled to")


def test_a_lesson_is_followed_in_the_window(person):
    from app.panels.exercises import ExercisesState

    person.load("incline")
    session = person.session
    session.window.open_panel("exercises")
    state = session.state(ExercisesState)
    person.look(6)
    state.progress.reset("incline")
    assert person.wait(lambda: state.lesson is INCLINE)
    scroll_to(person, "exercises/##step 2")
    person.click("exercises/##step 2")
    assert INCLINE.steps[1].text in state.progress.of("incline").ticked
    scroll_to(person, "exercises/do 3")
    # pictures may be seconds apart on a busy machine, and the boxes soon leave the bench
    session.post(Simulation.set_speed, 0.25)
    person.click("exercises/do 3")
    assert person.wait(lambda: session.simulation.parameters.angle == 15.0)
    assert person.wait(lambda: INCLINE.steps[2].text in state.progress.of("incline").ticked), "it ticks itself"
    session.post(Simulation.pause)
    session.post(Simulation.set_speed, 1.0)
    for text, solved in (("2.9", False), ("1,92", True)):
        state.answers[FIRST.question].text = ""
        scroll_to(person, "exercises/answer 1")
        person.click("exercises/answer 1")
        for letter in text:
            person.send("on_text", letter)
        scroll_to(person, "exercises/check 1")
        person.click("exercises/check 1")
        assert (FIRST.question in state.progress.of("incline").solved) == solved
    scroll_to(person, "exercises/start over")
    person.click("exercises/start over")
    assert state.progress.done("incline", INCLINE)[0] <= 3, "only what the simulation shows now"


def test_steps_are_ticked_behind_another_tab(person):
    """The first step of the spool opens another tab, and the next ones waited until the lesson's was in front again."""
    from app.panels.exercises import ExercisesState

    person.load("spool")
    session, state = person.session, person.session.state(ExercisesState)
    session.window.open_panel("exercises")
    person.look(6)
    state.progress.reset("spool")
    session.window.open_panel("lesson")
    person.look(6)
    assert not any(spot.startswith("exercises/") for spot in fresh_spots(person))
    session.post(Simulation.run)
    try:
        assert person.wait(lambda: state.lesson.steps[1].text in state.progress.of("spool").ticked, 20.0)
    finally:
        session.post(Simulation.pause)


def test_start_over_fits_in_a_narrow_panel_with_large_letters(person):
    from app.panels.exercises import ExercisesState

    person.load("incline")
    person.session.window.open_panel("exercises")
    gui, state = person.window.gui, person.session.state(ExercisesState)
    person.look(6)
    state.progress.tick("incline", INCLINE.steps[1])
    size = person.window.get_size()
    try:
        translate.set_language("ru")
        person.window.set_size(1000, 700)
        gui.set_style("dark", 2.0)
        person.look(8)
        edge = imgui.internal.find_window_by_name(gui.panels.all["exercises"].window).inner_rect.max.x
        assert fresh_spots(person)["exercises/start over"][2] <= edge
    finally:
        translate.set_language("en")
        person.window.set_size(*size)
        gui.set_style("dark", 1.0)
        person.look(8)


def test_a_live_slider_acts_on_the_scene_that_runs_and_follows_the_time_shown(person):
    person.load("incline")
    session = person.session
    session.window.open_panel("lesson")
    build = session.frame.setting.build
    session.post(Simulation.single_step, 5)
    assert person.wait(lambda: session.frame.step == 5)
    scroll_to(person, "lesson/angle")
    person.type_into("lesson/angle", "35")
    assert person.wait(lambda: session.parameters.angle == 35.0) and session.frame.step == 5
    assert session.frame.setting.build == build and session.frame.setting.parameters.angle == 25.0
    session.post(Simulation.single_step, 30)
    assert person.wait(lambda: session.frame.step == 35)
    assert session.frame.bodies["omega"][session.frame.body_names.index("lane 3"), 1] > 0.0, "it turns"
    for step, angle in ((3, 25.0), (35, 35.0)):
        session.post(commands.go_to_step, step)
        assert person.wait(lambda step=step: session.frame.step == step)
        assert session.parameters.angle == angle
    session.post(Simulation.reset)
    assert person.wait(lambda: session.frame.step == 0 and session.frame.setting.parameters.angle == 35.0)


def test_what_rebuilds_has_a_sign_and_rebuilds(person):
    person.load("drawer")
    session = person.session
    session.window.open_panel("lesson")
    scroll_to(person, "lesson/near")
    signs = {spot for spot in fresh_spots(person) if spot.startswith("lesson/sign of ")}
    assert signs == {"lesson/sign of near", "lesson/sign of far"}
    session.post(Simulation.single_step, 5)
    assert person.wait(lambda: session.frame.step == 5)
    build = session.frame.setting.build
    person.type_into("lesson/near", "0.1")
    assert person.wait(lambda: session.frame.setting.parameters.near == 0.1)
    assert session.frame.setting.build > build and session.frame.step == 0


def test_a_switch_that_rebuilds_has_a_sign_too(person, tmp_path):
    path = tmp_path / "arm.urdf"
    path.write_text(ARM)
    person.send("on_file_drop", 100, 100, [str(path)])
    assert person.wait(lambda: "tip" in person.session.frame.body_names)
    person.session.window.open_panel("lesson")
    assert person.wait(lambda: "lesson/motors" in fresh_spots(person))
    spots = fresh_spots(person)
    assert {f"lesson/sign of {name}" for name in ("convex parts", "largest dent", "floating base", "motors")} <= set(spots)
    person.load("pyramid")


def test_where_the_law_predicts_nothing_that_is_said_and_the_scene_runs(person, monkeypatch):
    """A capstan without friction, which slips at once; then one with friction."""
    person.load("capstan")
    person.session.window.open_panel("lesson")
    said, wrapped = [], widgets.wrapped
    monkeypatch.setattr(widgets, "wrapped", lambda text, *colour: (said.append(text), wrapped(text, *colour))[1])
    nothing = "The law predicts nothing for these parameters; the scene runs all the same."
    person.session.set_parameter("mu", 0.0)
    assert person.wait(lambda: nothing in said)
    step = person.session.frame.step
    person.session.post(Simulation.single_step, 5)
    assert person.wait(lambda: person.session.frame.step == step + 5)
    person.session.set_parameter("mu", 0.3)
    answer = "pull at which the chain slips"
    assert person.wait(lambda: said.clear() or person.look(40) or (answer in said and nothing not in said))


def test_a_change_of_a_live_parameter_says_whether_the_measurement_starts_anew(person, monkeypatch):
    said, wrapped = [], widgets.wrapped
    monkeypatch.setattr(widgets, "wrapped", lambda text, *colour: (said.append(str(text)), wrapped(text, *colour))[1])
    for scene, name, value, expected in (("incline", "angle", 30.0, "measured anew since then"),
                                         ("door", "max_friction", 10.0, "the measurement includes the time before")):
        person.load(scene)
        session = person.session
        session.window.open_panel("lesson")
        session.post(Simulation.single_step, 5)
        assert person.wait(lambda session=session: session.frame.step == 5)
        said.clear()
        session.set_parameter(name, value)
        assert person.wait(lambda expected=expected: any(expected in text for text in said), 10.0), scene
        assert len([text for text in said[-12:] if "Parameters changed" in text and expected not in text]) == 0


def test_rounding_errors_are_no_numbers_to_read():
    assert [panel.measured_text(number) for number in (0.0, -1e-11, 1e-8, 1.92324)] == ["0", "~0", "10\u207b\u2078", "1.9232"]
    assert [panel.deviation_text(number, 0.0) for number in (0.0, -1e-11, 1e-3)] == ["0", "< 10\u207b\u2079", "0.001"]
    assert panel.deviation_text(4.1459, 0.0, " m/s\u00b2") == "4.15 m/s\u00b2", "with its unit, and as many digits as are read"
    assert panel.deviation_text(1.01, 1.0) == "+1 %"


@pytest.mark.parametrize("width", [600, 1200])
def test_predicted_and_measured_numbers_do_not_cover_each_other(person, width):
    person.load("incline")
    person.session.window.open_panel("lesson")
    person.session.post(Simulation.single_step, 20)
    assert person.wait(lambda: person.session.frame.step == 20)
    try:
        person.window.set_size(width, 1000)
        person.wait(lambda: person.window.get_size()[0] == width, 10.0)
        last = "lesson/acceleration of box 1, on mu = 0.25: deviation"
        assert person.wait(lambda: last in fresh_spots(person))
        spots = fresh_spots(person)
        cells = [spots[f"lesson/acceleration of box 1, on mu = 0.25: {head}"] for head, _ in panel.HEADS]
        for (_, _, x1, y1), (x0, y0, _, _) in itertools.pairwise(cells):
            assert x0 >= x1 or y0 >= y1
    finally:
        person.window.set_size(1200, 800)
        person.wait(lambda: person.window.get_size()[0] == 1200, 10.0)
