"""The timeline: history, rewinding, playback."""
