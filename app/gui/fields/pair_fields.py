"""Controls of the surface properties of a pair: of two materials, or of the two bodies of a contact."""

from dataclasses import dataclass, field

from app.analysis.editing.material_pairs import Number, Surface, Surfaces, limits, material_of, touching
from app.engine import commands
from app.engine.material_library import source_of
from app.gui.controls import style, widgets
from app.gui.fields import fields
from app.i18n.message import message
from app.number_format import rounded
from app.session import Session
from physics.world.materials import EXTRA

PAIR_LABELS = {"friction": "friction \u03bc", "kinetic_friction": "kinetic \u03bc", "restitution": "restitution e",
               "tangential_restitution": "tangential e", "torsional_restitution": "torsional e", "rolling": "rolling",
               "torsional": "torsional", "adhesion": "adhesion"}

PAIR_HELP = {
    "friction": "Static friction coefficient: largest friction over normal force while sticking.",
    "kinetic_friction": "Kinetic friction coefficient; equal to the static one unless set.",
    "restitution": "Coefficient of restitution: 0 is inelastic, 1 elastic.",
    "tangential_restitution": "Tangential restitution: fraction of the slip velocity reversed by an impact, within the "
                              "friction bound.",
    "torsional_restitution": "Torsional restitution: fraction of the spin about the normal reversed by an impact, within "
                             "torsional friction.",
    "rolling": "Length of rolling friction: its moment over the normal force.",
    "torsional": "Length of torsional friction: moment about the normal over the normal force.",
    "adhesion": "Attraction between the surfaces in contact."}


@dataclass
class Pairs:
    """The selected pair of materials, by index, and the quantity shown in the matrix."""

    surfaces: Surfaces = field(default_factory=Surfaces)
    pair: tuple[int, int] = (-1, -1)
    quantity: str = "friction"
    scene: str = ""


def updated(session: Session) -> Pairs:
    """The state, updated to the newest frame."""
    state, frame = session.state(Pairs), session.frame
    state.surfaces.update(frame, frame.materials)
    if state.scene != frame.scene:
        state.scene, state.pair = frame.scene, (-1, -1)
    return state


def changed(number: Number, new: float | None) -> dict[str, float | None] | None:
    """The change to send for a control's result; the rule's own number removes the pair's."""
    return None if new is None else {number.name: None if new == number.mixed and number.own else new}


def draw_pair(session: Session, surfaces: Surfaces, a: Surface, b: Surface) -> None:
    """Controls of a pair of materials."""
    count = len(touching(session.frame, a.index, b.index))
    widgets.heading(message("on itself: {material}", material=a.title) if a is b else
                    message("{one} on {other}", one=a.title, other=b.title))
    if surfaces.is_set(a, b):
        if widgets.button("Back to the rules", "Discard all values set for this pair.", name="pair by rules"):
            session.post(commands.set_pair, a.index, b.index, dict.fromkeys(PAIR_LABELS))
    else:
        widgets.wrapped(message("{count} contact now. All values by the mixing rules: edit a value to set it for this pair.",
                                "{count} contacts now. All values by the mixing rules: edit a value to set it for this pair.",
                                count=count),
                        style.palette().dim)
    for quantity in ("friction", "kinetic_friction", "restitution"):
        _number(session, surfaces.number(quantity, a, b), a, b)
    if fields.section("More of this pair"):
        for quantity in EXTRA:
            _number(session, surfaces.number(quantity, a, b), a, b)


def _number(session: Session, number: Number, a: Surface, b: Surface) -> None:
    lo, hi, unit = limits(number.name)
    new = widgets.number(PAIR_LABELS[number.name], number.lo, lo=lo, hi=max(hi, number.hi), unit=unit, default=number.mixed,
                         instead=number.several,
                         help=message("{help}\nFor this pair of materials only.", help=PAIR_HELP[number.name]))
    if (values := changed(number, new)) is not None:
        session.post(commands.set_pair, a.index, b.index, values)
    _rule(number, a, b)


def _rule(number: Number, a: Surface, b: Surface) -> None:
    """Show where a number is from: a handbook, the user, or a rule."""
    source = source_of(a.title, b.title, number.name, number.lo)
    if source:
        widgets.wrapped(message("from {source}; the rule gives {mixed}", source=source, mixed=rounded(number.mixed, 4)),
                        style.palette().dim)
        return
    if source == "" and not number.own:
        widgets.dim_text("no handbook value:")
    rule = (message("{formula}, {rule}", formula=number.formula, rule=number.rule) if number.lo == number.hi else
            message("{formula} = {number}: values differ between bodies", formula=number.formula, number=number.text))
    own = message("set for this pair; the rule gives {mixed}", mixed=rounded(number.mixed, 4))
    widgets.wrapped(own if number.own else rule, style.palette().dim)


def draw_body_pair(session: Session, a: int, b: int) -> None:
    """Friction and restitution of two touching bodies alone, and a button for the table of all pairs."""
    state, frame = updated(session), session.frame
    places = [state.surfaces.place(material_of(frame, body)) for body in (a, b)]
    if min(places) < 0:
        return
    first, second = (state.surfaces.items[k] for k in places)
    names = message("{one} and {other}", one=frame.body_names[a], other=frame.body_names[b])
    bodies = [frame.shapes[frame.shapes["body"] == body] for body in (a, b)]
    for quantity, label in (("friction", "pair \u03bc"), ("restitution", "pair e")):
        number = state.surfaces.of_bodies(quantity, first, second, *(float(own[0][quantity]) for own in bodies))
        lo, hi, unit = limits(quantity)
        new = widgets.number(label, number.lo, lo=lo, hi=max(hi, number.lo), unit=unit,
                             default=number.mixed, help=message("{help}\nFor {names} only; other pairs are not affected.",
                                                                help=PAIR_HELP[quantity], names=names))
        if (values := changed(number, new)) is not None:
            session.post(commands.set_body_pair, a, b, values)
        _rule(number, first, second)
    if widgets.button("All pairs of materials \u2026", name="pair ...",
                      help=message("The table of friction and restitution, at {first} on {second}.", first=first.title,
                                   second=second.title)):
        state.pair = first.index, second.index
        session.window.open_panel("materials")
