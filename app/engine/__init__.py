"""What the physics thread owns: the world that runs, its past, what is done to it, what it publishes. No window."""
