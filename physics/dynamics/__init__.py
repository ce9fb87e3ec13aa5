"""Dynamics: integration, energy and momentum, islands, the direct solver of joints."""
