"""Inspector of the selected body, joint or contact: every field with its unit, editable where it can be changed."""

import math

import numpy as np

from app.analysis.editing import shape_sizes
from app.analysis.editing.material_pairs import pair_lines, title_of
from app.engine import commands
from app.engine.material_library import LIBRARY
from app.gui.controls import icons, style, widgets
from app.gui.fields import fields, quantity_picker
from app.gui.fields.contact_fields import draw_contact
from app.gui.fields.fields import shown, triple
from app.gui.fields.joint_fields import draw_joint
from app.gui.viewport import multi_select
from app.i18n import translate
from app.i18n.imgui_translated import imgui
from app.i18n.message import message
from app.number_format import rounded
from app.session import Session
from physics import Material
from physics.core.quaternions import product, to_matrix
from physics.core.records import Kind, SleepReason, WakeReason
from physics.world.bodies import KINDS
from physics.world.materials import EXTRA

TITLE = "Inspector"
PLACE = "right"
ORDER = 10
GROUP = "Change"
ABOUT = "all fields of the selection"

SLEEP_TEXTS = {SleepReason.NOT_TRACKED: "", SleepReason.FAST: "awake: it moves", SleepReason.CREEPS: "awake: slow drift",
               SleepReason.RESTING: "awake: at rest too briefly", SleepReason.ISLAND: "awake: island contains moving bodies",
               SleepReason.ASLEEP: "asleep"}

WAKE_TEXTS = {WakeReason.ISLAND: "with", WakeReason.TOUCHED: "touched by", WakeReason.MOVED_BODY: "moved by",
              WakeReason.SUPPORT: "support lost", WakeReason.FORCE: "a force", WakeReason.VELOCITY: "velocity set",
              WakeReason.POSE: "moved", WakeReason.MASS: "mass changed", WakeReason.MATERIAL: "material changed",
              WakeReason.JOINT: "joint", WakeReason.GRAVITY: "gravity changed", WakeReason.SOLVER: "the solver changed",
              WakeReason.REQUESTED: "called"}
"""What last woke a body, in words; the first three and JOINT are followed by a name."""


def draw(session: Session) -> None:
    chosen, frame = session.selection, session.frame
    body = chosen.body if 0 <= chosen.body < len(frame.bodies) else -1
    joint = chosen.joint if 0 <= chosen.joint < len(frame.joints) and frame.joints["kind"][chosen.joint] >= 0 else -1
    if body < 0 and joint < 0 and chosen.contact < 0:
        widgets.wrapped("Select a body, joint or contact to view and edit its properties.", style.palette().dim)
        return
    if chosen.contact >= 0:
        draw_contact(session, chosen.contact)
    if joint >= 0:
        imgui.push_id(f"joint {joint}")
        draw_joint(session, joint)
        imgui.pop_id()
    if body >= 0 and frame.bodies["kind"][body] != Kind.FREE:
        if joint >= 0 or chosen.contact >= 0:
            widgets.heading("Body")
        imgui.push_id(f"body {body}")
        _body(session, body)
        imgui.pop_id()


def _body(session: Session, body: int) -> None:
    frame, row = session.frame, session.frame.bodies[body]
    kind = next(title for title, number in KINDS.items() if number == row["kind"])
    if body == 0:
        widgets.wrapped("The world: the fixed ground. It cannot be changed.", style.palette().dim)
        return
    if (among := len(multi_select.selected_with(session, body))) > 1:
        widgets.wrapped(message("{among} bodies are selected. The last one is shown; kind, material, friction, restitution, "
                                "sensor and group apply to all.", among=among),
                        style.palette().accent_strong)
    if (new := fields.text("name", frame.body_names[body], "Name in plots, messages and files.")) is not None:
        translate.mark_as_personal(new)
        session.post(commands.rename_body, body, new)
    if (new := widgets.choice("kind", kind, tuple(KINDS), "Static: fixed. Kinematic: prescribed velocity. Dynamic: moved by "
                                                          "forces.")) is not None:
        multi_select.as_command(session, commands.set_kind, body, lambda i: (i, new))
    if text := rest(row, frame.body_names, frame.joint_names):
        widgets.dim_text(text)
    _material(session, body)
    _motion(session, body)
    _mass(session, body)
    _size(session, body)
    _touching(session, body)
    quantity_picker.button(session, f"body:{frame.body_names[body] or f'#{body}'}.")
    imgui.same_line()
    if widgets.button(icons.text(icons.TRASH, "Remove"), "Remove the selection and its joints (Del)", name="remove"):
        multi_select.as_command(session, commands.remove_body, body, lambda i: (i,))


