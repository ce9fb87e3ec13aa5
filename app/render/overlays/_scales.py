"""Scales that several overlays share."""

from physics import option

FORCE = {"force_scale": option(0.02, unit="m/N", lo=1e-5, hi=10.0, log=True, help="Length of an arrow for one newton.")}
TORQUE = {"torque_scale": option(0.05, unit="1/N", lo=1e-5, hi=100.0, log=True,
                                 help="Length of an arrow for one newton metre.")}
VELOCITY = {"velocity_scale": option(0.2, unit="s", lo=1e-3, hi=10.0, log=True, help="Length of an arrow for one m/s.")}
SPIN = {"spin_scale": option(0.05, unit="m s/rad", lo=1e-4, hi=10.0, log=True, help="Length of an arrow for one rad/s.")}
