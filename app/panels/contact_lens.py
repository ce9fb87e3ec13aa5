"""Contact lens: friction cone of the solver, impulse, slip, and the products that the law requires to be zero."""

import itertools
import math
from dataclasses import dataclass

import numpy as np
from imgui_bundle import implot3d

from app.analysis.forces import contact_lens as lens
from app.analysis.forces.indeterminate import MAX_CONTACTS, ForceBounds, ShownBounds
from app.engine.frame import Frame
from app.gui.controls import flags, style, widgets
from app.i18n.imgui_translated import imgui
from app.i18n.message import joined, message
from app.number_format import rounded
from app.session import Session

TITLE = "Contact lens"
PLACE = "bottom"
ORDER = 26
GROUP = "Forces"
ABOUT = "one contact in its friction cone"

CONTACT_STATES = ("stick", "slide", "open", "degenerate", "no friction")
"""States shown beside the list of contacts."""

STATE_MEANINGS = {"stick": "Sticking: friction is within its "
                           "bound.", "slide": "Sliding: friction is at its bound and opposes the slip.",
                  "open": "No normal force.", "degenerate": "Friction is not determined by the law.",
                  "no friction": "The coefficient of this pair is zero: only a normal force acts."}

NUMBER_WIDTHS = {True: (0.8, 1.0, 1.05, 1.0), False: (1.25, 1.0)}
"""Shares of the columns of names and numbers, in two pairs side by side and in one."""

MIN_LIST = 160.0
"""Width of the list of contacts below which the state is on a line of its own [px at scale 1]."""

LensRow = tuple[str, str, str]
EMPTY_ROW: LensRow = ("", "", "")


@dataclass
class ContactLensState:
    """The shown contact, until the next frame. of: frame, contact and facets from which it was computed."""

    of: tuple[int, int, int] = (0, -1, -1)
    frame: Frame | None = None
    contact: lens.ContactState | None = None
    pair: lens.PairUse | None = None


def draw(session: Session) -> None:
    frame = session.frame
    index = lens.choose_contact(frame, session.selection.contact, session.selection.body)
    if index < 0:
        widgets.wrapped("No contacts. This panel shows a contact as soon as two bodies touch; click a contact in the scene to "
                        "select it.", style.palette().dim)
        return
    state, facets = session.state(ContactLensState), lens.facets_of(frame.solver_state)
    of = (id(frame), index, facets)
    if state.of != of or state.frame is not frame:
        state.of, state.frame, state.contact = of, frame, lens.contact_state(frame, index, facets)
        state.pair = lens.pair_use(frame, index)
    room = imgui.get_content_region_avail()
    side = min(room.y, 0.42 * room.x, widgets.scaled(420.0))
    if side > widgets.scaled(120.0):
        _cone(state.contact, side)
        imgui.same_line(0.0, widgets.scaled(10.0))
    if imgui.begin_child("numbers", child_flags=flags.WITHIN):
        _head(session, state.contact)
        _numbers(state.contact, state.pair, session.state(ShownBounds).of(frame, index))
    imgui.end_child()


def _head(session: Session, seen: lens.ContactState) -> None:
    """Choose a contact from a list, and show its state as a mark, a colour and a word."""
    chosen, frame = session.selection.contact, session.frame
    height, word = imgui.get_frame_height(), seen.state
    need = height + max(imgui.calc_text_size(state).x for state in CONTACT_STATES) + imgui.get_style().item_spacing.x
    whole_width = imgui.get_content_region_avail().x
    beside = whole_width - need > widgets.scaled(MIN_LIST)
    width = whole_width - need if beside else whole_width
    imgui.set_next_item_width(width)
    room, name = width - height - 2.0 * imgui.get_style().frame_padding.x, f"{seen.pair} #{seen.index}"
    whole = name if chosen >= 0 else f"most loaded: {name}"
    opened = imgui.begin_combo("##contact", whole if imgui.calc_text_size(whole).x <= room else widgets.cut(name, room))
    widgets.register_area("contact")
    if opened:
        if imgui.selectable("most loaded", chosen < 0)[0]:
            session.selection.contact = -1
        clipper = imgui.ListClipper()
        clipper.begin(len(frame.contacts))
        while clipper.step():
            for i in range(clipper.display_start, clipper.display_end):
                if imgui.selectable(f"{lens.pair_of(frame, i)} #{i}", i == seen.index)[0]:
                    session.selection.contact = i
                widgets.register_area(f"contact={i}")
        imgui.end_combo()
    else:
        widgets.tooltip("Most loaded contact of the selected body, or of all bodies. Click a contact in the scene to select it.")
    if beside:
        imgui.same_line()
    _mark(word, height)
    imgui.same_line(0.0, widgets.scaled(3.0))
    imgui.align_text_to_frame_padding()
    widgets.coloured(word, style.of_state(word))
    widgets.register_area("state")
    widgets.tooltip(message("{state}\nT08 sign case {sign_case}, planar case {planar_case}: {meaning}.",
                            state=STATE_MEANINGS[word], sign_case=seen.sign_case or "-", planar_case=seen.planar_case,
                            meaning=seen.meaning))


