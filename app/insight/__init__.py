"""What panels show of a step, as numbers and text: one file each, without a window."""
