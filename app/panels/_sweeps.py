"""Sweeps under the microscope: how fast they converge, every contact's impulses, and the walk of one of them to its bound."""

import functools
import itertools
import math
from typing import Any

import numpy as np

from app import language
from app.digits import few
from app.engine.identity import same_contact
from app.gui.controls import flags, style, tables, widgets
from app.gui.plots import axes
from app.gui.speaking import imgui, implot
from app.insight.joint_walk import ROLES, Visit
from app.insight.microscope import STATES, Microscope
from app.insight.walk import Walk
from app.session import Session
from physics.core.records import Case, Role

MEANINGS = {
    "residual": "By how much the impulses after so many sweeps violate the laws (natural map) [m/s].",
    "change": "Largest change of an impulse by that sweep, as the velocity it causes (MS16 eq 17) [m/s].",
    "cold start": "The residual if no substep begins with the last impulses [m/s]."}

FLOOR = 1e-17
"""Nothing, on a logarithmic scale [m/s]."""

FARTHEST = 3.0
"""What is farther outside than so many radii of the disc is drawn at the edge, in its direction."""

COLUMNS = (
    ("visit", 28.0, "When in the sweep it is visited. Contacts that share no moving body are visited side by side."),
    ("bodies", 0.0, "Who touches whom, or the joint."),
    ("state", 34.0, "Sticks, slides or open, after the sweep."),
    ("N before", 52.0, "Normal impulse before the contact is visited [N s]."),
    ("N wanted", 56.0, "The impulse that would just bring the normal velocity to what is wanted; below zero it would pull."),
    ("N after", 52.0, "The same, kept at or above zero [N s]."),
    ("F / \u03bcN", 54.0, "Friction after the visit over its bound."))


def draw(session: Session, state: Any) -> None:
    scope = state.scope
    sweep = min(max(state.at, 0), scope.warm.last)
    contact = _chosen(session, state, sweep)
    walk = scope.walk(sweep)
    room = imgui.get_content_region_avail()
    left, right = widgets.px(205.0), min(widgets.px(210.0), max(room.y, widgets.px(150.0)) + widgets.px(30.0))
    if room.x < left + right + widgets.px(330.0):
        _curve(state, sweep, widgets.px(170.0))
        _table(session, state, sweep, walk, contact, widgets.px(200.0))
        _disc(state, sweep, walk, contact, widgets.px(200.0))
        return
    if imgui.begin_child("curve", imgui.ImVec2(left, 0.0)):
        _curve(state, sweep, -1.0)
    imgui.end_child()
    imgui.same_line()
    if imgui.begin_child("impulses", imgui.ImVec2(imgui.get_content_region_avail().x - right - widgets.px(8.0), 0.0)):
        _table(session, state, sweep, walk, contact, 0.0)
    imgui.end_child()
    imgui.same_line()
    if imgui.begin_child("walk", imgui.ImVec2(right, 0.0)):
        _disc(state, sweep, walk, contact, imgui.get_content_region_avail().y)
    imgui.end_child()


def choose(session: Session, state: Any, contact: int, contacts: np.ndarray) -> None:
    """A contact of the frozen step was clicked: it is the one in the scene, too."""
    state.contact = contact
    found = same_contact(session.frame.contacts, contacts[contact])
    session.selection.contact = found
    if found < 0:
        session.say("that contact is new in the frozen step: the scene does not show it yet")


def _chosen(session: Session, state: Any, sweep: int) -> int:
    """The contact that is looked at: the one selected in the scene, else the one that bears most; -1: none."""
    contacts, index = state.scope.warm.contacts[sweep], session.selection.contact
    if 0 <= index < len(session.frame.contacts):
        found = same_contact(contacts, session.frame.contacts[index])
        if found >= 0:
            return found
    if 0 <= state.contact < len(contacts):
        return state.contact
    return int(np.argmax(contacts["impulse"])) if len(contacts) else -1


