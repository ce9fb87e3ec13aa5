"""Engines without a Python package: a shared library behind a small C interface, named by an environment variable.

    void* pe_create(const double* p, int n)       p = gravity (3), mu, e, dt, sleep, collide, then the settings of `order`
    int   pe_add_body(void*, int kind, const double* geometry, const double* points, int count, const double* state,
                      double mass, const double* inertia)
              kind: 0 plane, 1 box, 2 sphere, 3 capsule; geometry: half extents, or radius and half length;
              state: pos, quat (w, x, y, z), vel, omega; mass 0: static. Index of the body; negative: cannot
    int   pe_add_joint(void*, int kind, int a, int b, const double* anchor, const double* axis, double friction)
              kind: 0 ball, 1 hinge; a, b: bodies, -1 is the world. Negative: cannot
    int   pe_finish(void*)                        after the last body and joint
    void  pe_step(void*, int frames)
    void  pe_state(void*, double* out)            of each body pos, quat, vel, omega
    int   pe_contacts(void*)                      contact points; negative: unknown
"""

import ctypes
import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from benchmarks.peers.adapters import Adapter, Unsupported
from benchmarks.peers.metrics import State
from benchmarks.peers.scenes import Scene

_KINDS = {"plane": 0, "box": 1, "sphere": 2, "capsule": 3}
_ARRAY = np.ctypeslib.ndpointer(np.float64, flags="C_CONTIGUOUS")
_ARGUMENTS = {
    "pe_create": (_ARRAY, ctypes.c_int),
    "pe_add_body": (ctypes.c_void_p, ctypes.c_int, _ARRAY, _ARRAY, ctypes.c_int, _ARRAY, ctypes.c_double, _ARRAY),
    "pe_add_joint": (ctypes.c_void_p, ctypes.c_int, ctypes.c_int, ctypes.c_int, _ARRAY, _ARRAY, ctypes.c_double),
    "pe_finish": (ctypes.c_void_p,), "pe_step": (ctypes.c_void_p, ctypes.c_int), "pe_state": (ctypes.c_void_p, _ARRAY),
    "pe_contacts": (ctypes.c_void_p,)}


class Library(Adapter):
    """Adapter for an engine behind that interface. variable: names its file; order: settings in the order of `pe_create`."""

    module = "ctypes"
    variable: str
    order: dict[str, float]

    def __init_subclass__(cls) -> None:
        cls.remedy = f"{cls.variable} names its library"

    @classmethod
    def installed(cls) -> bool:
        return os.path.isfile(os.environ.get(cls.variable, ""))

    def build(self, scene: Scene, dt: float) -> None:
        self.library = ctypes.CDLL(os.environ[self.variable])
        for name, types in _ARGUMENTS.items():
            getattr(self.library, name).argtypes = types
        self.library.pe_create.restype = ctypes.c_void_p
        options = {**self.order, **self.settings}
        create = _numbers([*scene.gravity, scene.mu, scene.e, dt, 0.0, scene.collide, *map(options.get, self.order)])
        self.world, self.out = self.library.pe_create(create, len(create)), np.zeros((len(scene.bodies), 13))
        for body in scene.bodies:
            size = body.half if body.kind == "box" else (body.radius, body.half_length, 0.0)
            state = _numbers([*body.pos, *body.quat, *body.vel, *body.omega])
            if self.library.pe_add_body(self.world, _KINDS[body.kind], _numbers(size), _numbers(()), 0, state, body.mass,
                                        _numbers(body.inertia)) < 0:
                raise Unsupported(f"no {body.kind}")
        for joint in scene.joints:
            kind = 0 if joint.kind == "ball" else 1
            if self.library.pe_add_joint(self.world, kind, joint.a, joint.b, _numbers(joint.anchor), _numbers(joint.axis),
                                         joint.friction) < 0:
                raise Unsupported(f"no {joint.kind} joint")
        self.library.pe_finish(self.world)

    def step(self, frames: int = 1) -> None:
        self.library.pe_step(self.world, frames)

    def state(self) -> State:
        self.library.pe_state(self.world, self.out)
        now = self.out.copy()
        return now[:, :3], now[:, 3:7], now[:, 7:10], now[:, 10:]

    def contacts(self) -> int | None:
        count = self.library.pe_contacts(self.world)
        return None if count < 0 else count

    def about(self) -> dict[str, Any]:
        return {"precision": "f32", "library": os.path.basename(os.environ[self.variable])}


def _numbers(values: Sequence[float]) -> np.ndarray:
    return np.array(values, np.float64)
