"""Truth bench: experiments with known numbers, the results of each solver, and each experiment as a scene."""

import math
from dataclasses import dataclass, field

import scenes
from app.analysis.studies.cost_vs_accuracy import name_of
from app.analysis.studies.truth_bench import BenchRun
from app.engine.simulation import Simulation
from app.gui.controls import style, tables, widgets
from app.gui.text.chinese_lines import ELLIPSIS
from app.i18n.imgui_translated import imgui
from app.i18n.message import message
from app.number_format import rounded
from app.session import Session
from physics import solvers
from scenes import truth
from scenes.truth import FAIL, KNOWN_LIMIT, OK, RATES, BenchRow, Experiment

TITLE = "Bench of truth"
PLACE = "bottom"
ORDER = 30
OPEN = False
GROUP = "Scene and lesson"
ABOUT = "experiments with known results"

EXPERIMENT_COLUMNS = (("experiment", 0.0, "Click to run the experiment as a scene. Each has a known result with its source."),
                      ("expected", 120.0, "Expected value: closed form, published value, or independent integration."),
                      *((f"{rate} Hz", 96.0, "Result of the selected solver at this step size.") for rate in RATES),
                      ("order", 52.0, "Order of convergence: error ~ h^p."))


@dataclass
class TruthState:
    """The results, and the solver whose results are shown."""

    bench: BenchRun = field(default_factory=BenchRun.of_page)
    solver: str = "sequential_impulses"


def draw(session: Session) -> None:
    state = session.state(TruthState)
    _head(session, state)
    if not tables.begin("truth", EXPERIMENT_COLUMNS):
        return
    lines = [line for topic, group in truth.topics().items() for line in (topic, *group)]
    for i in tables.visible_rows(len(lines)):
        _topic(lines[i]) if isinstance(lines[i], str) else _row(session, state, lines[i])
    tables.end()


def _topic(topic: str) -> None:
    """Draw the title of a group."""
    imgui.table_next_row()
    imgui.table_next_column()
    widgets.coloured(short := widgets.cut(topic), style.palette().dim)
    if short.endswith(ELLIPSIS):
        widgets.tooltip(topic)


def _head(session: Session, state: TruthState) -> None:
    """Draw the choice of solver, and the button that measures now."""
    bench = state.bench
    chosen = widgets.choice("solver", state.solver, tuple(solvers.available()), "Solver whose results are shown.", name_of)
    state.solver = chosen or state.solver
    name = session.frame.scene.removeprefix(scenes.TRUTH)
    known = truth.all_experiments()
    if bench.running:
        if widgets.button("Cancel", "Cancel the measurement.", name="cancel truth", width=widgets.scaled(90.0)):
            bench.cancel()
        imgui.same_line()
        widgets.bar(bench.progress, known[bench.now].title if bench.now in known else "", style.palette().dim)
        return
    if name in known:
        if widgets.button("Measure this one", "Run the current experiment with every solver at 60, 240 and 1000 Hz in the "
                                              "background.", name="measure one", accent=True):
            bench.start((name,))
        imgui.same_line()
    if widgets.button("Measure all", "Run all experiments with every solver at 60, 240 and 1000 Hz in the background; takes "
                                     "several minutes.", name="measure all"):
        bench.start(tuple(known))
    hold, limits, fail = (sum(row.verdict == verdict for (_, solver, _), row in bench.rows.items() if solver == state.solver)
                          for verdict in (OK, KNOWN_LIMIT, FAIL))
    text = message("{hold} passed, {limits} known limits, {fail} failed", hold=hold, limits=limits, fail=fail)
    widgets.same_line(text, 0.0)
    widgets.wrapped(text, style.palette().dim)


def _row(session: Session, state: TruthState, experiment: Experiment) -> None:
    """Draw one experiment."""
    name = scenes.TRUTH + experiment.name
    imgui.table_next_row()
    imgui.table_next_column()
    if imgui.selectable(f"{widgets.cut(experiment.title)}###{name}", session.frame.scene == name)[0]:
        session.post(Simulation.load, name)
    widgets.register_area(name)
    if imgui.is_item_hovered():
        widgets.tooltip(f"{experiment.title}\n{experiment.quantity}\n{experiment.law}\n{experiment.source}")
    imgui.table_next_column()
    widgets.right(f"{rounded(experiment.wanted)} {experiment.unit}".rstrip())
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


def _cell(row: BenchRow, now: bool) -> None:
    """Draw a result; dim: stored before this session."""
    p = style.palette()
    if row.verdict not in (OK, KNOWN_LIMIT, FAIL):
        widgets.dim_text(row.verdict)
    else:
        widgets.right(rounded(row.obtained) if math.isfinite(row.obtained) else row.verdict,
                      p.warn if row.verdict in (KNOWN_LIMIT, FAIL) else p.text if now else p.dim)
    if imgui.is_item_hovered():
        widgets.tooltip(message("error {error}, allowed {tolerance}", error=rounded(row.error, 2),
                                tolerance=rounded(row.tolerance, 2))
                        + (f"\n{row.verdict}" if row.verdict == KNOWN_LIMIT else "") + (f"\n{row.note}" if row.note else ""))
