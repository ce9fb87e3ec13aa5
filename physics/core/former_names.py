"""Former names of modules, classes, attributes and options, so that scenes, panels and recordings of earlier versions still open.

An import of a former name gives the present module and one warning; so does the use of an attribute, an option or a keyword.
"""

import functools
import importlib
import inspect
import sys
import warnings
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_loader
from types import ModuleType
from typing import Any

import numpy as np

MODULES = {
    "physics.account": "physics.observe.report", "physics.auditing": "physics.observe.audit",
    "physics.auditing.contacts": "physics.observe.audit.contacts", "physics.auditing.found": "physics.observe.audit.worst_places",
    "physics.auditing.joints": "physics.observe.audit.joints", "physics.auditing.sums": "physics.observe.audit.sums",
    "physics.auditing.told": "physics.observe.audit.findings", "physics.auditing.verdict": "physics.observe.audit.verdict",
    "physics.beginning": "physics.observe.report", "physics.breaking": "physics.world.joints",
    "physics.check": "physics.core.check", "physics.coated": "physics.world.materials",
    "physics.collide.casting": "physics.collide.query_kernels", "physics.collide.filters": "physics.collide.broad",
    "physics.collide.hold": "physics.collide.continuous.tunnelling_guard",
    "physics.collide.seams": "physics.collide.edge_filter",
    "physics.collide.sweep": "physics.collide.continuous.conservative_advancement",
    "physics.collide.ways": "physics.collide.continuous.mechanism_paths",
    "physics.complementarity.given": "physics.complementarity.problem",
    "physics.complementarity.status": "physics.complementarity.problem", "physics.contact_law": "physics.contact.targets",
    "physics.contact_quantities": "physics.observe.contact_quantities", "physics.core.block": "physics.core.row",
    "physics.core.borrow": "physics.core.records", "physics.core.cache": "physics.core.compile.cache",
    "physics.core.compiling": "physics.core.compile.compiling", "physics.core.counting": "physics.core.compile.refcount",
    "physics.core.processor": "physics.core.compile.processor", "physics.core.signatures": "physics.core.compile.signatures",
    "physics.core.sources": "physics.core.compile.sources", "physics.core.storing": "physics.core.compile.compiling",
    "physics.core.turns": "physics.core.compile.lock", "physics.direct": "physics.dynamics.direct_joint_solver",
    "physics.doubts": "physics.world.sanity_checks", "physics.edited": "physics.world.bodies",
    "physics.effective_mass": "physics.constraints.effective_mass", "physics.errors": "physics.core.check",
    "physics.events": "physics.world.events", "physics.exercises": "physics.warmup.worlds",
    "physics.frames": "physics.core.frames", "physics.friction": "physics.contact.friction_cone",
    "physics.friction_cases": "physics.contact.friction_cone", "physics.geometry": "physics.shapes._geometry",
    "physics.integrate": "physics.dynamics.integrate", "physics.islands": "physics.dynamics.islands",
    "physics.joint_plan": "physics.constraints.joint_layout", "physics.joint_quantities": "physics.observe.joint_quantities",
    "physics.joint_rows": "physics.constraints.joint_rows", "physics.joint_settings": "physics.joints._settings",
    "physics.jointed": "physics.world.joints", "physics.lcp": "physics.solvers.lcp",
    "physics.lcp.aim": "physics.solvers.lcp.linearise", "physics.lcp.complement": "physics.solvers.lcp.fallbacks",
    "physics.lcp.cutting": "physics.solvers.lcp.substeps", "physics.lcp.directions": "physics.solvers.lcp.assemble",
    "physics.lcp.easing": "physics.solvers.lcp.energy_limit", "physics.lcp.ledger": "physics.solvers.lcp.energy_ledger",
    "physics.lcp.problem": "physics.solvers.lcp.assemble", "physics.lcp.round_cone": "physics.solvers.lcp.round_cone",
    "physics.lcp.solving": "physics.solvers.lcp.solving", "physics.lcp.stepping": "physics.solvers.lcp.step",
    "physics.lcp.store": "physics.solvers.lcp.store", "physics.ledger": "physics.dynamics.energy_ledger",
    "physics.linkage": "physics.constraints.joint_system", "physics.material": "physics.contact.material",
    "physics.materials": "physics.world.materials", "physics.matter": "physics.world.bodies",
    "physics.measure": "physics.dynamics.measure", "physics.mixing": "physics.contact.mixing",
    "physics.names": "physics.world.table", "physics.options": "physics.core.options",
    "physics.parts": "physics.stepping.parts", "physics.patches": "physics.constraints.contact_batches",
    "physics.plan": "physics.constraints.layout", "physics.plugins": "physics.core.plugins",
    "physics.quantities": "physics.observe.quantities", "physics.queries": "physics.world.queries",
    "physics.ramp": "physics.dynamics.kinematic_velocity", "physics.rejection": "physics.stepping.rejection",
    "physics.report": "physics.observe.report", "physics.rest": "physics.world.sleep",
    "physics.rows": "physics.constraints.rows", "physics.sleeping": "physics.world.sleep",
    "physics.snapshot": "physics.world.snapshot", "physics.sticking": "physics.dynamics.direct_joint_solver",
    "physics.stiffness": "physics.dynamics.stiffness", "physics.table": "physics.world.table",
    "physics.time_of_impact": "physics.stepping.time_of_impact", "physics.touching": "physics.collide.bounds",
    "physics.uncommon": "physics.constraints.extended_contacts", "physics.valid_geometry": "physics.world.validate_geometry",
    "physics.valid_tables": "physics.world.validate_tables", "physics.validity": "physics.world.validate",
    "physics.warm": "physics.warmup.compile", "physics.warnings": "physics.core.warnings",
    "physics.whole": "physics.stepping.transaction",
    "app.digits": "app.number_format", "app.gui.speaking": "app.i18n.imgui_translated",
    "app.render.sight": "app.render.scene.overlay_context", "app.render.ink": "app.render.scene.draw_list",
    "app.render.place": "app.render.scene.transforms", "app.render.theme": "app.render.scene.theme",
    "app.render.colours": "app.render.scene.colours", "app.engine.edits": "app.engine.undo.difference",
    "app.engine.undoing": "app.engine.undo.edit_list", "app.language": "app.i18n.translate",
    "app.render.camera.camera": "app.camera", "app.insight.prediction": "app.analysis.lessons.prediction"}
