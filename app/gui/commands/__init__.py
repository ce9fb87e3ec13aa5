"""Commands of keys, the palette and menus."""
