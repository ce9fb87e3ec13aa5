"""Former names of modules and classes, so that scenes, panels and recordings of earlier versions still open.

An import of a former name gives the present module and one warning.
"""

import importlib
import sys
import warnings
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_loader
from types import ModuleType

MODULES = {
    "physics.account": "physics.observe.report", "physics.auditing": "physics.audit",
    "physics.auditing.contacts": "physics.audit.contacts", "physics.auditing.found": "physics.audit.worst_places",
    "physics.auditing.joints": "physics.audit.joints", "physics.auditing.sums": "physics.audit.sums",
    "physics.auditing.told": "physics.audit.findings", "physics.auditing.verdict": "physics.audit.verdict",
    "physics.beginning": "physics.observe.report", "physics.breaking": "physics.world.joints",
    "physics.check": "physics.basics.check", "physics.coated": "physics.world.materials",
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
    "physics.effective_mass": "physics.constraints.effective_mass", "physics.errors": "physics.basics.check",
    "physics.events": "physics.world.events", "physics.exercises": "physics.warmup.worlds",
    "physics.frames": "physics.basics.frames", "physics.friction": "physics.contact.friction_cone",
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
    "physics.names": "physics.world.table", "physics.options": "physics.basics.options",
    "physics.parts": "physics.stepping.parts", "physics.patches": "physics.constraints.contact_batches",
    "physics.plan": "physics.constraints.layout", "physics.plugins": "physics.basics.plugins",
    "physics.quantities": "physics.observe.quantities", "physics.queries": "physics.world.queries",
    "physics.ramp": "physics.dynamics.kinematic_velocity", "physics.rejection": "physics.stepping.rejection",
    "physics.report": "physics.observe.report", "physics.rest": "physics.world.sleep",
    "physics.rows": "physics.constraints.rows", "physics.sleeping": "physics.world.sleep",
    "physics.snapshot": "physics.world.snapshot", "physics.sticking": "physics.dynamics.direct_joint_solver",
    "physics.stiffness": "physics.dynamics.stiffness", "physics.table": "physics.world.table",
    "physics.time_of_impact": "physics.stepping.time_of_impact", "physics.touching": "physics.collide.bounds",
    "physics.uncommon": "physics.constraints.extended_contacts", "physics.valid_geometry": "physics.world.validate_geometry",
    "physics.valid_tables": "physics.world.validate_tables", "physics.validity": "physics.world.validate",
    "physics.warm": "physics.warmup.compile", "physics.warnings": "physics.basics.warnings",
    "physics.whole": "physics.stepping.transaction",
    "app.digits": "app.number_format", "app.gui.speaking": "app.i18n.imgui_translated",
    "app.render.sight": "app.render.scene.overlay_context", "app.render.ink": "app.render.scene.draw_list",
    "app.render.place": "app.render.scene.transforms", "app.render.theme": "app.render.scene.theme",
    "app.render.colours": "app.render.scene.colours", "app.engine.edits": "app.engine.undo.difference",
    "app.engine.undoing": "app.engine.undo.edit_list", "app.language": "app.i18n.translate",
    "app.camera": "app.render.camera.camera", "app.insight.prediction": "app.analysis.lessons.prediction"}
"""Full name of each module: in earlier versions, and today."""


PACKAGES = {"physics.audit": "physics.audit.auditor", "physics.world": "physics.world.world"}
"""Former modules whose names are packages now: only recordings, which name classes, refer to the module."""


CLASSES = {
    "physics.shapes._geometry:Pool": "GeometryPool", "physics.shapes._geometry:Geometry": "GeometryArrays",
    "physics.shapes._geometry:Data": "ShapeGeometry", "physics.world.events:Watch": "ContactTracker",
    "physics.world.sleep:Sleep": "SleepState", "physics.world.sleep:Options": "SleepOptions",
    "physics.observe.report:Account": "EnergyTotals", "physics.observe.report:Beginning": "StepStart",
    "physics.audit.auditor:Options": "AuditOptions", "physics.solvers.lcp.step:Problem": "ProblemReport",
    "physics.solvers.sequential_impulses:Options": "ImpulseOptions", "physics.solvers.soft_steps:Options": "SoftOptions",
    "physics.solvers.stewart_trinkle:Options": "LcpOptions", "app.engine.undo.difference:Change": "EditDifference",
    "app.engine.undo.difference:Field": "FieldChange", "app.engine.undo.difference:Thing": "Item"}
"""Classes that recordings name, "module of today:former name", and their names today."""

FIELDS = {"Table": {"holes": "has_free_slots"}, "Report": {"counted": "iteration_unit"},
          "SequentialImpulses": {"patient": ""}, "StewartTrinkle": {"witness": "pivot_observer"},
          "EditDifference": {"came": "added", "went": "removed"}}
"""Fields of such classes: former names and those of today; "": there is none any more."""


WORLD = {"lists": "layout", "forget_lists": "invalidate_layout", "was_edited": "refresh_after_edit"}
"""Methods and attributes of a world: former names and present ones."""


def attribute_today(kind: type, name: str) -> str:
    """The present name of a former attribute of a world; one warning each.

    Raises:
        AttributeError: a world never had it.
    """
    if name not in WORLD:
        raise AttributeError(f"'{kind.__name__}' object has no attribute '{name}'")
    warnings.warn(f"World.{name} is World.{WORLD[name]} now", FutureWarning, stacklevel=3)
    return WORLD[name]


def class_today(name: str) -> str:
    """The present name "module:class" of a class named in a recording."""
    module, _, qualname = name.partition(":")
    module = today(module)
    return f"{module}:{CLASSES.get(f'{module}:{qualname}', qualname)}"


def today(module: str) -> str:
    """The present name of a module named in a recording."""
    return MODULES.get(module) or PACKAGES.get(module, module)


class _Former(MetaPathFinder, Loader):
    def find_spec(self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None) -> ModuleSpec | None:
        return spec_from_loader(name, self) if name in MODULES else None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        warnings.warn(f"the module {spec.name} is {MODULES[spec.name]} now", FutureWarning, stacklevel=2)
        module = importlib.import_module(MODULES[spec.name])
        spec.loader_state = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        module.__spec__ = module.__spec__.loader_state      # it keeps its own name


def accept() -> None:
    """Make former names importable. They are searched last, so a present module always takes precedence."""
    if not any(isinstance(finder, _Former) for finder in sys.meta_path):
        sys.meta_path.append(_Former())