def _motion(session: Session, body: int) -> None:
    row = session.frame.bodies[body]
    new = fields.vector("position", row["pos"], "m", "Centre of mass, world frame.")
    if new is not None:
        session.post(commands.set_pose, body, new, tuple(map(float, row["quat"])), False)
    new = fields.vector("angles", np.degrees(angles(row["quat"])), "deg", "Rotations about the world's x, then y, then z axis.")
    if new is not None:
        session.post(commands.set_pose, body, tuple(map(float, row["pos"])), tuple(map(float, turned(np.radians(new)))), False)
    if row["kind"] == Kind.STATIC:
        return
    vel, omega = (tuple(map(float, row[name])) for name in ("vel", "omega"))
    if (new := fields.vector("velocity", row["vel"], "m/s", "Of the centre of mass, world frame.")) is not None:
        session.post(commands.set_velocity, body, new, omega)
    if (new := fields.vector("spin", row["omega"], "rad/s", "Angular velocity, world frame.")) is not None:
        session.post(commands.set_velocity, body, vel, new)


def _mass(session: Session, body: int) -> None:
    frame, row = session.frame, session.frame.bodies[body]
    if row["kind"] != Kind.DYNAMIC:
        return
    own = fields.own(session, "bodies", "mass", body)
    new = widgets.number("mass", float(row["mass"]), lo=1e-3, hi=1e5, unit="kg", log=True, default=float(own) if own else None,
                         help="The moment of inertia scales with the mass.")
    if new is not None:
        session.post(commands.set_mass, body, new)
    if fields.section("Inertia, energy, weight"):
        shown("moments", triple(np.linalg.eigvalsh(row["inertia"]), "kg m^2"), "Principal moments of inertia about the centre.")
        shown("weight", f"{rounded(float(row['mass'] * np.linalg.norm(frame.gravity)), 4)} N", "Mass times gravity.")
        spin = to_matrix(row["quat"]).T @ row["omega"]
        kinetic = 0.5 * float(row["mass"] * row["vel"] @ row["vel"] + spin @ row["inertia"] @ spin)
        shown("kinetic energy", f"{rounded(kinetic, 4)} J", "Translational and rotational kinetic energy.")
        shown("momentum", triple(row["mass"] * row["vel"], "kg m/s"), "Mass times velocity, world frame.")
        shown("at rest for", f"{rounded(float(row['rest_time']))} s",
              "Time for which it has been slow enough to sleep (see the Physics panel).")


def _size(session: Session, body: int) -> None:
    frame, made = session.frame, shape_sizes.own_shape(session.frame, body)
    if made is not None:
        kind, dims = made
        slot = int(np.flatnonzero(frame.shapes["body"] == body)[0])
        own = fields.own(session, "shapes", "dims", slot, body)
        widgets.heading(kind)
        for k, name in enumerate(shape_sizes.SIZE_NAMES[kind]):
            now, (lo, hi) = float(dims[k]), shape_sizes.SIZE_RANGE
            new = widgets.number(name, now, lo=min(lo, now), hi=max(hi, now), unit="m", log=True,
                                 default=None if own is None else float(own[k]), help="The density is kept; the mass follows.")
            if new is not None:
                session.post(commands.resize, body, tuple(new if j == k else float(d) for j, d in enumerate(dims)))
        return
    for s in np.flatnonzero(frame.shapes["body"] == body)[:20].tolist():
        shape = frame.shapes[s]
        title = frame.shape_kinds[shape["kind"]].replace("_", " ")
        shown(title, triple(shape["dims"], "m"),
              message("Dimensions; position {position} in the body frame.", position=triple(shape["local_pos"], "m")))


