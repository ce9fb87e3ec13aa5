"""Languages: catalogues, translated widgets, search for untranslated texts."""
