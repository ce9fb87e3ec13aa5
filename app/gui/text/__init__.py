"""Fonts, formulas and paragraphs, in three languages."""