def _curve(state: Any, sweep: int, height: float) -> None:
    """Residual and change after each sweep; without warm start beside it."""
    p, Axis, scope = style.palette(), implot.ImAxis_, state.scope
    lines = [("residual", scope.warm.residual, p.curves[0], 1.8), ("change", scope.warm.change, p.curves[2], 1.2)]
    if scope.cold is not None:
        lines.append(("cold start", scope.cold.residual, p.curves[1], 1.2))
    for k, (name, _, colour, _) in enumerate(lines):
        if k:
            imgui.same_line()
        widgets.coloured(name, colour)
        widgets.tooltip(MEANINGS[name])
    room = imgui.get_content_region_avail()
    if not implot.begin_plot("##sweeps", imgui.ImVec2(-widgets.px(2.0), height), flags.BARE):
        return
    widgets.mark("curve")
    values = np.concatenate([one[np.isfinite(one)] for _, one, _, _ in lines])
    values = values[values > FLOOR]
    last = max(len(one) - 1 for _, one, _, _ in lines)
    axes.even(Axis.x1, "sweeps", "", -0.04 * last - 0.2, 1.04 * last + 0.2, room.x, implot.AxisFlags_.no_grid_lines, whole=True)
    axes.decades(Axis.y1, "", "m/s", 0.3 * values.min() if len(values) else 1e-12, 4.0 * values.max() if len(values) else 1.0,
                 height if height > 0.0 else room.y)
    implot.setup_finish()
    implot.plot_inf_lines("##at", np.array([float(sweep)]), implot.Spec(line_color=style.vec(p.dim), line_weight=widgets.px(1.0)))
    for name, one, colour, weight in lines:
        good = one > FLOOR
        if np.count_nonzero(good) == 1:
            implot.plot_scatter(name, np.flatnonzero(good).astype(float), one[good],
                                implot.Spec(marker=implot.Marker_.circle, marker_size=widgets.px(3.0),
                                            marker_fill_color=style.vec(colour), marker_line_color=style.vec(colour)))
        else:
            implot.plot_line(name, np.flatnonzero(good).astype(float), one[good],
                             implot.Spec(line_color=style.vec(colour), line_weight=widgets.px(weight)))
    if scope.warm.residual[sweep] > FLOOR:
        implot.plot_scatter("##now", np.array([float(sweep)]), scope.warm.residual[sweep : sweep + 1],
                            implot.Spec(marker=implot.Marker_.circle, marker_size=widgets.px(4.0),
                                        marker_fill_color=style.vec(p.text), marker_line_color=style.vec(p.text)))
    if implot.is_plot_hovered() and imgui.is_mouse_down(0):
        state.at, state.playing = round(min(max(implot.get_plot_mouse_pos(Axis.x1, Axis.y1).x, 0.0), scope.warm.last)), False
    implot.end_plot()


def _table(session: Session, state: Any, sweep: int, walk: Walk | None, chosen: int, height: float) -> None:
    """Joints and contacts in the order in which they are visited."""
    scope = state.scope
    contacts, joints = scope.warm.contacts[sweep], np.flatnonzero(scope.warm.start.joints["kind"] >= 0).tolist()
    if not len(contacts) and not joints:
        widgets.dim("No contacts and no joints.")
        return
    order = walk.order if walk is not None else np.arange(len(contacts))
    visits = walk.joints if walk is not None else ()
    heads = [_conjugate] if walk is not None and walk.beta > 0.0 else []
    heads += [_together] if joints and not len(scope.warm.chain.blocks) else []
    count = len(visits) or len(joints)
    if not tables.begin("impulses", COLUMNS, height):
        return
    for row in tables.seen(len(heads) + count + len(order)):
        imgui.table_next_row()
        place = row - len(heads)
        if place < 0:
            heads[row](walk)
        elif place >= count:
            _contact(session, state, int(order[place - count]), place if visits else place - count, sweep, walk, chosen)
        elif visits:
            _visit(scope, visits[place], place)
        else:
            _joint(scope, joints[place], sweep)
    tables.end()


def _conjugate(walk: Walk) -> None:
    """The row of what happens between two sweeps."""
    imgui.table_next_column()
    imgui.table_next_column()
    widgets.coloured(widgets.cut("conjugate step"), style.palette().accent_strong)
    widgets.mark("conjugate")
    widgets.tooltip("Before this sweep all impulses went on in the direction in which they had moved, by \u03b2 of it (conjugate "
                    f"gradients): at most {few(np.abs(walk.before - walk.last).max(initial=0.0))} N s.")
    for _ in range(5):
        imgui.table_next_column()
    widgets.right(f"\u03b2 {few(walk.beta, 2)}", style.palette().accent_strong)


def _together(_: Walk | None) -> None:
    """The row of joints that are not visited one after the other."""
    imgui.table_next_column()
    imgui.table_next_column()
    widgets.coloured(widgets.cut("joints, all at once"), style.palette().accent_strong)
    widgets.mark("together")
    widgets.tooltip("All joints are solved together by elimination before the contacts: there is no order to walk through. "
                    "With the option 'joints' of the panel Physics set to 'one by one' they are visited one after the other.")


