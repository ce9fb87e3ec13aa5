"""What mouse and keys do in the scene: look, drag, throw, add, move, turn and size."""
