"""What holds for a whole MJCF file: includes, settings, default classes, and which attributes are used or change nothing.

An attribute that is neither is told, element by element (`MjcfReader.note_unused`): what this program does not know is never left
out in silence.
"""

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from app.robots.model import Robot
from app.robots.xml_tree import Element, read

MAX_INCLUDES = 20

POSE = "pos quat axisangle euler xyaxes zaxis"
TARGETS = "joint jointinparent tendon site body refsite slidersite cranksite cranklength"

USED_ATTRIBUTES = {tag: frozenset(names.split()) for tag, names in {
    "compiler": "angle autolimits coordinate eulerseq meshdir assetdir inertiafromgeom inertiagrouprange strippath",
    "option": "gravity timestep actuatorgroupdisable",
    "flag": "gravity contact constraint limit frictionloss damper spring passive actuation clampctrl filterparent",
    "mesh": "name class file vertex face scale refpos refquat inertia",
    "geom": f"name class type {POSE} fromto size mesh mass density friction condim contype conaffinity group",
    "body": f"name childclass mocap {POSE}",
    "inertial": f"{POSE} mass diaginertia fullinertia",
    "joint": "name class type pos axis range limited ref frictionloss damping stiffness springref "
             "actuatorfrcrange actuatorfrclimited",
    "free": "name class type pos axis range limited ref springref",
    "actuator": f"kind name class group {TARGETS} gear ctrlrange ctrllimited forcerange forcelimited gaintype gainprm biastype "
                "biasprm kp kv dampratio",
    "exclude": "name body1 body2",
}.items()}
"""Attributes that are used, by tag; free: of joints of this type; actuator: of all kinds."""

HARMLESS_ATTRIBUTES = {tag: frozenset(f"user {names}".split()) for tag, names in {
    "compiler": "texturedir discardvisual usethread fitaabb convexhull alignfree fusestatic saveinertial exactmeshinertia",
    "option": "integrator cone jacobian solver iterations tolerance ls_iterations ls_tolerance noslip_iterations "
              "noslip_tolerance ccd_iterations ccd_tolerance mpr_iterations mpr_tolerance sdf_iterations sdf_initpoints "
              "apirate magnetic sleep_tolerance collision",
    "flag": "warmstart refsafe sensor midphase eulerdamp autoreset nativeccd island multiccd energy fwdinv invdiscrete equality "
            "sleep diagexact",
    "mesh": "normal texcoord smoothnormal content_type material",
    "geom": "material rgba hfield fitscale fluidshape fluidcoef",
    "body": "sleep", "inertial": "", "joint": "group", "free": "group align", "exclude": "",
    "actuator": "cranklength lengthrange actrange actlimited ctrldelay nsample interp delay",
}.items()}
"""Attributes without an effect on the motion, or on how it is computed there only; of fluids the option tells."""

SOFT_ATTRIBUTES = frozenset(("solref", "solimp", "solmix", "margin", "gap", "solreflimit", "solimplimit", "solreffriction",
                             "solimpfriction", "impratio"))
"""Attributes of soft constraints: told once for a file."""

PLAIN_WORDS = ("", "0", "false", "auto", "none", "enable")
"""Values, word by word, with which an attribute changes nothing."""

ACTUATORS = ("general", "motor", "position", "velocity", "intvelocity", "damper", "cylinder", "muscle", "adhesion", "dcmotor")
"""Tags of actuators: they share their defaults."""


