"""Collision detection: bounding boxes (bounds), pairs that may touch (broad), contact points (narrow, pairs/)."""
