"""Translucent previews of bodies: of the add menu, of the size handles, of a throw."""

import copy

import numpy as np

from app.render.overlays import Overlay
from app.render.scene.draw_list import DrawList, GhostBodies
from app.render.scene.instances import fill
from app.render.scene.overlay_context import OverlayContext, PreviewGhost
from app.render.scene.theme import linear
from app.render.scene.transforms import BodyTransforms


def draw(context: OverlayContext, draw_list: DrawList) -> None:
    some = [one for one in context.ghosts if isinstance(one, PreviewGhost) and one.kind in context.placed.names]
    if not some:
        return
    placed = _placed(context.placed, some)
    instances = fill(context.frame, placed, context.theme, -1, -1)
    instances[:, 3] = [one.opacity for one in some]
    instances[:, 12:15] = linear(np.array(context.theme.accent))
    draw_list.ghosts.append(GhostBodies(placed, instances))
    for one in some:
        ends = np.array(one.path).reshape(-1, 3)
        draw_list.line(ends[::2], ends[1::2], context.theme.accent, 1.6)


def _placed(real: BodyTransforms, some: list[PreviewGhost]) -> BodyTransforms:
    """Transforms of the previews, owned by the world's body, since colours need an owner."""
    out = copy.copy(real)
    out.build = None
    out.__dict__.pop("planes", None)
    out.index, out.body = np.zeros(len(some), int), np.zeros(len(some), real.body.dtype)
    out.kind = np.array([real.names.index(one.kind) for one in some], real.kind.dtype)
    out.geometry = np.array([one.geometry for one in some], real.geometry.dtype)
    out.dims, out.pos, out.quat = (np.array([getattr(one, name) for one in some], float) for name in ("dims", "pos", "quat"))
    out.rounding = np.zeros(len(some))
    return out


OVERLAY = Overlay("Preview of a new body, and the path of a thrown one.", "always", draw)
