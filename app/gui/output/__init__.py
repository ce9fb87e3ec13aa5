"""What goes to files: tables, pictures, videos, recordings, reports of problems."""
