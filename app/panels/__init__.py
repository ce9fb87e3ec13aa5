"""Panels. One file each, found by listing this folder; see app/gui/panels.py for what a panel file defines."""
