"""The scene as numbers: transforms, colours, labels, overlay primitives; without a window."""
