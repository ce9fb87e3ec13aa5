"""Collision of two convex shapes: distance or depth, its direction, and the points of contact.

    core        the representation of a shape here: a support function and a radius
    gjk         distance of two separated cores
    epa         depth of two cores that overlap
    distance    signed distance of two shapes, whatever they are, and their nearest points: for queries and casts
    feature     the face, edge or point of a shape that faces a direction
    clip        the intersection of two such features
    manifold    contacts of all pairs of kinds without a file of their own in collide/pairs
    keep        the same, carried along with two shapes that hardly move against each other

A new convex kind of shape adds its support function to `core` and its faces to `feature`, and collides with all others.
"""
