"""Scales shared by several overlays."""

from physics import option

FORCE = {"force_scale": option(0.02, unit="m/N", lo=1e-5, hi=10.0, log=True, help="Arrow length per newton.")}
TORQUE = {"torque_scale": option(0.05, unit="1/N", lo=1e-5, hi=100.0, log=True,
                                 help="Arrow length per newton metre.")}
VELOCITY = {"velocity_scale": option(0.2, unit="s", lo=1e-3, hi=10.0, log=True, help="Arrow length per m/s.")}
SPIN = {"spin_scale": option(0.05, unit="m s/rad", lo=1e-4, hi=10.0, log=True, help="Arrow length per rad/s.")}
