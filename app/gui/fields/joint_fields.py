"""Fields of one joint: bodies, points and axis, reactions, friction, limits, motors and strength."""

import dataclasses
import math

import numpy as np

from app.engine import commands
from app.engine.commands.joints import JOINT_AXIS, JOINT_SIDES, has_axis
from app.gui.controls import icons, style, widgets
from app.gui.fields import fields, joint_polygon, quantity_picker
from app.gui.fields.fields import brief, shown, triple
from app.i18n import translate
from app.i18n.imgui_translated import imgui
from app.i18n.message import message
from app.number_format import rounded
from app.session import Session
from physics import Friction, Motor, joints
from physics import fields as option_fields
from physics.core.quaternions import product, rotate
from physics.core.records import Case
from physics.joints import Axis, JointKind
from physics.joints._settings import MODES, friction_of, motor_of

FULL_TURN = 2.0 * math.pi


def draw_joint(session: Session, j: int) -> None:
    """Controls and facts of joint j."""
    frame = session.frame
    joint, known = frame.joints[j], joints.kinds()[frame.joint_kinds[frame.joints["kind"][j]]]
    new = fields.text("name", frame.joint_names[j], "Name in plots, messages and files.")
    if new is not None:
        translate.mark_as_personal(new)
        session.post(commands.rename_joint, j, new)
    widgets.wrapped(f"{frame.joint_kinds[joint['kind']].replace('_', ' ')}: {known.doc}", style.palette().dim)
    names = [frame.body_names[joint[side]] for side in ("body_a", "body_b")]
    shown("bodies", message("{one} and {other}", one=names[0], other=names[1]), "Bodies a and b.")
    _now(session, j, known)
    if fields.section("Points and axis"):
        _place(session, j, known)
    joint_polygon.draw(session, j, known)
    _friction(session, j, known)
    for k, axis in enumerate(known.axes):
        if fields.section(message("Axis: {axis}", axis=axis.name), opened=len(known.axes) == 1):
            imgui.push_id(k)
            _axis(session, j, k, axis)
            imgui.pop_id()
    _rest(session, j, known)


def _place(session: Session, j: int, known: JointKind) -> None:
    """Edit its points and axis, without pulling the bodies."""
    joint, frame = session.frame.joints[j], session.frame
    along = " The anchor on the other body moves along, so no force results." if known.anchors == 1 else ""
    for side in JOINT_SIDES:
        new = fields.vector(message("anchor in {side}", side=side), joint[f"anchor_{side}"], "m",
                            message("Anchor of the joint in the frame of {body}.{along}",
                                    body=frame.body_names[joint[f"body_{side}"]], along=along))
        if new is not None:
            session.post(commands.set_joint_anchor, j, side, new)
    if not has_axis(known):
        return
    for side in JOINT_SIDES[: known.anchors]:
        label = "axis" if known.anchors == 1 else message("axis in {side}", side=side)
        now = rotate(product(frame.bodies["quat"][joint[f"body_{side}"]], joint[f"frame_{side}"]), JOINT_AXIS)
        new = fields.vector(label, now, "", "Direction in the world frame, any length. Enable Joint frames in the View panel to "
                                            "see it.")
        for name, axis in zip("xyz", np.eye(3)):
            if name != "x":
                imgui.same_line()
            if widgets.button(message("along {name}", name=name),
                              message("Along the world's {name} axis.", name=name), name=f"{label} along {name}"):
                new = tuple(axis.tolist())
        if new is not None:
            session.post(commands.set_joint_axis, j, new, side)


def _now(session: Session, j: int, known: JointKind) -> None:
    joint, acting = session.frame.joints[j], session.frame.impulse_duration
    for k, axis in enumerate(known.axes):
        shown(axis.name, f"{brief(joint['coordinate'][k])} {axis.unit}", axis.doc)
    reaction = joint["reaction"] / acting
    shown("force on b", f"{rounded(np.linalg.norm(reaction[:3]), 4)} N",
          "Total force of the joint on b, mean over the last step.")
    shown("", triple(reaction[:3], "N"))
    shown("torque on b", f"{rounded(np.linalg.norm(reaction[3:]), 4)} N m",
          "Torque about b's centre of mass, mean over the last step.")
    shown("error", message("{error} m or rad", error=rounded(float(joint["error"]))),
          "Largest constraint error at the start of the last step.")


def _friction(session: Session, j: int, known: JointKind) -> None:
    joint, row = session.frame.joints[j], 0
    for g, group in enumerate(known.friction):
        if not fields.section(message("Friction: {group}", group=group.name), opened=True):
            row += len(group.rows)
            continue
        imgui.push_id(g)
        law, force = friction_of(joint, g), group.unit
        units = {"static": force, "kinetic": force, "stribeck": "m/s" if force == "N" else "rad/s",
                 "viscous": "N s/m" if force == "N" else "N m s", "load": "", "radius": "m"}
        for field in option_fields(law):
            value, top = getattr(law, field.name), {"stribeck": 100.0, "load": 2.0, "radius": 2.0}.get(field.name, 1000.0)
            name = {"static": "max_friction", "load": "load_mu", "radius": "load_radius"}.get(field.name, field.name)
            default = fields.own(session, "joints", name, j)
            new = widgets.number(field.name, value, lo=0.0, hi=max(top, value), unit=units[field.name], log=True,
                                 help=field.metadata["help"], default=None if default is None else float(default[g]))
            if new is not None:
                session.post(commands.set_joint_law, j, group.name, lowered(law, field.name, new))
        carried = float(np.linalg.norm(joint["friction_impulse"][row : row + len(group.rows)])) / session.frame.impulse_duration
        state = {Case.STICK: "sticks", Case.SLIP: "slips"}.get(int(joint["case"]), "free")
        shown("friction now", f"{rounded(carried, 4)} {force}, {state}", "Mean over the last step in these directions.")
        row += len(group.rows)
        imgui.pop_id()


