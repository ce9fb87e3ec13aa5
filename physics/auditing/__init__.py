"""The auditor's kernels (physics/audit.py): what one step did to the tables, judged from outside. No code of the solvers."""
