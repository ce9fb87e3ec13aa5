"""Lesson of the scene: steps that the simulation ticks, exercises that it checks, progress."""

import math
import time
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from app.analysis.lessons import lesson as checks
from app.analysis.lessons.prediction import PersonalPrediction
from app.engine import commands
from app.engine.simulation import Simulation
from app.files.folders import data_folder
from app.gui.controls import icons, style, widgets
from app.gui.controls.values import parse, pretty
from app.gui.text.paragraph import paragraph
from app.i18n.imgui_translated import imgui
from app.i18n.message import message
from app.number_format import rounded
from app.panels._predict_first import ask_first
from app.render.view_options import named
from app.session import Selection, Session
from scenes.lessons import RUN, Action, Exercise, Lesson, Step, lesson_of

TITLE = "Lesson"
PLACE = "left"
ORDER = 25
GROUP = "Scene and lesson"
ABOUT = "steps and exercises of this scene"

MEASURE_INTERVAL = 0.4
"""Interval between two checks of the simulation [wall s]."""

SAME_TIME = 0.1
"""Distance within which a time of the past counts as gone back to [s]."""


@dataclass
class TypedAnswer:
    """The user's input for one exercise, and the reply to it."""

    text: str = ""
    verdict: checks.AnswerVerdict | None = None
    measured: float | None = None


@dataclass
class ExercisesState:
    """Progress, and the answers in the present scene by question. already: texts of steps whose actions were performed when the
    lesson began, as with an open panel or an overlay of the scene: those are not the student's doing."""

    progress: checks.LessonProgress = field(default_factory=lambda: checks.LessonProgress(data_folder() / "lessons.toml"))
    wall: float = 0.0
    scene: str = ""
    lesson: Lesson | None = None
    answers: dict[str, TypedAnswer] = field(default_factory=dict)
    already: set[str] = field(default_factory=set)

    def begin(self, session: Session, scene: str) -> None:
        """Begin the lesson of a scene, or begin it anew."""
        self.scene, self.lesson, self.answers, self.wall = scene, lesson_of(scene), {}, 0.0
        self.already = {step.text for step in (self.lesson.steps if self.lesson else ())
                        if step.done is None and performed(session, step.action)}


def draw(session: Session) -> None:
    follow(session)
    state, name = session.state(ExercisesState), session.frame.scene
    if state.lesson is None or session.scene is None:
        widgets.dim_text("This scene has no lesson.")
        return
    lesson = state.lesson
    _head(session, state, lesson)
    record = state.progress.of(name)
    widgets.heading("Steps")
    for number, step in enumerate(lesson.steps, 1):
        new = widgets.toggle(f"##step {number}", step.text in record.ticked,
                             "Ticked automatically when the simulation shows it; you can also tick it yourself.")
        if new is not None:
            state.progress.tick(name, step, new)
        imgui.same_line()
        imgui.begin_group()
        paragraph(checks.with_values(step.text, session.parameters),
                  style.palette().dim if step.text in record.ticked else None)
        action = step.action or (RUN if session.frame.paused and step.text not in record.ticked else None)
        if action and widgets.button(action.label, "Perform this step.", name=f"do {number}"):
            press(session, state, step)
        imgui.end_group()
    widgets.heading("Exercises")
    for number, exercise in enumerate(lesson.exercises, 1):
        imgui.push_id(number)
        _exercise(session, state, number, exercise)
        imgui.pop_id()


def _head(session: Session, state: ExercisesState, lesson: Lesson) -> None:
    done, whole = state.progress.done(state.scene, lesson)
    widgets.bar(done / whole, message("{what} of {whole}", what=done, whole=whole),
                style.palette().good if done == whole else style.palette().accent)
    if state.progress.trouble:
        widgets.wrapped(state.progress.trouble, style.palette().warn)
    label = widgets.fitting_label(icons.RESET, "Start over", "<")
    if done and widgets.button(label, "Clear all ticks and answers of this lesson.", name="start over"):
        state.progress.reset(state.scene)
        state.begin(session, state.scene)


def follow(session: Session) -> None:
    """Tick what the simulation shows and read the measured answers, a few times a second."""
    state, now = session.state(ExercisesState), time.perf_counter()
    if session.frame.scene != state.scene:
        state.begin(session, session.frame.scene)
    if state.lesson is None or session.scene is None or now - state.wall < MEASURE_INTERVAL:
        return
    state.wall = now
    check(session, state, state.lesson)


