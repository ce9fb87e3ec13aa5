"""Safe reading and atomic writing of files."""
