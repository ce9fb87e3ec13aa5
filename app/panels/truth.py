"""The bench of truth: experiments whose numbers are known, what each solver made of them, and each as a scene."""

import math
from dataclasses import dataclass, field

import scenes
from app.digits import few
from app.gui.controls import style, tables, widgets
from app.gui.speaking import imgui
from app.insight.accuracy import name_of
from app.insight.truth import Beside
from app.session import Session
from physics import solvers
from scenes import truth
from scenes.truth import FAIL, OK, RATES, Experiment, Row

TITLE = "Bench of truth"
PLACE = "bottom"
ORDER = 30
OPEN = False

COLUMNS = (("experiment", 0.0, "Click: the experiment runs as a scene. A number is known for each, and where it comes from."),
           ("expected", 120.0, "By a closed form, a published number, or an integration of its own."),
           *((f"{rate} Hz", 96.0, "What came out at this step, of the chosen solver.") for rate in RATES),
           ("order", 52.0, "The error went with the step as h^p."))


@dataclass
class State:
    """What was measured, and of which solver it is shown."""

    bench: Beside = field(default_factory=Beside.of_page)
    solver: str = "sequential_impulses"


def draw(session: Session) -> None:
    state = session.memory(State)
    _head(session, state)
    if not tables.begin("truth", COLUMNS):
        return
    for topic, group in truth.topics().items():
        imgui.table_next_row()
        imgui.table_next_column()
        widgets.coloured(topic, style.palette().dim)
        for experiment in group:
            _row(session, state, experiment)
    tables.end()


def _head(session: Session, state: State) -> None:
    """Whose numbers are shown, and measuring them now."""
    bench = state.bench
    chosen = widgets.choice("solver", state.solver, tuple(solvers.available()), "Whose numbers are shown.", name_of)
    state.solver = chosen or state.solver
    name = session.simulation.scene_name.removeprefix(scenes.TRUTH)
    known = truth.all_experiments()
    if bench.running:
        if widgets.button("Cancel", "End the measuring.", name="cancel truth", width=widgets.px(90.0)):
            bench.cancel()
        imgui.same_line()
        widgets.bar(bench.progress, known[bench.now].title if bench.now in known else "", style.palette().dim)
        return
    if name in known:
        if widgets.button("Measure this one", "The experiment that runs as the scene, under every solver at 60, 240 and 1000 Hz, "
                          "beside the window.", name="measure one", accent=True):
            bench.start((name,))
        imgui.same_line()
    if widgets.button("Measure all", "Every experiment under every solver at 60, 240 and 1000 Hz, beside the window: some "
                      "minutes.", name="measure all"):
        bench.start(tuple(known))
    imgui.same_line()
    hold, fail = (sum(row.verdict == verdict for (_, solver, _), row in bench.rows.items() if solver == state.solver)
                  for verdict in (OK, FAIL))
    widgets.dim(f"{hold} hold, {fail} do not")


def _row(session: Session, state: State, experiment: Experiment) -> None:
    """One experiment."""
    name = scenes.TRUTH + experiment.name
    imgui.table_next_row()
    imgui.table_next_column()
    if imgui.selectable(f"{widgets.cut(experiment.title)}###{name}", session.frame.scene == name)[0]:
        session.post("load", name)
    widgets.mark(name)
    if imgui.is_item_hovered():
        widgets.tooltip(f"{experiment.title}\n{experiment.quantity}\n{experiment.law}\n{experiment.source}")
    imgui.table_next_column()
    widgets.right(f"{few(experiment.wanted())} {experiment.unit}".rstrip())
    order = math.nan
    for rate in RATES:
        row = state.bench.rows.get((experiment.name, state.solver, rate))
        imgui.table_next_column()
        if row is not None:
            order = row.order
            _cell(row, (row.experiment, row.solver, row.rate) in state.bench.fresh)
    imgui.table_next_column()
    if math.isfinite(order):
        widgets.right(f"{order:.1f}")


def _cell(row: Row, now: bool) -> None:
    """What came out; dim: written down before this session."""
    p = style.palette()
    if row.verdict not in (OK, FAIL):
        widgets.dim(row.verdict)
    else:
        widgets.right(few(row.obtained) if math.isfinite(row.obtained) else row.verdict,
                      p.warn if row.verdict == FAIL else p.text if now else p.dim)
    if imgui.is_item_hovered():
        widgets.tooltip(f"error {few(row.error, 2)}, allowed {few(row.tolerance, 2)}" + (f"\n{row.note}" if row.note else ""))
