"""Friction from data: a measured run against the exact law of a scene."""
