"""Curves over time: statistics, plots, saved runs."""