def _mark(state: str, height: float) -> None:
    """Draw the mark of a state, as in the scene: square sticks, triangle slides, ring open; a cross otherwise."""
    corner, draw_list, colour = imgui.get_cursor_screen_pos(), imgui.get_window_draw_list(), style.u32(style.of_state(state))
    r, x, y = 0.24 * height, corner.x + 0.35 * height, corner.y + 0.5 * height

    def at(right: float, down: float) -> imgui.ImVec2:
        return imgui.ImVec2(x + right * r, y + down * r)

    if state == "stick":
        draw_list.add_rect_filled(at(-1.0, -1.0), at(1.0, 1.0), colour)
    elif state == "slide":
        draw_list.add_triangle_filled(at(-1.0, -1.1), at(1.2, 0.0), at(-1.0, 1.1), colour)
    elif state == "open":
        draw_list.add_circle(at(0.0, 0.0), r, colour, 0, widgets.scaled(1.8))
    else:
        draw_list.add_line(at(-1.0, -1.0), at(1.0, 1.0), colour, widgets.scaled(1.8))
        draw_list.add_line(at(-1.0, 1.0), at(1.0, -1.0), colour, widgets.scaled(1.8))
    imgui.dummy(imgui.ImVec2(0.7 * height, height))


def _numbers(seen: lens.ContactState, pair: lens.PairUse, bounds: ForceBounds | None) -> None:
    """Draw forces and the cone, motion and the law: side by side where there is room."""
    columns = (*_pair(pair), *_forces(seen, bounds)), _motion(seen)
    wide = imgui.get_content_region_avail().x > widgets.scaled(470.0)
    imgui.push_style_var(imgui.StyleVar_.cell_padding, imgui.ImVec2(widgets.scaled(8.0), widgets.scaled(2.0)))
    if imgui.begin_table("numbers", 4 if wide else 2, imgui.TableFlags_.no_saved_settings):
        for i in range(4 if wide else 2):
            imgui.table_setup_column(f"{i}", imgui.TableColumnFlags_.width_stretch, NUMBER_WIDTHS[wide][i])
        table = itertools.zip_longest(*columns, fillvalue=EMPTY_ROW) if wide else ((row,) for column in columns for row in column)
        for rows in table:
            imgui.table_next_row()
            for name, text, help in rows:
                imgui.table_next_column()
                if not name:
                    continue
                widgets.dim_text(widgets.cut(name))
                widgets.register_area(name)
                widgets.tooltip(help)
                imgui.table_next_column()
                if name in ("used", "used by the pair"):
                    share = seen.used if name == "used" else pair.share
                    widgets.bar(share, text, style.of_state(seen.state), imgui.get_text_line_height())
                else:
                    widgets.right(text)
        imgui.end_table()
    imgui.pop_style_var()


def _pair(pair: lens.PairUse) -> list[LensRow]:
    """Use of friction by the two bodies as a whole; nothing where they have one contact."""
    if pair.contacts < 2 or math.isnan(pair.share):
        return []
    return [("used by the pair", f"{100.0 * pair.share:.1f} %",
             message("Friction of all {contacts} contacts of the two bodies, {friction} of at most {bound} N. How single "
                     "contacts share it is rarely determined.", contacts=pair.contacts, friction=rounded(pair.friction, 4),
                     bound=rounded(pair.bound, 4)))]


def _forces(seen: lens.ContactState, bounds: ForceBounds | None) -> list[LensRow]:
    mu = rounded(seen.mu, 4) if seen.anisotropy == 1.0 else (message("{along}, transverse {across}", along=rounded(seen.mu, 4),
                                                                     across=rounded(seen.anisotropy * seen.mu)))
    size = math.hypot(*seen.impulse[:2])
    used = "no bound" if math.isnan(seen.used) else f"{100.0 * seen.used:.1f} %"
    return [
        ("normal", f"{rounded(seen.normal, 4)} N",
         message("Mean normal force of the step: an impulse of {impulse} N s.", impulse=rounded(seen.impulse[2], 4))),
        ("possible", *bounds_words(bounds)),
        *_null_space(seen, bounds),
        *_sufficient(bounds),
        ("friction", f"{rounded(seen.friction, 4)} N",
         message("Mean friction of the step: an impulse of {impulse} N s.", impulse=rounded(size, 4))),
        ("used", used,
         message("Friction relative to its bound in that direction: {friction} of {bound} N.", friction=rounded(seen.friction, 4),
                 bound=rounded(seen.bound, 4))),
        ("friction \u03bc", mu,
         "Static or kinetic coefficient of the pair along the first tangent; and transverse, if different."),
        ("friction cone", *_cone_words(seen.facets, seen.loss)),
    ]


