"""What is promised of reliability, R1 to R30, and what is measured of it: `python -m tests.reliability --help`."""