def lowered(law: Friction, name: str, new: float) -> Friction:
    """The law with one number changed, keeping kinetic friction at or below the static one."""
    changed = dataclasses.replace(law, **{name: new})
    if changed.kinetic > changed.static:
        other = "kinetic" if name == "static" else "static"
        changed = dataclasses.replace(changed, **{other: new})
    return changed


def _axis(session: Session, j: int, k: int, axis: Axis) -> None:
    joint = session.frame.joints[j]
    lo, hi = float(joint["limit_lo"][k]), float(joint["limit_hi"][k])
    reach = FULL_TURN if axis.unit == "rad" else 10.0
    if axis.limited:
        limited = math.isfinite(lo) or math.isfinite(hi)
        on = widgets.toggle("limits", limited, message("Limit the {axis} to a range. {doc}", axis=axis.name, doc=axis.doc))
        if on is not None:
            now = float(joint["coordinate"][k])
            session.post(commands.set_joint_limits, j, axis.name, *((min(-1.0, now), max(1.0, now)) if on else (None, None)))
        elif limited:
            for label, value, bounds in (("lower limit", lo, (-reach, hi)), ("upper limit", hi, (lo, reach))):
                default = fields.own(session, "joints", "limit_lo" if label[0] == "l" else "limit_hi", j)
                ends = [b if math.isfinite(b) else math.copysign(reach, b) for b in bounds]
                new = widgets.number(label, value if math.isfinite(value) else math.copysign(reach, value), unit=axis.unit,
                                     lo=min(ends[0], value if math.isfinite(value) else ends[0]), hi=max(ends), help=axis.doc,
                                     default=float(default[k]) if default is not None and math.isfinite(default[k]) else None)
                if new is not None:
                    session.post(commands.set_joint_limits, j, axis.name, *((new, hi) if label[0] == "l" else (lo, new)))
    if axis.driven:
        _motor(session, j, k, axis)


def _motor(session: Session, j: int, k: int, axis: Axis) -> None:
    motor, force = motor_of(session.frame.joints[j], k), "N m" if axis.unit == "rad" else "N"
    picked = widgets.choice("motor", motor.mode if motor else "none", ("none", *MODES),
                            "Velocity control, position control, or a spring.")
    if picked is not None:
        made = None if picked == "none" else dataclasses.replace(motor, mode=picked) if motor else Motor(picked, force=10.0)
        session.post(commands.set_joint_motor, j, axis.name, made)
    if motor is None:
        return
    used = {"velocity": ("target", "force"), "position": ("target", "force", "speed"),
            "spring": ("target", "force", "stiffness", "damping")}[motor.mode]
    units = {"target": f"{axis.unit}/s" if motor.mode == "velocity" else axis.unit, "force": force, "speed": f"{axis.unit}/s",
             "stiffness": f"{force}/{axis.unit}", "damping": f"{force} s/{axis.unit}"}
    for field in option_fields(motor):
        if field.name in used:
            value = getattr(motor, field.name)
            signed = field.name == "target"
            lo, hi = (-50.0, 50.0) if signed else (0.0, 1e4)
            new = widgets.number(message("motor {field}", field=field.name), value, lo=min(lo, value), hi=max(hi, value),
                                 unit=units[field.name], log=not signed, help=field.metadata["help"])
            if new is not None:
                session.post(commands.set_joint_motor, j, axis.name, dataclasses.replace(motor, **{field.name: new}))
    carried = float(session.frame.joints["motor_impulse"][j, k]) / session.frame.impulse_duration
    shown("motor now", f"{rounded(carried, 4)} {force}", "Mean over the last step.")


def _rest(session: Session, j: int, known: JointKind) -> None:
    joint = session.frame.joints[j]
    for param in known.params:
        value = float(joint[param.field][param.slot])
        new = widgets.number(param.name, value, lo=param.lo, hi=max(min(param.hi, max(10.0, 4.0 * abs(value))), param.lo),
                             unit=param.unit, help=param.help)
        if new is not None:
            session.post(commands.set_joint_param, j, param.name, new)
    if fields.section("Strength"):
        strength = {name: float(joint[f"break_{name}"]) for name in ("force", "torque")}
        for name, unit in (("force", "N"), ("torque", "N m")):
            on = widgets.toggle(message("breakable by {name}", name=name), math.isfinite(strength[name]),
                                message("The joint breaks when the reaction {name} exceeds this.", name=name))
            if on is not None:
                session.post(commands.set_joint_strength, j, **strength | {name: 1000.0 if on else math.inf})
            elif math.isfinite(strength[name]):
                new = widgets.number(message("breaking {name}", name=name), strength[name], lo=0.1, hi=1e6, unit=unit, log=True)
                if new is not None:
                    session.post(commands.set_joint_strength, j, **strength | {name: new})
    quantity_picker.button(session, f"joint:{session.frame.joint_names[j] or f'#{j}'}.")
    imgui.same_line()
    if widgets.button(icons.text(icons.TRASH, "Remove"), "Remove this joint; its bodies are kept.", name="remove joint"):
        session.post(commands.remove_joint, j)