def bounds_words(bounds: ForceBounds | None) -> tuple[str, str]:
    """Range of the normal force, and what it means."""
    if bounds is None:
        return "-", message("Bounds of the normal force: computed for loaded contacts, where at most {max_contacts} share the "
                            "load.", max_contacts=MAX_CONTACTS)
    if not bounds.found:
        return "not found", ("No normal and friction forces within the friction cones were found that give this motion: numbers "
                             "of very different size, or a solver that stopped early.")
    if bounds.determined:
        return "this alone", "The laws determine the normal force: no other one gives the same motion."
    if math.isinf(bounds.greatest):
        return f"\u2265 {rounded(bounds.least)} N", (
            "Least normal force with the same motion. It has no upper bound: the contacts can press against one another by any "
            "amount.")
    return (f"{rounded(bounds.least)} .. {rounded(bounds.greatest)} N",
            message("Least and greatest normal force with the same motion: {contacts} contacts share the load, and rigid bodies "
                    "leave open how. The solver's solution is one of many.", contacts=bounds.contacts))


def _null_space(seen: lens.ContactState, bounds: ForceBounds | None) -> list[LensRow]:
    """How the other contacts take part where this one's force is not determined; nothing where it is."""
    if bounds is None or bounds.determined:
        return []
    normal = {i: float(force @ way) for i, force, way in zip(bounds.sharing, bounds.exchange, bounds.normals) if i != seen.index}
    changes = joined(", ", [message("contact #{contact} by {change} N", contact=i, change=rounded(_without_rounding(change)))
                            for i, change in normal.items()])
    return [("undetermined", message("in {count} way", "in {count} ways", count=bounds.dimension),
             message("Independent changes of the contact forces with the same motion: the dimension of their null space. With "
                     "one newton more here the normal forces of the others change, at least: {changes}. The overlay 'null "
                     "space' shows it.", changes=changes))]


def _sufficient(bounds: ForceBounds | None) -> list[LensRow]:
    """How many of the contacts that share the load suffice; nothing where all are needed."""
    if bounds is None or bounds.suffice == bounds.contacts:
        return []
    return [("needed", message("{suffice} of {contacts} contacts", suffice=bounds.suffice, contacts=bounds.contacts),
             "Normals of the other contacts are nonnegative combinations of theirs: without friction nothing moves differently "
             "if those are left out.")]


def _cone_words(facets: int, loss: float) -> tuple[str, str]:
    if not facets:
        return "circle", "The solver uses the circular cone."
    if facets == 2:
        return "line", "Two directions: friction along the first tangent only, for planar motion."
    return (message("{facets}-gon, −{loss} %", facets=facets, loss=rounded(100.0 * loss, 2)),
            message("The polygon is inscribed in the circle: midway between two corners friction is 1 - cos(pi/{facets}) = "
                    "{loss} % too weak.", facets=facets, loss=rounded(100.0 * loss)))


def _motion(seen: lens.ContactState) -> list[LensRow]:
    end = "end" if seen.gap_at_end else "start"
    return [
        ("gap", f"{rounded(1e3 * _without_rounding(seen.gap))} mm",
         message("Gap between the surfaces at the {end} of the step; negative: penetration.", end=end)),
        ("approach", f"{rounded(_without_rounding(seen.approach))} m/s",
         "Normal velocity at the start of the step; negative: approaching."),
        ("slip", f"{rounded(_without_rounding(math.hypot(*seen.slip)))} m/s",
         message("Slip velocity at the end of the step: {first} and {second} m/s along the two tangents.",
                 first=rounded(seen.slip[0]), second=rounded(seen.slip[1]))),
        *((r.name, f"{rounded(r.value, 2)} {r.unit}",
           message("{law} {product} is zero if it holds. {help}.", law=r.law, product=r.product, help=r.help))
          for r in seen.residuals),
    ]


def _without_rounding(value: float) -> float:
    """Replace values below any solver's accuracy by zero."""
    return value if abs(value) >= 1e-12 else 0.0


# ---- the cone


