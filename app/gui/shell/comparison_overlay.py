"""Ghosts over the leader's picture: the other solvers where all share it, and what panels compare. No GL."""

from typing import Any

from app.gui.controls.style import palette
from app.render.scene.overlay_context import Ghost
from app.session import Session


def ghosts_shown(session: Session, now: float) -> dict[str, Any]:
    """Arguments of Renderer.draw for the leader's picture. now: perf_counter [s]."""
    curves, others = palette().curves, () if session.view.split else session.frame.followers
    solvers = tuple(Ghost(*other.poses(other.blend(now)), curves[k][:3]) for k, other in enumerate(others, start=1))
    tint = curves[0][:3] if others and session.view.tint_first else None
    return {"ghosts": (*solvers, *session.ghosts), "tint": tint}
