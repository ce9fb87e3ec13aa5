"""Bodies that would be there after a click, to be seen through: of the menu that adds one, of the handles that size one,
of a throw."""

import copy

import numpy as np

from app.render.ink import Ghost, Ink
from app.render.instances import fill
from app.render.overlays import Overlay
from app.render.place import Placed
from app.render.sight import Coming, Sight
from app.render.theme import linear


def draw(sight: Sight, ink: Ink) -> None:
    some = [one for one in sight.echoes if isinstance(one, Coming) and one.kind in sight.placed.names]
    if not some:
        return
    placed = _placed(sight.placed, some)
    instances = fill(sight.frame, placed, sight.theme, -1, -1)
    instances[:, 3] = [one.opacity for one in some]
    instances[:, 12:15] = linear(np.array(sight.theme.accent))
    ink.ghosts.append(Ghost(placed, instances))
    for one in some:
        ends = np.array(one.path).reshape(-1, 3)
        ink.line(ends[::2], ends[1::2], sight.theme.accent, 1.6)


def _placed(real: Placed, some: list[Coming]) -> Placed:
    """Shapes of the world's body, as far as colours ask whose they are."""
    out = copy.copy(real)
    out.build = None
    out.__dict__.pop("planes", None)
    out.index, out.body = np.zeros(len(some), int), np.zeros(len(some), real.body.dtype)
    out.kind = np.array([real.names.index(one.kind) for one in some], real.kind.dtype)
    out.geometry = np.array([one.geometry for one in some], real.geometry.dtype)
    out.dims, out.pos, out.quat = (np.array([getattr(one, name) for one in some], float) for name in ("dims", "pos", "quat"))
    out.rounding = np.zeros(len(some))
    return out


OVERLAY = Overlay("Where a new body will stand, and the way of one that is thrown.", "always", draw)
