"""The plots: toolbar, axes, laws, readout, and export to files."""
