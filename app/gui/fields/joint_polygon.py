"""Dry friction of a joint inside a convex polygon of its first two directions (ST96 3.5): a picture of it, with the friction of
the last step in it, and its numbers."""

import numpy as np

from app.engine import commands
from app.gui.controls import style, widgets
from app.gui.controls.diagram import Canvas
from app.gui.fields import fields
from app.i18n.imgui_translated import imgui
from app.i18n.message import message
from app.session import Session
from physics.contact.friction_cone import polygon
from physics.core.records import MAX_FRICTION_CORNERS, Case
from physics.joints import JointKind

FACETS, MIN_FACETS = 8, 3

PICTURE_SIDE = 120.0
"""Height of the picture [px at scale 1]; it shows a little more than the polygon."""

POLYGON_HELP = ("Any convex polygon around 0 as the dry friction of both directions, which couples them (ST96 3.5): one bound "
                "for each way they can go together. The exact solver and joint space support it.")


def directions(known: JointKind) -> list[tuple[str, str, int]]:
    """(name, unit, group) of the two directions that a polygon couples; none: the kind has no two such directions."""
    found: list[tuple[str, str, int]] = []
    for g, group in enumerate(known.friction):
        count = len(group.rows)
        found += [(group.name if count == 1 else message("{group} {number}", group=group.name, number=k + 1), group.unit, g)
                  for k in range(count)]
        if len(found) >= 2:
            break
    return found if len(found) == 2 else []


def ellipse(facets: int, reach: np.ndarray) -> np.ndarray:
    """Corners (facets, 2) on the ellipse of half axes reach (2,)."""
    return polygon(facets)[:, :2] * reach


def draw(session: Session, j: int, known: JointKind) -> None:
    """Draw switch, picture and numbers of joint j, where its kind has two directions."""
    both = directions(known)
    if not both or not fields.section("Friction polygon", opened=bool(session.frame.joints["corner_count"][j])):
        return
    joint = session.frame.joints[j]
    corners = joint["corners"][: joint["corner_count"]].astype(float)
    on = widgets.toggle("polygon", len(corners) > 0, POLYGON_HELP)
    if on is not None:
        reach = np.array([float(joint["max_friction"][g]) or 1.0 for _, _, g in both])
        session.post(commands.set_joint_polygon, j, ellipse(FACETS, reach).tolist() if on else None)
    if not len(corners):
        return
    force = joint["friction_impulse"][:2] / session.frame.impulse_duration
    reach = np.abs(corners).max(axis=0)
    _picture(corners / reach, force / reach, both, int(joint["case"]))
    new = widgets.number("facets", len(corners), lo=MIN_FACETS, hi=MAX_FRICTION_CORNERS,
                         help="A regular polygon with so many corners, as wide as this one in both directions.")
    changed = ellipse(new, reach) if new is not None else None
    for k, (name, unit, _) in enumerate(both):
        wide = widgets.number(message("reach: {name}", name=name), float(reach[k]), lo=1e-3, hi=max(1000.0, float(reach[k])),
                              unit=unit, log=True, help="Stretches the polygon to this largest friction in that direction.")
        if wide is not None:
            changed = corners * np.where(np.arange(2) == k, wide / reach[k], 1.0)
    if fields.section("Corners of the polygon"):
        for i, corner in enumerate(corners):
            for k, (name, unit, _) in enumerate(both):
                moved = widgets.number(message("corner {number}: {name}", number=i + 1, name=name), float(corner[k]),
                                       lo=-10.0 * float(reach[k]), hi=10.0 * float(reach[k]), unit=unit,
                                       help="Corners go around 0 in order, and the polygon must be convex.")
                if moved is not None:
                    changed = corners.copy()
                    changed[i, k] = moved
    if changed is not None:
        session.post(commands.set_joint_polygon, j, changed.tolist())


def _picture(corners: np.ndarray, force: np.ndarray, both: list[tuple[str, str, int]], case: int) -> None:
    """Draw the polygon, stretched to the same width in both directions, and the friction of the last step."""
    p, height = style.palette(), widgets.scaled(PICTURE_SIDE)
    width = imgui.get_content_region_avail().x
    canvas = Canvas("friction polygon", width, height, (0.5 * width, 0.5 * height), 0.38 * height)
    if not canvas.begin():
        return
    for tip in ((1.2, 0.0), (0.0, 1.2)):
        canvas.pixel_arrow(canvas.at((-tip[0], -tip[1])), canvas.at(tip), p.dim, 1.0)
    canvas.outline(corners, p.text)
    colour = {Case.STICK: p.stick, Case.SLIP: p.slip}.get(case, p.dim)
    canvas.pixel_arrow(canvas.at((0.0, 0.0)), canvas.at(force), colour, 2.0)
    canvas.pixel_dot(canvas.at(force), colour)
    line = imgui.get_text_line_height()
    canvas.text((canvas.at((1.2, 0.0))[0] + 0.3 * height, 0.5 * height - 0.5 * line), both[0][0], p.dim)
    canvas.text((0.5 * width - 0.3 * height, 2.0), both[1][0], p.dim)
    canvas.end()
    widgets.register_area("friction polygon")
    widgets.tooltip("The polygon of friction, each direction against its reach, and the friction of the last step in it: at the "
                    "border the joint slips.")
