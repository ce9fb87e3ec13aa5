"""MuJoCo. Free bodies are free joints; jointed groups are kinematic trees, its natural form; `connect` closes loops.

Restitution is a contact spring whose damping ratio gives e, about ten steps long. The automatic reset is off, so that divergence
is visible. Settings: `longest_step` [s] divides a frame into equal steps; the others are MuJoCo's own names.
"""

import math
from typing import Any

import numpy as np

from benchmarks.peers import geometry
from benchmarks.peers.adapters import Adapter, spanning_tree, still
from benchmarks.peers.metrics import State
from benchmarks.peers.scenes import Body, Joint, Scene

OPTIONS = {"cone": "pyramidal", "solver": "Newton", "integrator": "Euler", "impratio": 1, "iterations": 100, "tolerance": 1e-8,
           "noslip_iterations": 0}
"""MuJoCo's defaults."""


class MuJoCo(Adapter):
    """Adapter for MuJoCo."""

    module = "mujoco"
    configs = {
        "default": {},
        "cg": {"solver": "CG"},                             # conjugate gradients: better for large heaps
        "accurate": {"cone": "elliptic", "integrator": "implicitfast", "impratio": 100},
        "accurate2ms": {"cone": "elliptic", "integrator": "implicitfast", "impratio": 10, "noslip_iterations": 3,
                        "longest_step": 1 / 480 + 1e-9, "solref": "0.005 1", "solimp": "0.99 0.999 0.001"},
    }

    def build(self, scene: Scene, dt: float) -> None:
        import mujoco

        self.scene, self.mujoco = scene, mujoco
        longest = self.settings.get("longest_step", dt)
        self.steps = max(1, math.ceil(dt / longest - 1e-9))
        tree, closures = spanning_tree(scene)
        self.model = mujoco.MjModel.from_xml_string(document(scene, tree, closures, dt / self.steps, self.settings))
        self.model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_AUTORESET
        self.data = mujoco.MjData(self.model)
        self.ids = [mujoco.mj_name2id(self.model, mujoco.mjtObj.mjOBJ_BODY, f"b{i}") for i in range(len(scene.bodies))]
        for i in scene.dynamic:
            if i not in tree:
                body, first = scene.bodies[i], self.model.jnt_dofadr[self.model.body_jntadr[self.ids[i]]]
                self.data.qvel[first:first + 3] = body.vel
                self.data.qvel[first + 3:first + 6] = geometry.rotation(body.quat).T @ np.array(body.omega)
        mujoco.mj_forward(self.model, self.data)

    def step(self, frames: int = 1) -> None:
        self.mujoco.mj_step(self.model, self.data, frames * self.steps)

    def state(self) -> State:
        pos, quat, vel, omega = still(self.scene)
        for refresh in (self.mujoco.mj_kinematics, self.mujoco.mj_comPos, self.mujoco.mj_comVel):
            refresh(self.model, self.data)
        both = np.zeros(6)
        for i in self.scene.dynamic:
            k = self.ids[i]
            pos[i], quat[i] = self.data.xpos[k], self.data.xquat[k]
            self.mujoco.mj_objectVelocity(self.model, self.data, self.mujoco.mjtObj.mjOBJ_BODY, k, both, 0)
            omega[i], vel[i] = both[:3], both[3:]
        return pos, quat, vel, omega

    def contacts(self) -> int:
        return int(self.data.ncon)

    def diverged(self) -> bool:
        warning = self.mujoco.mjtWarning
        return any(self.data.warning[int(kind)].number > 0
                   for kind in (warning.mjWARN_BADQPOS, warning.mjWARN_BADQVEL, warning.mjWARN_BADQACC))

    def about(self) -> dict[str, Any]:
        return {"version": self.mujoco.__version__, "precision": "f64", "steps": self.steps}


def words(values: Any) -> str:
    """Format numbers for XML, without loss of precision."""
    return " ".join(f"{value:.17g}" for value in values)


