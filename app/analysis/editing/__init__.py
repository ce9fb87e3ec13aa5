"""Helpers for building scenes."""
