"""Letters, formulas and paragraphs, in three languages."""
