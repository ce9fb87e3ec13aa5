"""Benchmarks whose results are quoted in notes and the README; wall-clock times are never asserted."""
