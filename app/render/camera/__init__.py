"""The camera."""
