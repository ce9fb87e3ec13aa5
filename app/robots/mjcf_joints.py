"""Joints and actuators of an MJCF file.

The joints of one body are one joint of ours where they are together one kind: two hinges through a point at right angles a
universal one, other hinges a ball, two slides (and a hinge across them) a planar one, a slide and a hinge along it a cylindrical
one, three slides at right angles one of six axes with all rotations locked. Limits, springs and friction of each go along where
the kind has them; what is lost is noted.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from app.robots.mjcf_file import MjcfReader
from app.robots.model import Link, Robot, RobotJoint
from app.robots.xml_tree import Element
from physics import Friction, Motor
from physics.core.quaternions import rotate

STRONGEST = 1e9
"""Force of a motor without a bound [N], [N m]."""


@dataclass
class _Axis:
    """A joint of the file. axis, point: world frame at zero; limit: from the start; spring: None: none."""

    element: Element
    name: str
    kind: str
    axis: np.ndarray
    point: np.ndarray
    law: Friction
    limit: tuple[float, float] | None = None
    spring: Motor | None = None


# ---- joints


def join(reader: MjcfReader, link: Link, parent: str, elements: list[Element]) -> None:
    """Add the joint of a body, of all its joints together."""
    robot, kinds = reader.robot, [element.attributes.get("type", "hinge") for element in elements]
    for element, kind in zip(elements, kinds, strict=True):
        if kind not in ("hinge", "slide", "ball", "free"):
            raise element.refuse(f"the type '{kind}' of a joint is none of hinge, slide, ball, free")
        reader.note_unused(element, "free" if kind == "free" else "joint", element.attributes.get("name") or link.name)
    carrier = reader.welded.get(parent, "")
    if link.static or not elements:
        reader.welded[link.name] = "" if link.static else carrier
        if not parent or robot.links[parent].static:
            link.static = True
        elif not link.static:
            robot.join(RobotJoint(f"weld of {link.name}", link.element, "fixed", parent, link.name, link.pose.pos, np.eye(3)[2]))
        return
    reader.welded[link.name], reader.above[link.name] = link.name, carrier
    if "free" in kinds:
        return
    name = reader.name(elements[0], "joint")
    axes = [_read_axis(reader, link, element, kind, name if k == 0 else element.attributes.get("name", kind))
            for k, (element, kind) in enumerate(zip(elements, kinds, strict=True))]
    joint = _single(reader, axes[0]) if len(axes) == 1 else _combined(reader, link, axes)
    if joint is not None:
        joint.parent, joint.child = parent, link.name
        joint.collide = not carrier or reader.off("filterparent")
        robot.join(joint)


def _read_axis(reader: MjcfReader, link: Link, element: Element, kind: str, name: str) -> _Axis:
    given = element.numbers("axis", 3, (0.0, 0.0, 1.0))
    length, turns = float(np.linalg.norm(given)), kind != "slide"
    if length < 1e-9:
        raise element.refuse("the axis of a joint has zero length: give a direction")
    found = _Axis(element, name, kind, rotate(link.pose.quat, given / length),
                  link.pose.at(element.numbers("pos", 3, (0.0, 0.0, 0.0))), _friction(reader, element, name))
    ref = element.number("ref", 0.0)
    ref = float(reader.angle(ref)) if turns else ref
    reader.refs[name] = ref
    if reader.limited(element, "limited", "range") and not reader.off("limit", "constraint"):
        lo, hi = element.numbers("range", 2)
        lo, hi = (float(reader.angle(lo)), float(reader.angle(hi))) if turns else (float(lo), float(hi))
        if lo > hi or (lo == hi and kind == "ball"):
            raise element.refuse(f"the range of joint '{name}' is the wrong way round: {element.attributes['range']}")
        found.limit = (lo - ref, hi - ref) if kind != "ball" else (0.0, hi)
    stiffness = _linear(reader, element, "stiffness", name)
    if stiffness > 0.0 and not reader.off("spring", "passive"):
        rest = element.number("springref", 0.0)
        found.spring = Motor("spring", (float(reader.angle(rest)) if turns else rest) - ref, stiffness=stiffness)
    return found


def _linear(reader: MjcfReader, element: Element, name: str, joint: str) -> float:
    """The first number of a polynomial."""
    values = element.numbers(name, (1, 2, 3), (0.0,))
    if values[1:].any():
        reader.robot.skip(element, f"{name} of '{joint}': only its first number is used, not those of higher powers")
    return float(values[0])


def _friction(reader: MjcfReader, element: Element, name: str) -> Friction:
    static, viscous = element.number("frictionloss", 0.0), _linear(reader, element, "damping", name)
    if min(static, viscous) < 0.0:
        raise element.refuse("frictionloss and damping must not be below zero")
    return Friction(static=0.0 if reader.off("frictionloss", "constraint") else static,
                    viscous=0.0 if reader.off("damper", "passive") else viscous)


def _single(reader: MjcfReader, axis: _Axis) -> RobotJoint:
    """A body's only joint."""
    kind = {"hinge": "revolute", "slide": "prismatic", "ball": "spherical"}[axis.kind]
    joint = RobotJoint(axis.name, axis.element, kind, "", "", axis.point, axis.axis, friction=axis.law)
    if axis.kind == "ball":
        if axis.limit is not None:
            reach = min(axis.limit[1], math.pi)
            joint.limits = {"swing": (0.0, reach), "twist": (-reach, reach)}
            reader.robot.skip(axis.element, f"range of '{axis.name}' limits swing and twist by themselves, not the whole turn")
        if axis.spring is not None:
            reader.robot.skip(axis.element, f"stiffness of '{axis.name}' is not used")
        return joint
    if axis.limit is not None:
        joint.limits = {"angle" if axis.kind == "hinge" else "travel": axis.limit}
        joint.start = min(max(0.0, axis.limit[0]), axis.limit[1])
    joint.motor = axis.spring
    return joint


