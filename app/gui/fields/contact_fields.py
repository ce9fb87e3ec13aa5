"""Fields of one contact: position, forces, and the properties of its pair of materials with their rules."""


import numpy as np

from app.analysis.forces.tables import CONTACT_CASES, shown_case
from app.gui.controls import style, widgets
from app.gui.fields import fields, quantity_picker
from app.gui.fields.fields import shown, triple
from app.gui.fields.pair_fields import draw_body_pair
from app.i18n.message import message
from app.number_format import rounded
from app.session import Session
from physics import describe_pair
from physics.core.records import Case
from physics.observe.contact_quantities import key_of


def draw_contact(session: Session, index: int) -> None:
    """Facts of a contact of the newest step."""
    frame = session.frame
    if index >= len(frame.contacts):
        return
    contact, acting, p = frame.contacts[index], frame.impulse_duration, style.palette()
    normal = float(contact["impulse"]) / acting
    friction = contact["friction_impulse"] / acting
    size, bound = float(np.linalg.norm(friction)), float(contact["friction"]) * normal
    case = int(shown_case(contact))
    state, colour = CONTACT_CASES[case], {Case.OPEN: p.open, Case.STICK: p.stick, Case.SLIP: p.slip}.get(case, p.dim)
    widgets.heading("Contact")
    a, b = (int(contact[side]) for side in ("body_a", "body_b"))
    widgets.wrapped(message("{one} and {other}", one=frame.body_names[a], other=frame.body_names[b]), p.dim)
    widgets.coloured(state, colour)
    widgets.bar(size / bound if bound > 0.0 else 0.0,
                message("friction {size} of {bound} N", size=rounded(size), bound=rounded(bound)), colour)
    draw_body_pair(session, a, b)
    shown("normal force", f"{rounded(normal, 4)} N", "Force on b along the normal, mean over the last step.")
    shown("friction", triple(friction, "N"), "Force on b, world frame, mean over the last step.")
    shown("gap", f"{rounded(1e3 * float(contact['gap']))} mm",
          "Gap between the surfaces at the start of the step; negative: penetration.")
    shown("slip", triple(contact["slip"], "m/s"), "Slip velocity of b's surface relative to a's at the end of the step.")
    shown("approach", f"{rounded(contact['approach'], 4)} m/s", "Normal velocity at the start of the step; negative: "
                                                                "approaching.")
    quantity_picker.button(session, f"contact:{key_of(contact, frame.body_names)}.")
    if fields.section("More of this contact"):
        shown("point", triple(contact["pos"], "m"), "Midpoint between the surfaces, world frame.")
        shown("normal", triple(contact["normal"], ""), "Unit vector from a to b.")
        shown("tangent", triple(contact["tangent"], ""), "First axis of the friction cone.")
        shown("target", triple(contact["target"], "m/s"), "Target velocity of the constraint: normal and tangential.")
        shown("spin moment", triple(contact["spin_impulse"] / acting, "N m"), "Rolling and torsional friction torque on b.")
        shown("friction \u03bc", rounded(float(contact['friction']), 4), "Static or kinetic coefficient of the pair.")
        shown("anisotropy", rounded(float(contact['anisotropy']), 4), "Ratio of transverse to longitudinal friction.")
        shown("restitution", rounded(float(contact['restitution']), 4), "Coefficient of the pair.")
        shown("pending", f"{rounded(float(contact['pending_rebound']), 4)} m/s",
              "Approach speed of an impact whose rebound is pending until contact.")
        case = int(contact["sign_case"])
        shown("case of T08", str(case) if case else "not known", "1 .. 8, by its three inequalities.")
    if fields.section("How the pair mixes"):
        for line in describe_pair(session.frame.as_world, a, b).splitlines()[1:]:
            widgets.wrapped(line, p.dim)
