"""Exit codes of the command line, and the exception for a wrong one."""

DONE, FAILED, BAD_INPUT, MISSING, INTERRUPTED, TERMINATED = 0, 1, 2, 3, 130, 143


class Usage(Exception):
    """The command line is invalid; the sentence says how to correct it."""