# ---- several joints of a body


def _combined(reader: MjcfReader, link: Link, axes: list[_Axis]) -> RobotJoint | None:
    """Joints of a body as one; None: it is free."""
    slides, hinges = ([one for one in axes if one.kind == kind] for kind in ("slide", "hinge"))
    text = " and ".join(one.element.attributes.get("name", one.kind) for one in axes)
    first, name = axes[0].element, axes[0].name
    one_point = all(np.linalg.norm(one.point - axes[0].point) < 1e-9 for one in axes)
    if not slides:
        if len(hinges) == len(axes) == 2 and one_point and _square(*hinges):
            joint = RobotJoint(name, first, "universal", "", "", axes[0].point, axes[0].axis, across=axes[1].axis)
            return _with_axes(reader, joint, {"first": (hinges[0], 1.0), "second": (hinges[1], 1.0)},
                              {"first": hinges[:1], "second": hinges[1:]})
        apart = [] if one_point else ["the distances of their axes"]
        _note_lost(reader, axes, f"{text} of '{link.name}' are one ball joint", apart)
        return RobotJoint(name, first, "spherical", "", "", axes[0].point, axes[0].axis, friction=_common(reader, axes))
    if len(slides) == 2 and len(axes) - 2 == len(hinges) < 2 and all(_square(hinges[0], one) for one in slides if hinges):
        return _planar(reader, link, axes, slides, hinges, text)
    if len(slides) == len(hinges) == 1 == len(axes) - 1 and np.linalg.norm(np.cross(slides[0].axis, hinges[0].axis)) < 1e-6:
        joint = RobotJoint(name, first, "cylindrical", "", "", hinges[0].point, slides[0].axis)
        return _with_axes(reader, joint, {"travel": (slides[0], 1.0), "angle": (hinges[0], _sign(hinges[0], slides[0].axis))},
                          {"slide": slides, "turn": hinges})
    if len(slides) == 3:
        if len(axes) == 3 and all(_square(one, other) for one, other in zip(slides, slides[1:] + slides[:1], strict=True)):
            joint = RobotJoint(name, first, "six_dof", "", "", slides[2].point, slides[2].axis, across=slides[0].axis,
                               limits=dict.fromkeys(("rx", "ry", "rz"), (0.0, 0.0)))
            y = _sign(slides[1], np.cross(slides[2].axis, slides[0].axis))
            ways = {"x": (slides[0], 1.0), "y": (slides[1], y), "z": (slides[2], 1.0)}
            return _with_axes(reader, joint, ways, {"slide": slides})
        _note_lost(reader, axes, f"{text} of '{link.name}' leave it free", [], damping=True)
        return None
    raise first.refuse(f"the joints {text} of '{link.name}' have no counterpart: give '{link.name}' one joint, two slides "
                       "with a hinge across them, a slide with a hinge along it, hinges alone, or a freejoint")


