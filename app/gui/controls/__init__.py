"""What every panel is made of: controls, tables, lists, diagrams, colours and signs."""
