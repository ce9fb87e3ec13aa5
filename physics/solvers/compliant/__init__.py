"""Compliant contact after Featherstone 11.8: springs and dampers of surface patches, their states, substeps."""
