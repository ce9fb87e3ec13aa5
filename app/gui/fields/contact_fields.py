"""All of one contact: where, how it pushes, what its pair of materials makes of it and by which rule."""

import contextlib

import numpy as np

from app.digits import few
from app.gui.controls import style, widgets
from app.gui.fields import fields, quantity_picker
from app.gui.fields.fields import shown, triple
from app.gui.fields.pair_fields import draw_body_pair
from app.session import Session
from physics import describe_pair
from physics.contact_quantities import key_of
from physics.core.records import Case


def draw_contact(session: Session, index: int) -> None:
    """Facts of a contact of the newest step."""
    frame = session.frame
    if index >= len(frame.contacts):
        return
    contact, acting, p = frame.contacts[index], frame.acting, style.palette()
    normal = float(contact["impulse"]) / acting
    friction = contact["friction_impulse"] / acting
    size, bound = float(np.linalg.norm(friction)), float(contact["friction"]) * normal
    words = {Case.OPEN: ("open", p.open), Case.STICK: ("sticks", p.stick), Case.SLIP: ("slips", p.slip)}
    widgets.heading("Contact")
    a, b = (int(contact[side]) for side in ("body_a", "body_b"))
    widgets.wrapped(f"{frame.body_names[a]} and {frame.body_names[b]}", p.dim)
    widgets.coloured(*words[Case(int(contact["case"]))])
    colour = words[Case(int(contact["case"]))][1]
    widgets.bar(size / bound if bound > 0.0 else 0.0, f"friction {few(size)} of {few(bound)} N", colour)
    draw_body_pair(session, a, b)
    shown("normal force", f"{few(normal, 4)} N", "On b along the normal, as a mean over the last step.")
    shown("friction", triple(friction, "N"), "On b, world frame, as a mean over the last step.")
    shown("gap", f"{few(1e3 * float(contact['gap']))} mm", "Of the surfaces at the start of the step; below zero they overlap.")
    shown("slip", triple(contact["slip"], "m/s"), "Of b's surface against a's at the end of the step.")
    shown("approach", f"{few(contact['approach'], 4)} m/s", "Normal velocity at the start of the step; below zero: nearer.")
    quantity_picker.button(session, f"contact:{key_of(contact, frame.body_names)}.")
    if fields.section("More of this contact"):
        shown("point", triple(contact["pos"], "m"), "Half way between the surfaces, world frame.")
        shown("normal", triple(contact["normal"], ""), "Unit, from a to b.")
        shown("tangent", triple(contact["tangent"], ""), "First axis of the friction cone.")
        shown("target", triple(contact["target"], "m/s"), "Velocity that the solver was asked for: normal and tangents.")
        shown("spin moment", triple(contact["spin_impulse"] / acting, "N m"), "Rolling and torsional friction on b.")
        shown("friction \u03bc", few(float(contact['friction']), 4), "Of the pair, as it sticks or slides.")
        shown("anisotropy", few(float(contact['anisotropy']), 4), "Friction across the first tangent over that along it.")
        shown("restitution", few(float(contact['restitution']), 4), "Of the pair.")
        shown("pending", f"{few(float(contact['pending']), 4)} m/s", "Speed of an impact whose rebound waits until they touch.")
        case = int(contact["sign_case"])
        shown("case of T08", str(case) if case else "not known", "1 .. 8, by its three inequalities.")
    if fields.section("How the pair mixes"):
        with contextlib.suppress(Exception):    # the world may change this very moment
            for line in describe_pair(session.simulation.world, a, b).splitlines()[1:]:
                widgets.wrapped(line, p.dim)
