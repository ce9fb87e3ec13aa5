"""Any two convex shapes: how far apart or how deep, in which direction, and with which points they touch.

    core        what of a shape the algorithms see: a support function and a radius
    gjk         distance of two cores that are apart
    epa         depth of two cores that overlap
    distance    signed distance of two shapes, whatever they are, and their nearest points: for queries and casts
    feature     the face, edge or point of a shape that looks in a direction
    clip        what two such features have in common
    manifold    contacts of all pairs of kinds without a file of their own in collide/pairs

A new convex kind of shape adds its support function to `core` and its faces to `feature`, and meets all others.
"""