"""Full name of each module: in earlier versions, and today."""


PACKAGES = {"physics.audit": "physics.observe.audit.auditor", "physics.world": "physics.world.world"}
"""Former modules whose names became packages: only recordings, which name classes, refer to the module."""

MOVED = {"physics.audit": "physics.observe.audit", "physics.basics": "physics.core",
         "physics.subsystems": "physics.articulated.subsystems"}
"""Packages that moved with all their modules: full names in earlier versions, and today."""


CLASSES = {
    "physics.shapes._geometry:Pool": "GeometryPool", "physics.shapes._geometry:Geometry": "GeometryArrays",
    "physics.shapes._geometry:Data": "ShapeGeometry", "physics.world.events:Watch": "ContactTracker",
    "physics.world.sleep:Sleep": "SleepState", "physics.world.sleep:Options": "SleepOptions",
    "physics.observe.report:Account": "EnergyTotals", "physics.observe.report:Beginning": "StepStart",
    "physics.observe.audit.auditor:Options": "AuditOptions", "physics.solvers.lcp.step:Problem": "ProblemReport",
    "physics.solvers.sequential_impulses:Options": "ImpulseOptions", "physics.solvers.soft_steps:Options": "SoftOptions",
    "physics.solvers.stewart_trinkle:Options": "LcpOptions", "app.engine.undo.difference:Change": "EditDifference",
    "app.engine.undo.difference:Field": "FieldChange", "app.engine.undo.difference:Thing": "Item"}
"""Classes that recordings name, "module of today:former name", and their names today."""

FIELDS = {
    "Auditor": {"told": "warned"},
    "AuditOptions": {"on": "enabled", "quiet": "min_speed", "balance": "body_tolerance", "along": "slip_alignment",
                     "again": "reject_above"},
    "EditDifference": {"came": "added", "went": "removed"},
    "EnergyTotals": {"short": "budget_ended_steps", "failed": "audit_failures", "broken": "failures_by_rule",
                     "rays": "ray_endings", "limits": "pivot_limit_endings", "rest": "unexplained"},
    "Finding": {"title": "short_name"},
    "Frame": {"account": "energy_totals", "acting": "impulse_duration", "beginning": "step_start"},
    "ImpulseOptions": {"push_rate": "position_correction_rate", "push_iterations": "position_iterations",
                       "max_push": "max_correction_speed"},
    "LcpOptions": {"restitution": "impact_law", "linearise": "linearise_at", "layer": "boundary_layer",
                   "half_kick": "half_step_gravity", "fastest": "max_correction_speed"},
    "Material": {"essence": "without_coefficients"},
    "Prediction": {"offset": "level_offset"},
    "Report": {"counted": "iteration_unit", "numerical": "expected_loss", "parts": "substeps", "touching": "contacts_at_end"},
    "Scene": {"meant": "expected_warnings"},
    "SequentialImpulses": {"patient": ""},
    "SleepOptions": {"on": "enabled"},
    "Snapshot": {"account": "energy_totals", "acting": "impulse_duration", "beginning": "step_start",
                 "last_part": "last_part_dt", "unseen": "unchecked_bodies"},
    "SoftOptions": {"push_speed": "max_correction_speed"},
    "StepStart": {"since": "velocity_lag"},
    "StewartTrinkle": {"witness": "pivot_observer"},
    "Table": {"holes": "has_free_slots"},
    "Warnings": {"take": "pop_new"},
    "World": {"account": "energy_totals", "acting": "impulse_duration", "beginning": "step_start",
              "forget_lists": "invalidate_layout", "keeps_ledger": "records_energy", "lag": "velocity_lag",
              "last_part": "last_part_dt", "lists": "layout", "step_length": "current_dt", "unseen": "unchecked_bodies",
              "was_edited": "refresh_after_edit"},
}
"""Attributes, methods and fields by class: former names and those of today; "": there is none any more."""

