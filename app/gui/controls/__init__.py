"""Building blocks of panels: controls, tables, lists, diagrams, colours and icons."""
