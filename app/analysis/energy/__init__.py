"""Energy, momentum, step times."""
