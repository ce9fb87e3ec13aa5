"""The numbers of a pair of surfaces as controls: of two materials, or of the two bodies of a contact."""

from dataclasses import dataclass, field

from app.digits import few
from app.gui.controls import style, widgets
from app.gui.fields import fields
from app.insight.pairs import Number, Surface, Surfaces, limits, material_of, touching
from app.session import Session
from physics.materials import EXTRA

LABELS = {"friction": "friction \u03bc", "kinetic_friction": "kinetic \u03bc", "restitution": "restitution e",
          "tangential_restitution": "tangential e", "rolling": "rolling", "torsional": "torsional", "adhesion": "adhesion"}

HELP = {"friction": "Largest friction over the normal force while the surfaces stick.",
        "kinetic_friction": "The same while they slide; as the static one unless it is set.",
        "restitution": "Share of the speed of approach that comes back: 0 stays, 1 bounces fully.",
        "tangential_restitution": "Share of the sliding speed that an impact turns back, as far as friction lets it.",
        "rolling": "Lever of rolling friction: its moment over the normal force.",
        "torsional": "Lever of friction against spinning about the normal: its moment over the normal force.",
        "adhesion": "Pull between the surfaces while they touch."}


@dataclass
class Pairs:
    """What a person looks at: the pair of materials, by index, and the quantity that the matrix shows."""

    surfaces: Surfaces = field(default_factory=Surfaces)
    pair: tuple[int, int] = (-1, -1)
    quantity: str = "friction"
    scene: str = ""


def look(session: Session) -> Pairs:
    """As the newest frame has it."""
    state, frame = session.memory(Pairs), session.frame
    state.surfaces.see(frame, session.simulation.world.materials)
    if state.scene != frame.scene:
        state.scene, state.pair = frame.scene, (-1, -1)
    return state


def changed(number: Number, new: float | None) -> dict[str, float | None] | None:
    """What to send for what a control gave: the rule's own number takes the pair's back."""
    return None if new is None else {number.name: None if new == number.mixed and number.own else new}


def draw_pair(session: Session, surfaces: Surfaces, a: Surface, b: Surface) -> None:
    """Controls of a pair of materials."""
    count = len(touching(session.frame, a.index, b.index))
    widgets.heading("on itself: " + a.title if a is b else f"{a.title} on {b.title}")
    if surfaces.is_set(a, b):
        if widgets.button("Back to the rules", "Take back all that was set for this pair.", name="pair by rules"):
            session.post("set_pair", a.index, b.index, dict.fromkeys(LABELS))
    else:
        widgets.wrapped(f"{count} contact{'s' * (count != 1)} now. All by the rules: change a number to set it for this pair.",
                        style.palette().dim)
    for quantity in ("friction", "kinetic_friction", "restitution"):
        _number(session, surfaces.number(quantity, a, b), a, b)
    if fields.section("More of this pair"):
        for quantity in EXTRA:
            _number(session, surfaces.number(quantity, a, b), a, b)


def _number(session: Session, number: Number, a: Surface, b: Surface) -> None:
    lo, hi, unit = limits(number.name)
    new = widgets.number(LABELS[number.name], number.lo, lo=lo, hi=max(hi, number.lo), unit=unit, default=number.mixed,
                         help=f"{HELP[number.name]}\nOf this pair of materials alone.")
    if (values := changed(number, new)) is not None:
        session.post("set_pair", a.index, b.index, values)
    _rule(number)


def _rule(number: Number) -> None:
    """Where a number comes from."""
    rule = f"{number.formula}, {number.rule}" if number.lo == number.hi else f"{number.formula} = {number.text}: bodies differ"
    widgets.wrapped(f"set for this pair; the rule gives {few(number.mixed, 4)}" if number.own else rule, style.palette().dim)


def draw_body_pair(session: Session, a: int, b: int) -> None:
    """Friction and restitution of two bodies that touch, theirs alone; and the way to the table of all pairs."""
    state, frame = look(session), session.frame
    places = [state.surfaces.place(material_of(frame, body)) for body in (a, b)]
    if min(places) < 0:
        return
    first, second = (state.surfaces.items[k] for k in places)
    names = f"{frame.body_names[a]} and {frame.body_names[b]}"
    bodies = [frame.shapes[frame.shapes["body"] == body] for body in (a, b)]
    for quantity, label in (("friction", "pair \u03bc"), ("restitution", "pair e")):
        number = state.surfaces.of_bodies(quantity, first, second, *(float(own[0][quantity]) for own in bodies))
        lo, hi, unit = limits(quantity)
        new = widgets.number(label, number.lo, lo=lo, hi=max(hi, number.lo), unit=unit,
                             default=number.mixed, help=f"{HELP[quantity]}\nBetween {names} alone: all else stays as it is.")
        if (values := changed(number, new)) is not None:
            session.post("set_body_pair", a, b, values)
        _rule(number)
    if widgets.button("All pairs of materials \u2026", name="pair ...",
                      help=f"The table of friction and restitution, at {first.title} on {second.title}."):
        state.pair = first.index, second.index
        session.request("open:materials")
