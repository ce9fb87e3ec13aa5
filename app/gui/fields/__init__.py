"""All of a body, joint, contact or pair as fields with units, and what can be plotted of it."""
