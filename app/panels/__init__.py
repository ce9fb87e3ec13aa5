"""Panels, one file each, found by listing this folder; app/gui/shell/panel_host.py describes what a panel file defines."""
