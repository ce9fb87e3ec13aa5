"""The simulation on the physics thread: the running world, its history, commands and published frames. No window."""
