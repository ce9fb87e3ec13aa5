"""Friction and restitution of every pair of materials, by mixing rule or set for the pair; and the materials' own values."""

from app.analysis.editing.material_pairs import Surface, limits, range_text, touching
from app.engine import commands
from app.gui.controls import style, widgets
from app.gui.fields.pair_fields import PAIR_HELP, PAIR_LABELS, Pairs, changed, draw_pair, updated
from app.i18n.imgui_translated import imgui
from app.i18n.message import message
from app.number_format import rounded
from app.session import Highlight, Session
from physics.world.materials import EXTRA

TITLE = "Materials"
PLACE = "right"
ORDER = 22
OPEN = False
GROUP = "Change"
ABOUT = "friction of every pair of materials"

CELL_WIDTH, NAME_WIDTH = 84.0, 84.0
"""Widths of the matrix columns [px at scale 1]."""
MAX_ROWS = 9
"""Largest number of visible rows of the matrix."""


def draw(session: Session) -> None:
    state = updated(session)
    surfaces = state.surfaces
    if not surfaces.items:
        widgets.wrapped("No materials in use. Add a body, or open a scene.", style.palette().dim)
        return
    if surfaces.place(state.pair[0]) < 0 or surfaces.place(state.pair[1]) < 0:
        state.pair = (surfaces.items[0].index, surfaces.items[min(1, len(surfaces.items) - 1)].index)
    new = widgets.choice("quantity shown", state.quantity, tuple(PAIR_LABELS), "Quantity shown for each pair.", _words)
    state.quantity = new or state.quantity
    _matrix(session, state)
    first, second = (surfaces.items[surfaces.place(index)] for index in state.pair)
    imgui.push_id("pair")
    draw_pair(session, surfaces, first, second)
    imgui.pop_id()
    widgets.heading("materials")
    for surface in surfaces.items:
        imgui.push_id(surface.index)
        _surface(session, surface)
        imgui.pop_id()


def _words(quantity: str) -> str:
    return PAIR_LABELS[quantity]


def _matrix(session: Session, state: Pairs) -> None:
    """Draw a row and a column for each material; only half of the symmetric matrix."""
    items, flags = state.surfaces.items, imgui.TableFlags_
    row = imgui.get_frame_height() + widgets.scaled(4.0)
    shown = flags.row_bg | flags.no_saved_settings | flags.scroll_x | flags.scroll_y
    wide = widgets.scaled(NAME_WIDTH + len(items) * (CELL_WIDTH + 6.0)) > imgui.get_content_region_avail().x
    height = row * min(len(items) + 1, MAX_ROWS) + (imgui.get_style().scrollbar_size if wide else 0.0)
    imgui.push_style_var(imgui.StyleVar_.cell_padding, imgui.ImVec2(widgets.scaled(3.0), widgets.scaled(2.0)))
    if imgui.begin_table("pairs", len(items) + 1, shown, imgui.ImVec2(0.0, height)):
        imgui.table_setup_scroll_freeze(1, 1)
        imgui.table_setup_column("", imgui.TableColumnFlags_.width_fixed, widgets.scaled(NAME_WIDTH))
        for surface in items:
            imgui.table_setup_column(f"##{surface.index}", imgui.TableColumnFlags_.width_fixed, widgets.scaled(CELL_WIDTH))
        imgui.table_next_row()
        imgui.table_next_column()
        for surface in items:
            imgui.table_next_column()
            widgets.dim_text(widgets.cut(surface.title))
            widgets.tooltip(surface.title)
        clipper = imgui.ListClipper()
        clipper.begin(len(items), row)
        while clipper.step():
            for k in range(clipper.display_start, clipper.display_end):
                _row(session, state, k)
        imgui.end_table()
    imgui.pop_style_var()


def _row(session: Session, state: Pairs, k: int) -> None:
    items = state.surfaces.items
    imgui.table_next_row()
    imgui.table_next_column()
    imgui.align_text_to_frame_padding()
    imgui.text_unformatted(widgets.cut(items[k].title))
    widgets.tooltip(items[k].title)
    for other in items[: k + 1]:
        if imgui.table_next_column():
            imgui.push_id(other.index)
            imgui.push_id(items[k].index)
            _cell(session, state, items[k], other)
            imgui.pop_id()
            imgui.pop_id()


