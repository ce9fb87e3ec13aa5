"""What panels show about a step, as numbers and text: one file per topic, independent of the window."""
