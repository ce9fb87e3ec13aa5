"""The frame around all panels: docks, settings, messages, startup."""
