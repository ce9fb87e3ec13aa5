"""What touches what: bounding boxes (bounds), pairs that may touch (broad), contact points (narrow, pairs/)."""
