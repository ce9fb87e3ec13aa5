"""Substeps of sequential impulses and soft steps: sweeps, closing of joints, impacts, energy."""
