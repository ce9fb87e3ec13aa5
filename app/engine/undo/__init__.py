"""Undo: edits as differences of authored states."""