VALUES = {("ImpulseOptions", "joints"): {"together": "direct"}}
"""Former values of options, and those of today."""

RECORDS = {"calm": "rest_time", "owed": "owed_impulse", "since": "velocity_lag", "late": "no_rebound",
           "pending": "pending_rebound", "turned": "normal_change", "warm": "warm_startable", "uncommon": "extended",
           "quiet": "min_speed", "balance": "body_tolerance", "along": "slip_alignment"}
"""Fields of the record types that recordings hold: former names and those of today."""


def accepts_former(kind: type) -> type:
    """Class decorator: attributes, methods and keyword arguments work by their former names, with one warning each."""
    names = {former: today for former, today in FIELDS[kind.__name__].items() if today}
    for former, today in names.items():
        setattr(kind, former, _alias(kind.__name__, former, today))
    make = kind.__init__
    if inspect.signature(make).parameters.keys().isdisjoint(names.values()):
        return kind

    @functools.wraps(make)
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        try:
            make(self, *args, **kwargs)
        except TypeError:
            if names.keys().isdisjoint(kwargs):
                raise
            make(self, *args, **{field_today(kind, name, True): value for name, value in kwargs.items()})

    kind.__init__ = __init__
    return kind


def _alias(kind: str, former: str, today: str) -> property:
    def warn() -> None:
        warnings.warn(f"{kind}.{former} is {kind}.{today} now", FutureWarning, stacklevel=3)

    def get(self: Any) -> Any:
        warn()
        return getattr(self, today)

    def put(self: Any, value: Any) -> None:
        warn()
        setattr(self, today, value)

    return property(get, put, doc=f"Former name of `{today}`.")


def field_today(kind: type, name: str, warns: bool = False) -> str:
    """The present name of a field or an option of a class; "": there is none any more."""
    today = FIELDS.get(kind.__name__, {}).get(name, name)
    if warns and today != name:
        warnings.warn(f"{kind.__name__}.{name} is {kind.__name__}.{today} now", FutureWarning, stacklevel=3)
    return today


def value_today(kind: type, name: str, value: Any) -> Any:
    """The present value of an option of that (present) name."""
    known = VALUES.get((kind.__name__, name))
    return known.get(value, value) if known and isinstance(value, str) else value


def record_today(dtype: np.dtype) -> np.dtype:
    """The type of a stored array with the present names of its fields."""
    if not dtype.names or RECORDS.keys().isdisjoint(dtype.names):
        return dtype
    fields = [dtype.fields[name] for name in dtype.names]
    return np.dtype({"names": [RECORDS.get(name, name) for name in dtype.names], "formats": [field[0] for field in fields],
                     "offsets": [field[1] for field in fields], "itemsize": dtype.itemsize})


def class_today(name: str) -> str:
    """The present name "module:class" of a class named in a recording."""
    module, _, qualname = name.partition(":")
    module = today(module)
    return f"{module}:{CLASSES.get(f'{module}:{qualname}', qualname)}"


def today(module: str) -> str:
    """The present name of a module named in a recording."""
    return PACKAGES.get(module) or _imported_today(module) or module


def _imported_today(module: str) -> str:
    """The present name of a module that is imported by a former one; "" if it is none."""
    if module in MODULES:
        return MODULES[module]
    package = next((name for name in MOVED if module == name or module.startswith(f"{name}.")), "")
    return MOVED[package] + module.removeprefix(package) if package else ""


class _Former(MetaPathFinder, Loader):
    def find_spec(self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None) -> ModuleSpec | None:
        return spec_from_loader(name, self) if _imported_today(name) else None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        now = _imported_today(spec.name)
        warnings.warn(f"the module {spec.name} is {now} now", FutureWarning, stacklevel=2)
        module = importlib.import_module(now)
        spec.loader_state = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        module.__spec__ = module.__spec__.loader_state      # it keeps its own name


def accept() -> None:
    """Make former names importable. They are searched first: a former package is the present one, in whose folder Python
    would find the present modules a second time, under their former names. No former name is one of today."""
    if not any(isinstance(finder, _Former) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Former())
