"""Output to files: tables, pictures, videos, recordings, problem reports."""