@dataclass
class MjcfReader:
    """What is known while a file is read. classes: attributes by class and tag; folder: of the file; disabled: flags; groups: of
    the geoms that weigh; idle: groups of actuators that do not act.

    welded: the first body of those that are welded together, by body, "": the world; above: that which carries them; refs:
    coordinate of each joint at the start; soft: where attributes of SOFT_ATTRIBUTES are first.
    """

    robot: Robot
    folder: Path
    degrees: bool = True
    autolimits: bool = True
    sequence: str = "xyz"
    mesh_folder: str = ""
    strip_path: bool = False
    from_geoms: str = "auto"
    groups: tuple[float, float] = (-np.inf, np.inf)
    disabled: set[str] = field(default_factory=set)
    idle: set[int] = field(default_factory=set)
    classes: dict[str, dict[str, dict[str, str]]] = field(default_factory=lambda: {"main": {}})
    assets: dict[str, Element] = field(default_factory=dict)
    used_names: dict[str, int] = field(default_factory=dict)
    welded: dict[str, str] = field(default_factory=dict)
    above: dict[str, str] = field(default_factory=dict)
    refs: dict[str, float] = field(default_factory=dict)
    soft: dict[str, Element] = field(default_factory=dict)

    def angle(self, values: Any) -> Any:
        """Angles of the file in radians."""
        return np.radians(values) if self.degrees else values

    def off(self, *flags: str) -> bool:
        """Whether one of these flags is disabled."""
        return not self.disabled.isdisjoint(flags)

    def limited(self, element: Element, flag: str, numbers: str) -> bool:
        """Whether a range holds: by its flag, else by being there."""
        return {"true": True, "false": False}.get(element.attributes.get(flag, "auto"),
                                                  self.autolimits and numbers in element.attributes)

    def name(self, element: Element, tag: str) -> str:
        """The name of an element, or one that no other has."""
        given = element.attributes.get("name", "").strip()
        if given:
            return given
        self.used_names[tag] = self.used_names.get(tag, 0) + 1
        return f"{tag} {self.used_names[tag]} (line {element.line})"

    def resolved(self, element: Element, childclass: str) -> Element:
        """The element with the defaults of its class."""
        named = element.attributes.get("class", childclass)
        if named not in self.classes:
            raise element.refuse(f"there is no default class '{named}': add <default class=\"{named}\"> or correct the name")
        if element.tag in ACTUATORS:
            given = as_general(self.classes[named].get("actuator", {}), element)
            return Element(element.tag, given, element.file, element.line, element.children)
        own = self.classes[named].get(element.tag, {})
        for names in (("fromto", "pos"), ("quat", "axisangle", "euler", "xyaxes", "zaxis")):
            if any(name in element.attributes for name in names):
                own = {key: value for key, value in own.items() if key not in names}
        return Element(element.tag, {**own, **element.attributes}, element.file, element.line, element.children)

    def note_unused(self, element: Element, kind: str, of: str = "") -> None:
        """Note the attributes of an element that are not used and would change the motion. kind: in USED_ATTRIBUTES; of: name."""
        left = []
        for name, value in element.attributes.items():
            if name in USED_ATTRIBUTES[kind] | HARMLESS_ATTRIBUTES[kind] or all(_is_nothing(word) for word in value.split()):
                continue
            if name in SOFT_ATTRIBUTES:
                self.soft.setdefault(name, element)
            else:
                left.append(name)
        if left:
            of = f" of '{of}'" if of else ""
            self.robot.skip(element, f"{', '.join(sorted(left))}{of} {'are' if len(left) > 1 else 'is'} not used")

    def note_soft(self) -> None:
        """Note once which attributes of soft constraints the file has."""
        if self.soft:
            first = min(self.soft.values(), key=lambda element: element.line)
            self.robot.skip(first, f"{', '.join(sorted(self.soft))}: contacts, limits and friction are rigid here, not soft")


def _is_nothing(word: str) -> bool:
    try:
        return float(word) == 0.0
    except ValueError:
        return word in PLAIN_WORDS


def include(element: Element, folder: Path, chain: list[str]) -> None:
    """Put the contents of included files in the place of <include>."""
    children = []
    for child in element.children:
        if child.tag != "include":
            include(child, folder, chain)
            children.append(child)
            continue
        name = child.text("file")
        path = folder / name
        if Path(name).is_absolute() or ".." in Path(name).parts or not path.resolve().is_relative_to(folder):
            raise child.refuse(f"'{name}' is outside of the folder of {chain[0]} and is not read: copy it there")
        if not path.is_file():
            raise child.refuse(f"'{name}' is not there: copy it beside {chain[0]}")
        if name in chain or len(chain) > MAX_INCLUDES:
            raise child.refuse(f"'{name}' includes itself, or too many files include one another: remove this <include>")
        inner = read(path)
        include(inner, folder, [*chain, name])
        children += inner.children
    element.children = children


def read_settings(reader: MjcfReader, top: Element) -> None:
    """Take compiler, options, default classes and meshes; raises BadInput."""
    for tag, act in (("compiler", _compiler), ("option", _option), ("default", _defaults), ("asset", _assets)):
        for element in top.all(tag):
            act(reader, element)