def _cell(session: Session, state: Pairs, a: Surface, b: Surface) -> None:
    """Draw an editable number where all bodies of the two have the same; else its range."""
    p, number = style.palette(), state.surfaces.number(state.quantity, a, b)
    lo, hi, _ = limits(state.quantity)
    name = message("{one} on {other}", one=a.title, other=b.title)
    chosen = {a.index, b.index} == set(state.pair)
    imgui.push_style_color(imgui.Col_.text, style.vec(p.accent_strong if number.own else p.text))
    if number.lo == number.hi:
        help = (message("{name}: {quantity}, {rule}.\n{formula} = {mixed} by the rule.", name=name,
                        quantity=PAIR_LABELS[number.name], rule="set for this pair" if number.own else number.rule,
                        formula=number.formula, mixed=rounded(number.mixed, 4)))
        new = widgets.number(name, number.lo, lo=lo, hi=max(hi, number.lo), unit="", default=number.mixed, help=help, inline=True,
                             width=widgets.scaled(CELL_WIDTH))
        pressed = imgui.is_item_clicked() or imgui.is_item_active()
        if (values := changed(number, new)) is not None:
            session.post(commands.set_pair, a.index, b.index, values)
    else:
        pressed = widgets.button(number.text,
                                 message("{name}: values differ between bodies. {formula} = {number}.", name=name,
                                         formula=number.formula, number=number.text),
                                 name=name,
                                 width=widgets.scaled(CELL_WIDTH))
    imgui.pop_style_color()
    if chosen:
        imgui.get_window_draw_list().add_rect(imgui.get_item_rect_min(), imgui.get_item_rect_max(), style.u32(p.accent_strong),
                                              imgui.get_style().frame_rounding)
    if pressed and not chosen:
        state.pair = a.index, b.index
        session.highlight = Highlight(contacts=tuple(touching(session.frame, a.index, b.index)[:200].tolist()))


def _surface(session: Session, surface: Surface) -> None:
    """Draw the editor of a material's own values, behind its name."""
    count = len(surface.bodies)
    bodies = message("{count} body", "{count} bodies", count=count)
    if not imgui.collapsing_header(f"{message('{material}  ({bodies})', material=surface.title, bodies=bodies)}###surface"):
        widgets.register_area(f"material {surface.title}")
        return
    widgets.register_area(f"material {surface.title}")
    spans = {"friction": surface.friction, "restitution": surface.restitution}
    for quantity, (least, most) in spans.items():
        lo, hi, unit = limits(quantity)
        differ = "" if least == most else (message("\nValues differ between its bodies, {least} .. {most}: an edit sets all of "
                                                   "them.", least=rounded(least), most=rounded(most)))
        new = widgets.number(message("own {quantity}", quantity=PAIR_LABELS[quantity]), 0.5 * (least + most), lo=lo,
                             hi=max(hi, most), unit=unit, instead=range_text(least, most) if differ else "",
                             help=message("{help}\nFor all bodies of {surface}.{differ}", help=PAIR_HELP[quantity],
                                          surface=surface.title, differ=differ))
        if new is not None:
            session.post(commands.set_surface, surface.index, {quantity: new})
    if surface.named:
        _more(session, surface)
    if count and widgets.button("Show its bodies", "Highlight them in the scene.", name="show bodies"):
        session.highlight = Highlight(bodies=surface.bodies[:200])


def _more(session: Session, surface: Surface) -> None:
    """What only named materials have."""
    items = session.frame.materials.items
    material = items[surface.index] if surface.index < len(items) else None
    if material is None or material.name != surface.title:
        return
    kinetic = material.friction if material.kinetic_friction is None else material.kinetic_friction
    for quantity, value in (("kinetic_friction", kinetic), *((name, getattr(material, name)) for name in EXTRA)):
        lo, hi, unit = limits(quantity)
        hi = material.friction if quantity == "kinetic_friction" else max(hi, value)
        new = widgets.number(message("own {quantity}", quantity=PAIR_LABELS[quantity]), value, lo=lo, hi=hi, unit=unit,
                             help=PAIR_HELP[quantity])
        if new is not None:
            session.post(commands.set_surface, surface.index, {quantity: new})
    for quantity, rule in material.mixing.items():
        widgets.dim_text(message("{quantity}: uses the {rule}", quantity=quantity.replace("_", " "), rule=rule))

