"""Mouse and keys in the scene: camera, drag, throw, add, move, turn and size."""