def _compiler(reader: MjcfReader, element: Element) -> None:
    given = element.attributes
    reader.degrees = given.get("angle", "degree" if reader.degrees else "radian") != "radian"
    reader.autolimits = given.get("autolimits", "true") != "false"
    reader.sequence = given.get("eulerseq", reader.sequence)
    reader.mesh_folder = given.get("meshdir", given.get("assetdir", reader.mesh_folder))
    reader.strip_path = given.get("strippath", "false") == "true"
    reader.from_geoms = given.get("inertiafromgeom", reader.from_geoms)
    reader.groups = tuple(element.numbers("inertiagrouprange", 2, reader.groups).tolist())
    if given.get("coordinate", "local") != "local":
        raise element.refuse("global coordinates are not supported: save the file with a MuJoCo of version 2.3.4 or later")
    if not re.fullmatch("[xyzXYZ]{3}", reader.sequence):
        raise element.refuse(f"eulerseq=\"{reader.sequence}\" must be three letters of xyzXYZ")
    reader.note_unused(element, "compiler")


def _option(reader: MjcfReader, element: Element) -> None:
    robot = reader.robot
    robot.set_gravity(element, element.numbers("gravity", 3, robot.gravity))
    robot.dt = element.number("timestep", robot.dt)
    if not 1e-6 <= robot.dt <= 0.1:
        raise element.refuse(f"timestep = {robot.dt:g} s must be 1e-6 .. 0.1 s")
    for flag in element.all("flag"):
        reader.disabled |= {name for name, value in flag.attributes.items() if value == "disable"}
        reader.note_unused(flag, "flag")
        if flag.attributes.get("gravity") == "disable":
            robot.gravity = (0.0, 0.0, 0.0)
    if "actuatorgroupdisable" in element.attributes:
        reader.idle |= {int(group) for group in element.numbers("actuatorgroupdisable", range(1, 32))}
    reader.note_unused(element, "option")


def _defaults(reader: MjcfReader, element: Element, parent: str = "") -> None:
    name = element.attributes.get("class", "main")
    own = {tag: dict(values) for tag, values in reader.classes.get(parent or name, {}).items()}
    for child in element.children:
        if child.tag in ACTUATORS:
            own["actuator"] = as_general(own.get("actuator", {}), child)
        elif child.tag != "default":
            own[child.tag] = {**own.get(child.tag, {}), **child.attributes}
    reader.classes[name] = own
    for child in element.all("default"):
        child.text("class")
        _defaults(reader, child, name)


def _assets(reader: MjcfReader, element: Element) -> None:
    for one in element.children:
        if one.tag == "mesh":
            one = reader.resolved(one, "main")
            name = one.attributes.get("name") or Path(one.attributes.get("file", "")).stem
            reader.assets[name] = one
            reader.note_unused(one, "mesh", name)
        elif one.tag not in ("material", "texture"):
            reader.robot.skip(one, "is not supported")


def as_general(base: dict[str, str], element: Element) -> dict[str, str]:
    """Attributes of an actuator, or of a default of one, as those of <general>: all kinds share the defaults of a class, base."""
    kind, given = element.tag, element.attributes
    made = {**base, **{name: value for name, value in given.items() if name not in ("kp", "kv")}, "kind": kind}
    before = base.get("kind", kind) in ("general", kind)
    own = Element(kind, {**made, **given}, element.file, element.line)
    gain = float(own.numbers("gainprm", range(1, 11), (1.0,))[0]) if before else 1.0
    if kind == "position":
        bias = own.numbers("biasprm", range(1, 11), (0.0, 0.0, 0.0)) if before else np.zeros(3)
        kp = own.number("kp", gain)
        kv = own.number("kv", -float(bias[2]) if len(bias) > 2 else 0.0)
        made |= {"gainprm": repr(kp), "biastype": "affine", "biasprm": f"0 {-kp!r} {-kv!r}"}
    elif kind == "velocity":
        kv = own.number("kv", gain)
        made |= {"gainprm": repr(kv), "biastype": "affine", "biasprm": f"0 0 {-kv!r}"}
    elif kind == "motor":
        made |= {"gainprm": "1", "biastype": "none", "biasprm": "0 0 0"}
    return made
