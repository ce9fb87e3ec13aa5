"""Lessons and predictions."""
