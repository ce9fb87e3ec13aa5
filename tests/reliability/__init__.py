"""Goals of reliability, R1 to R30, and their measurement: `python -m tests.reliability --help`."""


