"""The camera: orbits a target, pans, zooms to the cursor, flies. Mathematics in camera_math.py. No GL."""