def _cone(seen: lens.ContactState, side: float) -> None:
    """Draw the cone in the contact's axes, scaled to a normal impulse of one."""
    p, flags, axis = style.palette(), implot3d.Flags_, implot3d.AxisFlags_
    plain = axis.no_tick_labels | axis.no_tick_marks | axis.no_label
    line, words = imgui.get_text_line_height_with_spacing(), ("impulse", "slip", *(("true cone",) if seen.facets else ()))
    if not imgui.begin_child("cone", imgui.ImVec2(side, 0.0)):
        imgui.end_child()
        return
    canvas = flags.no_legend | flags.no_title | flags.no_menus | flags.no_mouse_text | flags.no_zoom | flags.no_pan
    room, between = imgui.get_content_region_avail(), imgui.get_style().item_spacing.x
    lines = 1 if sum(imgui.calc_text_size(word).x + between for word in words) <= room.x + between else len(words)
    height = max(widgets.scaled(80.0), room.y - lines * line)
    if implot3d.begin_plot("##cone", imgui.ImVec2(-1.0, height), canvas):
        half = lens.half_width(seen.mu)
        implot3d.setup_axes("", "", "", plain, plain, plain)
        implot3d.setup_axes_limits(-half, half, -half, half, 0.0, 2.0 * half, implot3d.Cond_.always)
        implot3d.setup_box_initial_rotation(24.0, 35.0)
        implot3d.setup_box_scale(1.38, 1.38, 1.38)
        _shell(seen)
        _arrows(seen, half)
        implot3d.end_plot()
    widgets.register_area("cone picture")
    widgets.coloured("impulse", style.of_state(seen.state))
    widgets.tooltip("Contact impulse on the second body, relative to its normal component. Square tip: sticking; triangle: "
                    "sliding.")
    if lines == 1:
        imgui.same_line()
    widgets.coloured(widgets.cut("slip"), p.curves[3])
    widgets.tooltip("Slip velocity of the second body relative to the first. Half the width of the box is 0.1 m/s; larger values "
                    "are compressed.")
    if seen.facets:
        if lines == 1:
            imgui.same_line()
        widgets.dim_text(widgets.cut("true cone"))
        widgets.tooltip("The circle circumscribing the polygon.")
    imgui.end_child()


def _shell(seen: lens.ContactState) -> None:
    """Draw faces, edges and rim; the circle around a polygon."""
    p, colour = style.palette(), style.of_state(seen.state)
    rim = lens.rim(seen.mu, seen.anisotropy, seen.facets)
    faces = np.stack([np.zeros((len(rim) - 1, 3)), rim[:-1], rim[1:]], axis=1).reshape(-1, 3)
    clear = style.vec(colour, 0.0)
    implot3d.plot_triangle("##faces", *_xyz(faces), implot3d.Spec(fill_color=style.vec(colour), fill_alpha=0.13,
                                                                  line_color=clear))
    _curve("rim", rim, style.vec(colour, 0.9), 1.6)
    if seen.facets:
        edges = np.stack([np.zeros_like(rim[:-1]), rim[:-1]], axis=1).reshape(-1, 3)
        _curve("edges", edges, style.vec(colour, 0.45), 1.0, implot3d.LineFlags_.segments)
        _curve("circle", lens.rim(seen.mu, seen.anisotropy, 0), style.vec(p.dim, 0.9), 1.0)


def _curve(name: str, points: np.ndarray, colour: imgui.ImVec4, weight: float, flags: int = 0) -> None:
    implot3d.plot_line(f"##{name}", *_xyz(points),
                       implot3d.Spec(line_color=colour, line_weight=widgets.scaled(weight), flags=flags))


def _arrows(seen: lens.ContactState, half: float) -> None:
    """Draw the impulse from the apex to the height of the rim, and the slip on the floor."""
    p, marker = style.palette(), implot3d.Marker_
    if seen.impulse[2] > 0.0:
        tip = seen.impulse / seen.impulse[2]
        _arrow("impulse", tip, style.of_state(seen.state), marker.up if seen.state == "slide" else marker.square)
    speed = math.hypot(*seen.slip)
    if speed > 1e-6:
        length = lens.slip_length(speed) * half / speed
        _arrow("slip", np.array([*(length * seen.slip), 0.0]), p.curves[3], marker.circle)


def _arrow(name: str, tip: np.ndarray, colour: style.RGBA, marker: int) -> None:
    ends = np.stack([np.zeros(3), tip])
    full, text = style.vec(colour), style.vec(style.palette().text)
    _curve(name, ends, full, 3.0)
    implot3d.plot_scatter(f"##{name} tip", *_xyz(ends[1:]), implot3d.Spec(
        marker=marker, marker_size=widgets.scaled(4.5), marker_fill_color=full, marker_line_color=text))


def _xyz(points: np.ndarray) -> list[np.ndarray]:
    return [np.ascontiguousarray(points[:, k]) for k in range(3)]