def _planar(reader: MjcfReader, link: Link, axes: list[_Axis], slides: list[_Axis], hinges: list[_Axis], text: str) -> RobotJoint:
    normal = np.cross(slides[0].axis, slides[1].axis)
    joint = RobotJoint(axes[0].name, axes[0].element, "planar", "", "", (hinges or slides)[-1].point,
                       normal / np.linalg.norm(normal), across=slides[0].axis, limits={} if hinges else {"angle": (0.0, 0.0)})
    groups = {"slide": slides, **({"turn": hinges} if hinges else {})}
    if _square(*slides) and axes[-1] in (hinges or slides):
        ways = {"x": (slides[0], 1.0), "y": (slides[1], 1.0)}
        return _with_axes(reader, joint, {**ways, **({"angle": (hinges[0], _sign(hinges[0], normal))} if hinges else {})}, groups)
    _note_lost(reader, axes, f"{text} of '{link.name}' are one planar joint", [])
    joint.friction = {group: _common(reader, ones) for group, ones in groups.items()}
    return joint


def _square(one: _Axis, other: _Axis) -> bool:
    return abs(float(one.axis @ other.axis)) < 1e-6


def _sign(one: _Axis, direction: np.ndarray) -> float:
    return 1.0 if one.axis @ direction > 0.0 else -1.0


def _with_axes(reader: MjcfReader, joint: RobotJoint, ways: dict[str, tuple[_Axis, float]],
               groups: dict[str, list[_Axis]]) -> RobotJoint:
    """Give a joint of several axes the limits, springs and friction of those of the file. ways: by the name of our axis, with
    whether it points the same way; groups: by our group of friction."""
    motors = {}
    for name, (one, sign) in ways.items():
        if one.limit is not None:
            lo, hi = one.limit if sign > 0.0 else (-one.limit[1], -one.limit[0])
            if lo <= 0.0 <= hi:
                joint.limits = {**joint.limits, name: (lo, hi)}
            else:
                reader.robot.skip(one.element, f"range of '{one.name}', one of several of its body, is not used: it does not "
                                               "hold the start")
        if one.spring is not None:
            motors[name] = replace(one.spring, target=sign * one.spring.target)
    joint.friction = {group: _common(reader, ones) for group, ones in groups.items()}
    joint.motor = motors or None
    return joint


def _common(reader: MjcfReader, axes: Sequence[_Axis]) -> Friction:
    """One friction law for several axes: the strongest; noted where they differ."""
    laws = [one.law for one in axes]
    law = Friction(static=max(one.static for one in laws), viscous=max(one.viscous for one in laws))
    if any(one != law for one in laws):
        names = " and ".join(one.element.attributes.get("name", one.kind) for one in axes)
        reader.robot.skip(axes[0].element, f"damping or frictionloss of {names} differ: the largest acts in all their directions")
    return law


def _note_lost(reader: MjcfReader, axes: Sequence[_Axis], what: str, more: list[str], damping: bool = False) -> None:
    """Note which kind several joints are, and what of them is lost. damping: also their friction."""
    lost = [word for word, found in (("limits", [one.limit for one in axes]), ("springs", [one.spring for one in axes]),
                                     ("friction", [one.law if damping and one.law != Friction() else None for one in axes]))
            if any(one is not None for one in found)]
    lost += more
    reader.robot.skip(axes[0].element, f"{what}, without {' and '.join(lost)}" if lost else what)


# ---- actuators


