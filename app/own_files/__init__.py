"""The user's own files: found, asked about once, loaded."""
