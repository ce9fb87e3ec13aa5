"""Pair colliders, one file per pair of kinds: `KINDS`, alphabetical, and the kernel `collide(shapes, pairs, manifolds)`.

`pairs[i]` is (a, b) with kinds in the order of KINDS; `manifolds[i]` is overwritten. A file
with `GEOMETRY = True` has `collide(shapes, pairs, manifolds, pool)`, where pool is a `physics.shapes._geometry.GeometryArrays`.
All obey these rules:

- the normal is a unit vector from a to b, one for all points of a pair; the gap is the distance along it;
- a point lies half way between the two surfaces;
- points are written while gap <= a.reach + b.reach, for separated and overlapping shapes alike; else count = 0;
- any overlap, and identical positions, give a finite and repeatable normal;
- a feature number identifies corners, edges, faces, never an order of discovery.
"""
