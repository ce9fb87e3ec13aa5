"""Benchmarks whose results are quoted in notes and in docs/speed.md; wall-clock times are never asserted."""