def actuate(reader: MjcfReader, given: Element) -> None:
    """Take an actuator of a joint as its motor, with a control of zero, or the nearest one in its range."""
    robot, element = reader.robot, reader.resolved(given, "main")
    name, kind = element.attributes.get("name", element.tag), element.tag
    if reader.off("actuation") or int(element.number("group", 0.0)) in reader.idle:
        robot.skip(element, f"'{name}' is disabled in the file")
        return
    joint = next((joint for joint in robot.joints if joint.name == element.attributes.get("joint", "")), None)
    if joint is None or joint.kind not in ("revolute", "prismatic"):
        target = element.attributes.get("joint")
        if target and target not in {one.attributes.get("name") for one in _all_joints(robot)}:
            raise element.refuse(f"actuator '{name}' names the joint '{target}', which is not in the file: correct the name")
        robot.skip(element, f"'{name}' does not drive a joint of one axis and is not used")
        return
    if kind not in ("general", "position", "velocity", "motor"):
        robot.skip(element, f"'{name}' of this kind is not supported")
        return
    bias = np.zeros(3)
    if element.attributes.get("biastype") == "affine":
        values = element.numbers("biasprm", range(1, 11), (0.0, 0.0, 0.0))[:3]
        bias[: len(values)] = values
    gear = float(element.numbers("gear", range(1, 7), (1.0,))[0])
    if gear == 0.0:
        raise element.refuse(f"gear of actuator '{name}' is zero: correct it")
    push = float(element.numbers("gainprm", range(1, 11), (1.0,))[0]) * _control(reader, element) + bias[0]
    damped = "dampratio" in element.attributes and -bias[1] > 0.0
    if damped:
        bias[2] = -2.0 * element.number("dampratio") * math.sqrt(-bias[1] * _carried(robot, joint)) / abs(gear)
    if bias[1] == 0.0 and push:
        robot.skip(element, f"'{name}' pushes with {push * gear:g} N or N m at a control of zero, which is not used")
    elif not bias[1:].any():
        robot.skip(element, f"'{name}' pushes with its control, which is zero")
        return
    if bias[1] > 0.0 or bias[2] > 0.0:
        robot.skip(element, f"'{name}' has a bias that is neither spring nor damper")
    elif bias[1:].any():
        reader.note_unused(element, "actuator", name)
        target = -push / bias[1] / gear - reader.refs[joint.name] if bias[1] else 0.0
        _add_spring(reader, element, name, joint, Motor("spring", target, _strongest(reader, element, joint, gear),
                                                        stiffness=-bias[1] * gear**2, damping=-bias[2] * gear**2))


def _add_spring(reader: MjcfReader, element: Element, name: str, joint: RobotJoint, spring: Motor) -> None:
    """Add a spring to what acts on a joint: two without bounds are one."""
    if (old := joint.motor) is None:
        joint.motor = spring
    elif min(old.force, spring.force) >= STRONGEST:
        stiffness = old.stiffness + spring.stiffness
        target = (old.stiffness * old.target + spring.stiffness * spring.target) / stiffness if stiffness else 0.0
        joint.motor = replace(old, target=target, stiffness=stiffness, damping=old.damping + spring.damping)
    else:
        reader.robot.skip(element, f"'{name}' drives '{joint.name}', which already has a spring or another actuator")


def _control(reader: MjcfReader, element: Element) -> float:
    """The control nearest to zero that an actuator may have."""
    if not reader.limited(element, "ctrllimited", "ctrlrange") or reader.off("clampctrl"):
        return 0.0
    lo, hi = element.numbers("ctrlrange", 2)
    return float(min(max(0.0, lo), hi))


def _strongest(reader: MjcfReader, element: Element, joint: RobotJoint, gear: float) -> float:
    """The largest force of an actuator on its joint: the same in both directions, which is noted where the file's is not."""
    bounds = [STRONGEST]
    for one, flag, numbers, factor in ((element, "forcelimited", "forcerange", abs(gear)),
                                       (joint.element, "actuatorfrclimited", "actuatorfrcrange", 1.0)):
        if reader.limited(one, flag, numbers):
            lo, hi = one.numbers(numbers, 2)
            if lo != -hi:
                reader.robot.skip(one, f"{numbers} = {lo:g} {hi:g} for '{joint.name}': here the bound is "
                                       f"{max(abs(lo), abs(hi)):g} in both directions")
            bounds.append(max(abs(lo), abs(hi)) * factor)
    return float(min(bounds))


def _carried(robot: Robot, joint: RobotJoint) -> float:
    """Mass [kg] or inertia [kg m^2] that a joint moves at the zero of all joints, with its armature."""
    below, total = [joint.child], joint.element.number("armature", 0.0)
    for name in below:
        below += [one.child for one in robot.joints if one.parent == name and one.child not in below]
        link = robot.links[name]
        if joint.kind == "prismatic":
            total += link.mass
            continue
        axis, arm = joint.axis, link.pose.at(link.centre) - joint.anchor
        own = rotate(link.pose.quat * np.array([1.0, -1.0, -1.0, -1.0]), axis)
        total += own @ link.inertia @ own + link.mass * float(np.sum(np.cross(axis, arm) ** 2))
    return float(total)


def _all_joints(robot: Robot) -> list[Element]:
    """Elements of all joints, also of those that are part of a planar or ball joint."""
    return [one for link in robot.links.values() for one in link.element.children if one.tag in ("joint", "freejoint")]
