"""The free-body diagram in the scene: every force on the selected body by source, their sum and m a at its centre.

Forces are those of the newest step, drawn at the body's present pose. Contacts with one neighbour are merged, (1) of
app/analysis/forces/free_body.py.
"""

from dataclasses import dataclass

import numpy as np

from app.analysis.forces import force_balance, free_body
from app.engine.frame import Frame
from app.render.overlays import FORCE, Overlay
from app.render.scene.draw_list import DrawList
from app.render.scene.overlay_context import OverlayContext

SUM, WANTED = 4.2, 1.8
"""Widths of the arrows of the sum and of m a [px]."""


@dataclass
class CachedBalance:
    """Force balance of the last frame and body, cached."""

    frame: Frame | None = None
    body: int = -1
    balance: force_balance.ForceBalance | None = None
    arrows: tuple[free_body.Arrow, ...] = ()

    def balance_of(self, frame: Frame, body: int) -> force_balance.ForceBalance | None:
        """Force balance of a body, recomputed only for another frame or body."""
        if self.frame is not frame or self.body != body:
            self.frame, self.body, self.balance = frame, body, force_balance.force_balance(frame, body)
            self.arrows = free_body.arrows(self.balance, True) if self.balance is not None else ()
        return self.balance


def draw(context: OverlayContext, draw_list: DrawList) -> None:
    body, kept = context.chosen("body"), context.state(CachedBalance)
    balance = kept.balance_of(context.frame, body) if body > 0 else None
    if balance is None or not kept.arrows:
        return
    theme = context.theme
    moved = context.placed.body_pos[body] - balance.centre
    points, forces = (np.array([getattr(a, name) for a in kept.arrows]) for name in ("point", "force"))
    first, owner = np.ones(len(forces), bool), np.full(len(forces), body)
    colours = np.array([theme.source(a.source) for a in kept.arrows])
    for colour in np.unique(colours, axis=0):
        k = np.flatnonzero((colours == colour).all(axis=1))
        draw_list.force(points[k] + moved, forces[k], tuple(colour), 3.4, first=first[k], bodies=owner[k])
    centre = context.placed.body_pos[body : body + 1]
    if free_body.verdict(balance).balanced:
        return
    draw_list.force(centre, balance.total[None], theme.text, SUM, unit="N = sum", first=first[:1], bodies=owner[:1])
    draw_list.force(centre, balance.wanted[None], theme.velocity, WANTED, numbers=False)


OVERLAY = Overlay("All forces on the selected body by source, their sum (thick) and m a (thin) at its centre.", "bodies", draw,
                  key="Alt+F", words=("free_body",), options=FORCE)
