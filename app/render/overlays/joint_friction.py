"""Gauges of the dry friction in joints: a ring filled to |friction| / bound, (1) and (2) of app/analysis/forces/joint_lens.py.

Colour and inner mark show stick (square) or slip (arrow head), as with contacts. A joint with two friction laws has two rings,
the first one outside.
"""

import numpy as np

from app.analysis.forces.joint_lens import STICK_SPEED, bound_now, rows_of
from app.render.overlays import Overlay
from app.render.scene.draw_list import ARROW, SQUARE, DrawList
from app.render.scene.overlay_context import OverlayContext
from app.render.scene.transforms import joint_kinds
from physics.core.records import Case

RADIUS, WIDTH, GAP = 19.0, 5.0, 2.0
"""Outer radius, ring width and gap between rings [px]."""
OFFSET = 36.0
"""From the joint's own mark to the gauge's centre [px]."""
START, WHOLE = 1.25 * np.pi, 1.5 * np.pi
"""Start angle and sweep of a gauge, as in a speedometer [rad]."""


def gauges(context: OverlayContext, kind: int, group: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """(indices into `hinges`, friction, bound [N] or [N m], slips) of the joints of one kind with a friction bound above zero."""
    found = joint_kinds()[context.frame.joint_kinds[kind]]
    seen, acting = context.hinges, context.frame.impulse_duration
    start, count = rows_of(found, group)
    which = np.flatnonzero(seen.kind == kind)
    table = context.frame.joints[seen.index[which]]
    friction, speed = (np.linalg.norm(table[name][:, start : start + count], axis=1) for name in ("friction_impulse", "slip"))
    slides = (table["case"] == Case.SLIP) & (speed > STICK_SPEED)
    bound = bound_now(table, group, speed, slides, acting)
    rubs = bound > 0.0
    return which[rubs], friction[rubs] / acting, bound[rubs], slides[rubs]


def draw(context: OverlayContext, draw_list: DrawList) -> None:
    seen, known, theme = context.hinges, joint_kinds(), context.theme
    right, up, towards = context.facing
    for kind in np.unique(seen.kind).tolist():
        for group, law in enumerate(known[context.frame.joint_kinds[kind]].friction):
            which, friction, bound, slides = gauges(context, kind, group)
            pixel = context.pixel(seen.pos[which]) if context.camera is not None else np.full(len(which),
                                                                                              0.01 * context.typical_size)
            share = np.clip(friction / bound, 0.0, 1.0)
            colours = np.where(slides[:, None], theme.slip, theme.stick)
            outer = (RADIUS - group * (WIDTH + GAP)) * pixel
            inner = outer - WIDTH * pixel
            centre = seen.pos[which] + right * (OFFSET * pixel[:, None])
            # sectors run anticlockwise: the gauge's left end is the greater angle
            draw_list.sector(centre, right, towards, outer, START - WHOLE, START, theme.contour, 0.75, inner=inner)
            draw_list.sector(centre, right, towards, outer - pixel, START - WHOLE * share, START, colours, inner=inner + pixel)
            if group == 0:
                draw_list.mark(centre, 11.0, np.where(slides, ARROW, SQUARE), colours, right)
            draw_list.number(centre - up * (RADIUS + 18.0) * pixel[:, None], friction, law.unit, theme.friction,
                             seen.index[which] == context.chosen("joint"))


OVERLAY = Overlay("Dry friction in joints relative to its bound; square: sticking, arrow head: sliding.", "joints", draw,
                  key="U", words=("joint_friction",))