def _visit(scope: Microscope, visit: Visit, place: int) -> None:
    """One block of a joint in its turn."""
    p, bound = style.palette(), visit.bound
    imgui.table_next_column()
    imgui.text_unformatted(f"{place + 1}")
    imgui.table_next_column()
    imgui.text_unformatted(widgets.cut(f"{scope.joint_names[visit.joint]}: {language.text(ROLES[visit.role])}"))
    widgets.mark(f"visit {place}")
    widgets.tooltip("A part of a joint: its impulse before, the one that would do all that is asked of it, and the same within "
                    "its bound [N s] or [N m s]; of several directions the size.")
    imgui.table_next_column()
    if visit.role == Role.FRICTION:
        word = STATES[int(Case.SLIP if visit.bounded else Case.STICK)]
        widgets.coloured(word, style.of_state(word))
    for impulses, colour in ((visit.before, p.dim), (visit.wanted, p.warn if visit.bounded else p.dim), (visit.after, p.text)):
        imgui.table_next_column()
        widgets.right(few(float(impulses[0]) if len(impulses) == 1 else float(np.linalg.norm(impulses)), 2), colour)
    imgui.table_next_column()
    if 0.0 < bound < math.inf:
        used = float(np.linalg.norm(visit.after)) / bound
        widgets.bar(used, f"{used:.3f}", p.slip if visit.bounded else p.stick, imgui.get_text_line_height())
    else:
        widgets.dim("\u2013")


def _contact(session: Session, state: Any, i: int, place: int, sweep: int, walk: Walk | None, chosen: int) -> None:
    scope, p = state.scope, style.palette()
    c, before = scope.warm.contacts[sweep][i], scope.warm.contacts[max(sweep - 1, 0)][i]
    pair = scope.pair(i)
    imgui.table_next_column()
    if imgui.selectable(f"{place + 1 if walk is not None else i}##{i}", i == chosen, flags.LINE)[0]:
        choose(session, state, i, scope.warm.contacts[sweep])
    widgets.mark(f"contact {i}")
    widgets.tooltip(f"Contact {i}: {pair}. Click to follow it here and in the scene.")
    imgui.table_next_column()
    imgui.text_unformatted(widgets.cut(pair))
    imgui.table_next_column()
    word = STATES[int(c["case"])]
    widgets.coloured(word, style.of_state(word))
    wanted, impulse = float(walk.candidate[i, 0]) if walk is not None else math.nan, float(c["impulse"])
    for value, colour in ((walk.before[i, 0] if walk is not None else float(before["impulse"]), p.dim),
                          (wanted, p.warn if wanted < 0.0 else p.dim), (impulse, p.text)):
        imgui.table_next_column()
        widgets.right(few(value) if math.isfinite(value) else "\u2013", colour)
    imgui.table_next_column()
    bound, used = float(c["friction"]) * impulse, math.hypot(*c["friction_impulse"].tolist())
    if bound > 0.0:
        widgets.bar(used / bound, f"{used / bound:.3f}", style.of_state(word), imgui.get_text_line_height())
    else:
        widgets.dim("\u2013")


def _joint(scope: Microscope, j: int, sweep: int) -> None:
    """A joint's reaction."""
    now, before = (float(np.linalg.norm(scope.warm.reaction[k, j, :3])) for k in (sweep, max(sweep - 1, 0)))
    imgui.table_next_column()
    imgui.table_next_column()
    imgui.text_unformatted(widgets.cut(scope.joint_names[j]))
    widgets.tooltip("A joint: the size of its reaction before and after the sweep [N s]. Joints come first in a sweep.")
    imgui.table_next_column()
    p = style.palette()
    for text, colour in ((few(before), p.dim), ("", p.dim), (few(now), p.text)):
        imgui.table_next_column()
        widgets.right(text, colour)


# ---- the walk of one contact


def _disc(state: Any, sweep: int, walk: Walk | None, i: int, height: float) -> None:
    """Friction in its disc and the normal impulse beside it: before, wanted, after."""
    p, scope = style.palette(), state.scope
    if i < 0:
        return
    if not scope.walks or not sweep:
        widgets.wrapped(_start(scope) if scope.walks else scope.unwalked, p.dim)
        return
    if walk is None:
        widgets.dim("\u2026")
        return
    line = imgui.get_text_line_height_with_spacing()
    bar = widgets.px(58.0)
    side = min(imgui.get_content_region_avail().x - bar, height - 2.0 * line)
    if side < widgets.px(60.0):
        return
    corner = imgui.get_cursor_screen_pos()
    _friction(scope, walk, i, corner, side)
    _normal(walk, i, imgui.ImVec2(corner.x + side, corner.y), bar, side)
    imgui.dummy(imgui.ImVec2(side + bar, side))
    widgets.mark("disc")
    widgets.tooltip("Hollow: before. Cross: what would stop the slip at once. Where that is outside, the diamond: the step "
                    "against the slip that is projected back. Full: after. The length of the bars beside it is the normal "
                    "impulse (before, wanted, after); what is below zero is cut off.")
    verdict = "projected" if walk.outside(i) and walk.radius[i] > 0.0 else "holds" if walk.radius[i] > 0.0 else "none"
    imgui.text_unformatted(widgets.cut(f"{scope.pair(i)}: {verdict}"))
    widgets.tooltip(f"Contact {i}. Friction holds where what is wanted is within its bound, else it is projected onto it.")
    widgets.dim(widgets.cut(f"\u03bcN = {few(walk.radius[i], 4)} N s"))
    widgets.tooltip("Radius of the disc. All this is computed again in plain numbers, "
                    f"{few(walk.error, 2)} N s from the solver's.")


