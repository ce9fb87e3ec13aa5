"""The compiled leaf layer: decorators, small vector mathematics, record layouts. Imports nothing of physics."""
