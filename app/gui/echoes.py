"""What is drawn over the leader's picture, translucent: the other solvers where all share it, and what panels compare. No GL."""

from typing import Any

from app.gui.controls.style import palette
from app.render.sight import Echo
from app.session import Session


def shown_over(session: Session, now: float) -> dict[str, Any]:
    """Arguments of Renderer.draw for the leader's picture. now: perf_counter [s]."""
    curves, others = palette().curves, () if session.view.split else session.frame.others
    solvers = tuple(Echo(*other.poses(other.blend(now)), curves[k][:3]) for k, other in enumerate(others, start=1))
    tint = curves[0][:3] if others and session.view.tint_first else None
    return {"echoes": (*solvers, *session.echoes), "tint": tint}
