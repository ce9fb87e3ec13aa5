"""The auditor and its kernels: an independent check of each step from the tables alone, without code of the solvers."""