def check(session: Session, state: ExercisesState, lesson: Lesson) -> None:
    """Tick what the simulation and the window show now, and read the measured answers."""
    record = state.progress.of(state.scene)
    steps = [s for s in lesson.steps if s.text not in record.ticked]
    reach = [e for e in lesson.exercises if e.reached and e.question not in record.solved]
    asked = [e for e in lesson.exercises if e.measure and e.question in record.solved]
    if not (steps or reach or asked):
        return
    world, parameters, trace = session.frame.as_world, session.parameters, session.traces.table()
    for step in steps:
        seen = checks.shown(step.done, world, trace, parameters) if step.done else _newly_performed(session, state, step)
        if seen and session.frame.step:
            state.progress.tick(state.scene, step)
    for exercise in reach:
        if checks.shown(exercise.reached, world, trace, parameters):
            state.progress.answered(state.scene, exercise, True, 1.0)
    for exercise in asked:
        found = checks.measured(exercise, session.scene, world, trace, parameters)
        if found is not None:
            state.answers.setdefault(exercise.question, TypedAnswer()).measured = found


def _exercise(session: Session, state: ExercisesState, number: int, exercise: Exercise) -> None:
    p, record = style.palette(), state.progress.of(state.scene)
    solved = exercise.question in record.solved
    answer = state.answers.setdefault(exercise.question, TypedAnswer())
    parameters = exercise.parameters(session.scene)
    imgui.dummy(imgui.ImVec2(0.0, widgets.scaled(2.0)))
    head = message("Exercise {number}: right", number=number) if solved else message("Exercise {number}", number=number)
    widgets.coloured(head, p.good if solved else p.accent_strong)
    paragraph(checks.with_values(exercise.question, parameters))
    if solved:
        _solution(exercise, record.solved[exercise.question], answer, parameters)
    elif exercise.kind == "number":
        _number(state, number, exercise, answer, parameters)
    elif exercise.kind == "choice":
        _choice(state, exercise, answer, parameters)
    else:
        widgets.dim_text("Waiting for the simulation.")
        if widgets.button("Hint", "Show one more hint.", name=f"hint {number}"):
            state.progress.answered(state.scene, exercise, False)
            tries = record.tries[exercise.question] - 1
            answer.verdict = checks.AnswerVerdict(False, exercise.hints[min(tries, len(exercise.hints) - 1)])
    if not solved and answer.verdict is not None:
        paragraph(answer.verdict.help, p.warn)
    differs = exercise.kind != "reach" and session.parameters != parameters
    if differs and widgets.button("Set up", "Build the scene with the values of this exercise.", name=f"set up {number}"):
        session.post(Simulation.load, state.scene, parameters)


def _number(state: ExercisesState, number: int, exercise: Exercise, answer: TypedAnswer, parameters: Any) -> None:
    unit = pretty(exercise.unit)
    room = imgui.calc_text_size(unit).x + widgets.combo_width("Check")
    imgui.set_next_item_width(max(widgets.scaled(60.0), min(widgets.scaled(140.0), imgui.get_content_region_avail().x - room)))
    entered, answer.text = imgui.input_text_with_hint("##answer", "your answer", answer.text,
                                                      imgui.InputTextFlags_.enter_returns_true)
    widgets.register_area(f"answer {number}")
    widgets.tooltip(message("A number{unit}, within {tolerance:g} percent. Comma and point are both accepted.",
                            unit=message(" in {unit}", unit=unit) if unit else "", tolerance=100.0 * exercise.tolerance))
    if unit:
        imgui.same_line()
        widgets.dim_text(unit)
    imgui.same_line()
    if widgets.button("Check", "Check against the law. A wrong answer gives a hint.", name=f"check {number}") or entered:
        value, trouble = parse(answer.text, None, None, math.nan)
        if trouble:
            answer.verdict = checks.AnswerVerdict(False, f"{trouble[0].upper()}{trouble[1:]}.")
        else:
            _judge(state, exercise, answer, value, parameters)


def _choice(state: ExercisesState, exercise: Exercise, answer: TypedAnswer, parameters: Any) -> None:
    for k, text in enumerate(exercise.choices):
        if imgui.radio_button(text, answer.text == text):
            answer.text = text
            _judge(state, exercise, answer, float(k), parameters)
        widgets.register_area(f"choice {text}")
        widgets.tooltip("Select to check this answer.")


