"""Normals allowed at an edge or a corner of a surface: those of its Voronoi region, so that inner edges do not catch.

A unit vector d from a point of an edge (or a corner) is allowed there if no triangle at that edge (corner) comes nearer along
it:

    edge e, triangle with third corner c:     d . (c - (c . e) e) <= 0      c from a point of the edge, e its direction    (1)
    corner v, each edge to a neighbour u:     d . (u - v) <= 0                                                            (2)

On a flat or concave edge only the directions of the faces are left. Both sides of a surface are treated alike. `slack` is the
sine by which (1) and (2) may be violated.
"""

from physics.collide.surfaces._triangles import fetch
from physics.core import vec
from physics.core.jit import inline, routine

LEVEL, ROUGH = 1e-7, 1e-6
"""Sines by which an edge or a face may lean against its own normal, and by which an iterated normal may leave its region."""
MAX_CORNER_TRIANGLES = 64
"""Most triangles that meet at a corner."""

@inline
def same(a, b):
    return a[0] == b[0] and a[1] == b[1] and a[2] == b[2]


@routine
def edge_allows(f, other, s, pool, k, d, slack):
    """(1) for the neighbour across edge k of triangle f; other: a TRIANGLE to write on."""
    if f.near[k] < 0:
        return True
    a, b = f.corner[k], f.corner[(k + 1) % 3]
    fetch(other, s, pool, f.near[k])
    e = vec.unit(vec.sub(b, a))
    for c in range(3):
        p = other.corner[c]
        if not same(p, a) and not same(p, b):
            r = vec.sub(p, a)
            inwards = vec.madd(r, e, -vec.dot(r, e))
            return vec.dot(d, inwards) <= slack * vec.norm(inwards)
    return True


@routine
def corner_allows(f, other, s, pool, k, d, slack):
    """(2) for all edges at corner k of triangle f, walking around it from neighbour to neighbour, both ways from a rim."""
    v = vec.copy(f.corner[k])
    for way in range(2):
        at = k if way == 0 else (k + 2) % 3
        t = f.near[at]
        end = vec.copy(f.corner[(k + 1) % 3] if way == 0 else f.corner[(k + 2) % 3])
        for _ in range(MAX_CORNER_TRIANGLES):
            if t < 0 or t == f.number:
                break
            fetch(other, s, pool, t)
            if not is_outward(other, v, d, slack):
                return False
            # Cross the other edge at v: not the one just crossed.
            c = 0
            while c < 2 and not same(other.corner[c], v):
                c += 1
            after = vec.copy(other.corner[(c + 1) % 3])
            before = vec.copy(other.corner[(c + 2) % 3])
            if same(after, end):
                t, end = other.near[(c + 2) % 3], before
            else:
                t, end = other.near[c], after
        if t == f.number:
            break
    return True


@routine
def region_allows(f, other, s, pool, n):
    """True if the part of the triangle that touches along the normal n may have n."""
    reach = (vec.dot(f.corner[0], n), vec.dot(f.corner[1], n), vec.dot(f.corner[2], n))
    top = max(reach[0], reach[1], reach[2]) - LEVEL * f.longest
    for k in range(3):
        here, after, before = reach[k] >= top, reach[(k + 1) % 3] >= top, reach[(k + 2) % 3] >= top
        if here and after and not before:
            return edge_allows(f, other, s, pool, k, n, ROUGH)
        if here and not after and not before:
            return corner_allows(f, other, s, pool, k, n, ROUGH)
    return True


@routine
def is_outward(f, v, d, slack):
    """(2) for the edges of one triangle at its corner v."""
    for c in range(3):
        e = vec.sub(f.corner[c], v)
        if vec.dot(d, e) > slack * vec.norm(e):
            return False
    return True
