"""Which parts of surfaces, collisions, axes and meshes of an SDF file are used; others that would change the motion are noted."""

from collections.abc import Iterator

from app.robots.model import Robot
from app.robots.urdf import ENDLESS
from app.robots.xml_tree import Element

USED_PARTS = {"collision": {"pose", "geometry", "surface", "density", "laser_retro", "max_contacts"},
              "surface": {"friction/ode/mu", "friction/ode/mu2", "contact/category_bitmask"},
              "axis": {"xyz", "limit/lower", "limit/upper", "dynamics", "use_parent_model_frame"},
              "mesh": {"uri", "scale"}}
"""Paths of what is used inside of elements, or changes nothing."""

SOFT_PARTS = {"soft_cfm", "soft_erp", "kp", "kd", "max_vel", "min_depth", "poissons_ratio", "elastic_modulus", "stiffness",
              "dissipation"}
"""Settings of contacts and limits that give way: told once."""

PLAIN_VALUES = {"collide_bitmask": ("65535", "0xffff"), "threshold": ("100000", "1e+06"), "effort": ("-1", "inf"),
                "velocity": ("-1", "inf"), "use_patch_radius": ("1", "true"), "fdir1": ("0 0 0",)}
"""Values with which others say nothing, beside zero."""


def note_unused(robot: Robot, element: Element, kind: str) -> None:
    """Note which parts of an element are not used and would change the motion. kind: its key in USED_PARTS."""
    left = {}
    for path, one in _leaves(element):
        value = one.content.strip().lower()
        used = path in USED_PARTS[kind] or path.partition("/")[0] in USED_PARTS[kind]
        if used or value in ("", "false", *PLAIN_VALUES.get(one.tag, ())):
            continue
        if one.tag in SOFT_PARTS:
            if all("rigid here, not soft" not in why for _, why in robot.skipped):
                robot.skip(one, "and the like are not used: contacts and limits are rigid here, not soft")
        elif not _is_none(value):
            left[path] = None
    if left:
        robot.skip(element, f"{', '.join(left)} {'are' if len(left) > 1 else 'is'} not used")


def _leaves(element: Element, within: str = "") -> Iterator[tuple[str, Element]]:
    """Elements below one that hold nothing but text, with their paths."""
    for one in element.children:
        if one.children:
            yield from _leaves(one, f"{within}{one.tag}/")
        else:
            yield within + one.tag, one


def _is_none(value: str) -> bool:
    """Whether a text is the number zero, or one that programs write for none."""
    try:
        return float(value) == 0.0 or abs(float(value)) >= ENDLESS
    except ValueError:
        return False