def _judge(state: ExercisesState, exercise: Exercise, answer: TypedAnswer, value: float, parameters: Any) -> None:
    tries = state.progress.of(state.scene).tries.get(exercise.question, 0)
    answer.verdict = checks.judge(exercise, value, parameters, tries)
    state.progress.answered(state.scene, exercise, answer.verdict.right, value)


def _solution(exercise: Exercise, given: float, answer: TypedAnswer, parameters: Any) -> None:
    """Draw the numbers side by side, with the explanation."""
    if exercise.kind == "number":
        unit = f" {pretty(exercise.unit)}" if exercise.unit else ""
        rows = (("your answer", given), ("predicted", exercise.answer(parameters)), ("measured", answer.measured))
        if imgui.begin_table("numbers", 3):
            for title, value in rows:
                imgui.table_next_column()
                widgets.dim_text(title)
                imgui.text_unformatted("not yet" if value is None else f"{rounded(value, 4)}{unit}")
            imgui.end_table()
    elif exercise.kind == "choice":
        widgets.coloured(exercise.choices[int(exercise.answer(parameters))], style.palette().good)
    paragraph(exercise.explanation, style.palette().dim)


def _newly_performed(session: Session, state: ExercisesState, step: Step) -> bool:
    """Whether what a step's action does has been done since the lesson began."""
    now = performed(session, step.action)
    if not now:
        state.already.discard(step.text)
    return now and step.text not in state.already


def performed(session: Session, action: Action) -> bool:
    """Whether what an action does has been done, by its button or otherwise."""
    if action.kind == "show":
        return all(getattr(session.view, name) for name in named(action.name))
    if action.kind == "panel":
        return session.shows_panel(action.name)
    if action.kind == "select":
        return [action.name] == [session.frame.body_names[body] for body in session.selection.bodies]
    if action.kind == "contact":
        return session.selection.contact in contacts_of(session, action.name)
    if action.kind == "time":
        frame = session.frame
        return frame.past.end - frame.time > 0.5 * frame.dt and abs(frame.time - action.value) < SAME_TIME
    if action.kind == "predict":
        return session.state(PersonalPrediction).on
    return (action.kind == "follow" and action.name in session.traces.keys) \
        or (action.kind == "speed" and session.simulation.speed == action.value)


def contacts_of(session: Session, name: str) -> list[int]:
    """Indices of the contacts of a body, by its name."""
    contacts, names = session.frame.contacts, session.frame.body_names
    body = names.index(name) if name in names else -1
    return np.flatnonzero((contacts["body_a"] == body) | (contacts["body_b"] == body)).tolist() if body >= 0 else []


def press(session: Session, state: ExercisesState, step: Step) -> None:
    """What the button of a step does; a step that the simulation does not tick is done by it."""
    act(session, step.action or RUN)
    if step.done is None:
        state.progress.tick(state.scene, step)


def act(session: Session, action: Action) -> None:
    """Perform the action of a step's button."""
    if action.kind == "set":
        session.post(commands.set_parameter, action.name, action.value)
        session.post(Simulation.run)
    elif action.kind == "option":
        session.post(commands.set_option, action.name, action.value)
        session.post(Simulation.reset)
        session.post(Simulation.run)
    elif action.kind == "dt":
        session.post(commands.set_dt, action.value)
        session.post(Simulation.reset)
        session.post(Simulation.run)
    elif action.kind in ("run", "speed"):
        if action.kind == "speed":
            session.post(Simulation.set_speed, action.value)
        session.post(Simulation.run)
    elif action.kind == "show":
        session.view.show(action.name)
    elif action.kind == "predict":
        session.window.open_panel("lesson")
        ask_first(session, True)
    elif action.kind == "panel":
        session.window.open_panel(action.name)
    elif action.kind == "follow":
        session.post(commands.follow, action.name)
    elif action.kind == "time":
        session.post(commands.go_to_time, action.value)
    elif action.kind == "contact":
        session.selection = Selection(contact=next(iter(contacts_of(session, action.name)), -1))
    elif action.kind == "select":
        names = session.frame.body_names
        session.selection = Selection(body=names.index(action.name) if action.name in names else -1)
