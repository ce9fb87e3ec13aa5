"""Compilation of kernels and the disk cache of compiled code."""