def document(scene: Scene, tree: dict, closures: list[Joint], h: float, settings: dict) -> str:
    """The scene as MJCF; h [s] is one step."""
    option = " ".join(f'{name}="{settings.get(name, value)}"' for name, value in OPTIONS.items())
    solref = settings.get("solref", "0.02 1")
    if scene.e > 0.0:
        logarithm = math.log(min(scene.e, 0.999999))
        ratio = max(-logarithm / math.sqrt(math.pi**2 + logarithm**2), 1e-4)
        solref = f"{10.0 * h / (math.pi * ratio):.9g} {ratio:.9g}"
    solimp = settings.get("solimp", "0.9 0.95 0.001")
    filters = "" if scene.collide else ' contype="0" conaffinity="0"'
    material = f'friction="{scene.mu:.9g} 0 0" condim="3" solref="{solref}" solimp="{solimp}"{filters}'
    children: dict[int, list[int]] = {}
    for i, (_, parent) in tree.items():
        children.setdefault(parent, []).append(i)

    def moving(i: int, parent: int) -> str:
        body, pos, quat = scene.bodies[i], np.array(scene.bodies[i].pos), np.array(scene.bodies[i].quat)
        if parent >= 0:
            pos, quat = geometry.relative(scene.bodies[parent], body)
        joint = joint_element(body, tree[i][0]) if i in tree else "<freejoint/>"
        inside = "".join(moving(k, i) for k in children.get(i, ()))
        return (f'<body name="b{i}" pos="{words(pos)}" quat="{words(quat)}">'
                f'<inertial pos="0 0 0" mass="{body.mass:.17g}" diaginertia="{words(body.inertia)}"/>'
                f'{joint}{geom(body, material)}{inside}</body>')

    parts = []
    for i, body in enumerate(scene.bodies):
        if body.static:
            parts.append(f'<body name="b{i}" pos="{words(body.pos)}" quat="{words(body.quat)}">{geom(body, material)}</body>')
        elif i not in tree or tree[i][1] == -1:
            parts.append(moving(i, -1))
    equalities = "".join(connect(scene, joint) for joint in closures)
    return (f'<mujoco><option timestep="{h:.17g}" gravity="{words(scene.gravity)}" {option}><flag sleep="disable"/></option>'
            '<compiler angle="radian" balanceinertia="false" boundmass="0"/><size memory="2G"/>'
            f'<worldbody>{"".join(parts)}</worldbody><equality>{equalities}</equality></mujoco>')


def geom(body: Body, material: str) -> str:
    """XML element of the body's shape."""
    size = {"plane": (0.0, 0.0, 1.0), "box": body.half, "sphere": (body.radius,),
            "capsule": (body.radius, body.half_length)}[body.kind]
    return f'<geom type="{body.kind}" size="{words(size)}" {material}/>'


def joint_element(body: Body, joint: Joint) -> str:
    """XML element of the joint between a body and its parent, in the body's frame."""
    at = words(geometry.local(body, joint.anchor))
    if joint.kind == "ball":
        return f'<joint type="ball" pos="{at}"/>'
    axis = geometry.rotation(body.quat).T @ np.array(joint.axis)
    return f'<joint type="hinge" pos="{at}" axis="{words(axis)}" frictionloss="{joint.friction:.9g}"/>'


def connect(scene: Scene, joint: Joint) -> str:
    """XML of a joint that closes a loop: one common point, or two on a hinge's axis."""
    one, other = (joint.a, joint.b) if joint.a >= 0 else (joint.b, joint.a)
    points = [np.array(joint.anchor)]
    if joint.kind == "hinge":
        points = [points[0] - 0.5 * np.array(joint.axis), points[0] + 0.5 * np.array(joint.axis)]
    second = f' body2="b{other}"' if other >= 0 else ""
    return "".join(f'<connect body1="b{one}"{second} anchor="{words(geometry.local(scene.bodies[one], p))}"/>' for p in points)


ADAPTER = MuJoCo
