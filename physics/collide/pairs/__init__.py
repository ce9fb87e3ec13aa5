"""One file per pair of kinds of shapes: `KINDS`, alphabetical, and the kernel `collide(shapes, pairs, manifolds)`.

`pairs[i]` is (a, b) with kinds in the order of KINDS; `manifolds[i]` is overwritten. A file
with `GEOMETRY = True` has `collide(shapes, pairs, manifolds, pool)`, where pool is a `physics.geometry.Geometry`.
All of them keep to these rules:

- the normal is a unit vector from a to b, one for all points of a pair; the gap is the distance along it;
- a point lies half way between the two surfaces;
- points are given while gap <= a.reach + b.reach, for shapes apart as for shapes that overlap; else count = 0;
- overlap however deep, and identical positions, give a finite and repeatable normal;
- a feature number names corners, edges, faces, never an order of discovery.
"""