def _start(scope: Microscope) -> str:
    if not scope.warm.start.options.warm_start:
        return "The start: no impulses."
    if scope.warm.start.substep > 1:
        return "The start: the impulses of the substep before, before any sweep."
    return "The start: last step's impulses, before any sweep."


def _friction(scope: Microscope, walk: Walk, i: int, corner: imgui.ImVec2, side: float) -> None:
    p, ink = style.palette(), imgui.get_window_draw_list()
    points = [walk.before[i, 1:], walk.candidate[i, 1:], walk.after[i, 1:]]
    outside = walk.outside(i)
    if outside:
        points.insert(2, walk.gradient[i])
    radius, farthest = float(walk.radius[i]), max(float(np.abs(one).max()) for one in points)
    reach = min(max(1.2 * farthest, 1.2 * radius), FARTHEST * radius) if radius > 0.0 else max(1.2 * farthest, 1e-300)
    middle, scale = (corner.x + 0.5 * side, corner.y + 0.5 * side), 0.5 * side / reach

    def at(x: float, y: float) -> imgui.ImVec2:
        share = scale * min(1.0, 0.94 * reach / max(abs(x), abs(y), 1e-300))
        return imgui.ImVec2(middle[0] + share * x, middle[1] - share * y)

    end = imgui.ImVec2(corner.x + side, corner.y + side)
    ink.add_rect_filled(corner, end, style.u32(p.field, 0.5), widgets.px(4.0))
    if radius > 0.0:
        rim = [at(radius * x, radius * y) for x, y in _corners(scope.warm.start.options.polygon_facets or 48)]
        ink.add_convex_poly_filled(rim, style.u32(p.stick, 0.18))
        ink.add_polyline(rim, style.u32(p.stick), widgets.px(1.4), imgui.ImDrawFlags_.closed)
    places = [at(*one.tolist()) for one in points]
    for a, b in itertools.pairwise(places):
        ink.add_line(a, b, style.u32(p.dim, 0.8), widgets.px(1.2))
    r = widgets.px(3.6)
    ink.add_circle(places[0], r, style.u32(p.text), 0, widgets.px(1.4))
    _cross(ink, places[1], r, style.u32(p.warn))
    if outside:
        q = places[2]
        ink.add_quad(imgui.ImVec2(q.x - r, q.y), imgui.ImVec2(q.x, q.y - r), imgui.ImVec2(q.x + r, q.y),
                     imgui.ImVec2(q.x, q.y + r), style.u32(p.warn), widgets.px(1.4))
    ink.add_circle_filled(places[-1], r, style.u32(p.slip if outside else p.stick))


@functools.cache
def _corners(facets: int) -> list[tuple[float, float]]:
    """Corners of a regular polygon in the unit circle, clockwise."""
    return [(math.cos(angle), math.sin(angle)) for angle in np.linspace(2.0 * math.pi, 0.0, facets + 1)[:-1].tolist()]


def _normal(walk: Walk, i: int, corner: imgui.ImVec2, width: float, height: float) -> None:
    """Three bars: before, wanted, after; zero is a line that none of the last may cross."""
    p, ink = style.palette(), imgui.get_window_draw_list()
    values = float(walk.before[i, 0]), float(walk.candidate[i, 0]), float(walk.after[i, 0])
    top, bottom = max(*values, 1e-300), min(*values, 0.0)
    line = imgui.get_text_line_height()
    scale = (height - line - widgets.px(4.0)) / (top - bottom)
    zero, step = corner.y + scale * top, width / 3.6
    for k, (value, colour, word) in enumerate(zip(values, (p.dim, p.warn, p.stick), ("b", "w", "a"))):
        x = corner.x + widgets.px(8.0) + k * step
        y = zero - scale * value
        ink.add_rect_filled(imgui.ImVec2(x, min(y, zero)), imgui.ImVec2(x + 0.7 * step, max(y, zero) + 1.0),
                            style.u32(colour, 0.85))
        ink.add_text(imgui.ImVec2(x + 0.1 * step, corner.y + height - line), style.u32(p.dim), language.text(word))
    ink.add_line(imgui.ImVec2(corner.x + widgets.px(5.0), zero), imgui.ImVec2(corner.x + width, zero), style.u32(p.text), 1.0)


def _cross(ink: imgui.ImDrawList, at: imgui.ImVec2, r: float, colour: int) -> None:
    for s in (1.0, -1.0):
        ink.add_line(imgui.ImVec2(at.x - r, at.y - s * r), imgui.ImVec2(at.x + r, at.y + s * r), colour, widgets.px(1.6))