def _material(session: Session, body: int) -> None:
    shapes = session.frame.shapes
    found = np.flatnonzero(shapes["body"] == body)
    if len(found) == 0:
        return
    slot, materials = int(found[0]), session.frame.materials.items
    index = int(shapes["material"][slot])
    material = materials[index] if index < len(materials) else materials[0]
    now = title_of(material, index)
    names = tuple(dict.fromkeys((now, "plain", *(m.name for m in materials if m.name), *LIBRARY)))
    if (new := widgets.choice("material", now, names,
                              "Surface material, with friction and restitution of its pairs from handbooks. The mass stays.")
            ) is not None:
        command = commands.use_material if new in LIBRARY else commands.set_material
        made = Material() if new == "plain" else new
        multi_select.as_command(session, command, body, lambda i: (i, made))
    for line in pair_lines(session.frame, body):
        widgets.wrapped(line, style.palette().dim)
    for name, command, label, top in (("friction", commands.set_friction, "friction \u03bc", 2.0),
                                      ("restitution", commands.set_restitution, "restitution e", 1.0)):
        own = fields.own(session, "shapes", name, slot, body)
        new = widgets.number(label, float(shapes[name][slot]), lo=0.0, hi=top, help=message("{name} of this body only.",
                name=name.capitalize()),
                             default=None if own is None else float(own))
        if new is not None:
            multi_select.as_command(session, command, body, lambda i, new=new: (new, i))
    if fields.section("More of the material"):
        shown("kinetic \u03bc", rounded(float(shapes['friction'][slot]) * material.kinetic_ratio, 4), "Kinetic friction "
                                                                                                      "coefficient.")
        for name in EXTRA:
            unit = {"adhesion": " N", "rolling": " m", "torsional": " m"}.get(name, "")
            shown(name.replace("_", " "), f"{rounded(getattr(material, name), 4)}{unit}", "See Mixing in docs/conventions.md.")
        shown("anisotropy", rounded(material.anisotropy, 4), "Ratio of transverse to longitudinal friction.")
        shown("surface velocity", triple(material.surface_velocity, "m/s"), "Surface velocity, as of a conveyor belt, in the "
                                                                            "shape's frame.")


def _touching(session: Session, body: int) -> None:
    frame = session.frame
    found = np.flatnonzero(frame.shapes["body"] == body)
    if len(found) == 0 or not fields.section("Contacts"):
        return
    shape = frame.shapes[found[0]]
    new = widgets.toggle("sensor", bool(shape["sensor"]), "Detects overlaps without exerting forces.")
    if new is not None:
        multi_select.as_command(session, commands.set_sensor, body, lambda i: (i, new))
    new = widgets.number("group", int(shape["group"]), lo=-32, hi=32,
                         help="Shapes of one group always collide (above 0) or never collide (below 0), whatever the categories.")
    if new is not None:
        multi_select.as_command(session, commands.set_filter, body, lambda i: (i,), group=new)
    shown("category", f"{int(shape['category']) or 1:#x}", "Category bits of the shape.")
    shown("mask", f"{~int(shape['ignores']) & 0xFFFFFFFF:#x}", "Category bits with which it collides.")
    touching = (frame.contacts["body_a"] == body) | (frame.contacts["body_b"] == body)
    shown("contacts", str(int(touching.sum())), "Contact points in the last step.")


def rest(row: np.void, bodies: tuple[str, ...], joints: tuple[str, ...]) -> str:
    """Whether a body sleeps, or why not, and what last woke it; "" where sleeping is off."""
    state, reason, cause = int(row["sleep_reason"]), int(row["wake_reason"]), int(row["wake_cause"])
    if state in (SleepReason.NOT_TRACKED, SleepReason.ASLEEP) or reason == WakeReason.NEVER:
        return SLEEP_TEXTS[state]
    names = joints if reason == WakeReason.JOINT else bodies
    named = reason in (WakeReason.ISLAND, WakeReason.TOUCHED, WakeReason.MOVED_BODY, WakeReason.JOINT)
    name = f" {names[cause]}" if named and 0 <= cause < len(names) else ""
    return message("{state}; woken: {reason}{name}", state=SLEEP_TEXTS[state], reason=WAKE_TEXTS[reason], name=name)


def angles(quat: np.ndarray) -> tuple[float, float, float]:
    """Rotation angles about the world's x, then y, then z axis [rad]."""
    w, x, y, z = (float(c) for c in quat)
    return (math.atan2(2.0 * (w * x + y * z), 1.0 - 2.0 * (x * x + y * y)),
            math.asin(min(1.0, max(-1.0, 2.0 * (w * y - z * x)))),
            math.atan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z)))

def turned(radians: np.ndarray) -> np.ndarray:
    """Quaternion of these angles: the inverse of `angles`."""
    out = np.array([1.0, 0.0, 0.0, 0.0])
    for axis, angle in enumerate(radians):
        turn = np.zeros(4)
        turn[0], turn[1 + axis] = math.cos(0.5 * angle), math.sin(0.5 * angle)
        out = product(turn, out)
    return out
