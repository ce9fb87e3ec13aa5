"""How a step is divided, rejected, undone."""
