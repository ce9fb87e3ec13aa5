"""Recordings and journals: writing, reading, validation."""
