"""Sweeps in the microscope: convergence, impulses of every contact, and the replay of one contact's update."""

import functools
import itertools
import math
from typing import Any

import numpy as np

from app.analysis.microscope.microscope import CASE_NAMES, Microscope
from app.analysis.microscope.replay_contact_sweep import SweepReplay
from app.analysis.microscope.replay_joint_sweep import ROLES, BlockUpdate
from app.engine.frame import same_contact
from app.gui.controls import flags, style, tables, widgets
from app.gui.plots import axes
from app.i18n import translate
from app.i18n.imgui_translated import imgui, implot
from app.i18n.message import message
from app.number_format import rounded
from app.session import Session
from physics.core.records import Case, Role

VISIT_MEANINGS = {
    "residual": "How far the impulses are from satisfying the contact law after this number of sweeps (natural map) [m/s].",
    "change": "Largest impulse change in that sweep, as the velocity change it causes (MS16 eq 17) [m/s].",
    "cold start": "Residual when all impulses start from zero, without warm starting [m/s]."}

LOG_ZERO = 1e-17
"""Stands for zero on a logarithmic scale [m/s]."""

FARTHEST = 3.0
"""Points beyond this many radii of the disc are drawn at the edge, in their direction."""

VISIT_COLUMNS = (
    ("visit", 28.0, "Order of the visit within the sweep. Contacts without common moving bodies are processed together."),
    ("bodies", 0.0, "The bodies in contact, or the joint."),
    ("state", 34.0, "Stick, slide or open, after the sweep."),
    ("N before", 52.0, "Normal impulse before the contact is visited [N s]."),
    ("N wanted", 56.0, "Impulse that would stop the approach, or give the rebound; it would pull if negative [N s]."),
    ("N after", 52.0, "The same, or zero if it would pull [N s]."),
    ("F / \u03bcN", 54.0, "Friction relative to its bound \u03bcN after the visit; the contact slips at 1."))


def draw(session: Session, state: Any) -> None:
    scope = state.scope
    sweep = min(max(state.at, 0), scope.warm.last)
    contact = _chosen(session, state, sweep)
    replay = scope.replay(sweep)
    room = imgui.get_content_region_avail()
    left, right = widgets.scaled(205.0), min(widgets.scaled(210.0), max(room.y, widgets.scaled(150.0)) + widgets.scaled(30.0))
    if room.x < left + right + widgets.scaled(330.0):
        _curve(state, sweep, widgets.scaled(170.0))
        _table(session, state, sweep, replay, contact, widgets.scaled(200.0))
        _disc(state, sweep, replay, contact, widgets.scaled(200.0))
        return
    if imgui.begin_child("curve", imgui.ImVec2(left, 0.0)):
        _curve(state, sweep, -1.0)
    imgui.end_child()
    imgui.same_line()
    if imgui.begin_child("impulses", imgui.ImVec2(imgui.get_content_region_avail().x - right - widgets.scaled(8.0), 0.0)):
        _table(session, state, sweep, replay, contact, 0.0)
    imgui.end_child()
    imgui.same_line()
    if imgui.begin_child("walk", imgui.ImVec2(right, 0.0)):
        _disc(state, sweep, replay, contact, imgui.get_content_region_avail().y)
    imgui.end_child()


def choose(session: Session, state: Any, contact: int, contacts: np.ndarray) -> None:
    """Select a clicked contact of the frozen step, also in the scene."""
    state.contact = contact
    found = same_contact(session.frame.contacts, contacts[contact])
    session.selection.contact = found
    if found < 0:
        session.notify("this contact is new in the frozen step and not yet shown in the scene")


def _chosen(session: Session, state: Any, sweep: int) -> int:
    """Contact to show: the one selected in the scene, else the most loaded one; -1: none."""
    contacts, index = state.scope.warm.contacts[sweep], session.selection.contact
    if 0 <= index < len(session.frame.contacts):
        found = same_contact(contacts, session.frame.contacts[index])
        if found >= 0:
            return found
    if 0 <= state.contact < len(contacts):
        return state.contact
    return int(np.argmax(contacts["impulse"])) if len(contacts) else -1


def _curve(state: Any, sweep: int, height: float) -> None:
    """Plot residual and change after each sweep, also without warm start."""
    p, Axis, scope = style.palette(), implot.ImAxis_, state.scope
    lines = [("residual", scope.warm.residual, p.curves[0], 1.8), ("change", scope.warm.change, p.curves[2], 1.2)]
    if scope.cold is not None:
        lines.append(("cold start", scope.cold.residual, p.curves[1], 1.2))
    for k, (name, _, colour, _) in enumerate(lines):
        if k:
            imgui.same_line()
        widgets.coloured(name, colour)
        widgets.tooltip(VISIT_MEANINGS[name])
    room = imgui.get_content_region_avail()
    if not implot.begin_plot("##sweeps", imgui.ImVec2(-widgets.scaled(2.0), height), flags.WITHOUT_LEGEND):
        return
    widgets.register_area("curve")
    values = np.concatenate([one[np.isfinite(one)] for _, one, _, _ in lines])
    values = values[values > LOG_ZERO]
    last = max(len(one) - 1 for _, one, _, _ in lines)
    axes.even(Axis.x1, "sweeps", "", -0.04 * last - 0.2, 1.04 * last + 0.2, room.x, implot.AxisFlags_.no_grid_lines, whole=True)
    axes.decades(Axis.y1, "", "m/s", 0.3 * values.min() if len(values) else 1e-12, 4.0 * values.max() if len(values) else 1.0,
                 height if height > 0.0 else room.y)
    implot.setup_finish()
    implot.plot_inf_lines("##at", np.array([float(sweep)]),
                          implot.Spec(line_color=style.vec(p.dim), line_weight=widgets.scaled(1.0)))
    for name, one, colour, weight in lines:
        good = one > LOG_ZERO
        if np.count_nonzero(good) == 1:
            implot.plot_scatter(name, np.flatnonzero(good).astype(float), one[good],
                                implot.Spec(marker=implot.Marker_.circle, marker_size=widgets.scaled(3.0),
                                            marker_fill_color=style.vec(colour), marker_line_color=style.vec(colour)))
        else:
            implot.plot_line(name, np.flatnonzero(good).astype(float), one[good],
                             implot.Spec(line_color=style.vec(colour), line_weight=widgets.scaled(weight)))
    if scope.warm.residual[sweep] > LOG_ZERO:
        implot.plot_scatter("##now", np.array([float(sweep)]), scope.warm.residual[sweep : sweep + 1],
                            implot.Spec(marker=implot.Marker_.circle, marker_size=widgets.scaled(4.0),
                                        marker_fill_color=style.vec(p.text), marker_line_color=style.vec(p.text)))
    if implot.is_plot_hovered() and imgui.is_mouse_down(0):
        state.at, state.playing = round(min(max(implot.get_plot_mouse_pos(Axis.x1, Axis.y1).x, 0.0), scope.warm.last)), False
    implot.end_plot()


def _table(session: Session, state: Any, sweep: int, replay: SweepReplay | None, chosen: int, height: float) -> None:
    """Table of joints and contacts in the order of their visits."""
    scope = state.scope
    contacts, joints = scope.warm.contacts[sweep], np.flatnonzero(scope.warm.start.joints["kind"] >= 0).tolist()
    if not len(contacts) and not joints:
        widgets.dim_text("No contacts and no joints.")
        return
    order = replay.order if replay is not None else np.arange(len(contacts))
    visits = replay.joints if replay is not None else ()
    heads = [_conjugate] if replay is not None and replay.beta > 0.0 else []
    heads += [_elsewhere] if replay is not None and not replay.follows else []
    heads += [_together] if joints and not scope.warm.chain.visited else []
    count = len(visits) or len(joints)
    if not tables.begin("impulses", VISIT_COLUMNS, height):
        return
    for row in tables.visible_rows(len(heads) + count + len(order)):
        imgui.table_next_row()
        place = row - len(heads)
        if place < 0:
            heads[row](replay)
        elif place >= count:
            _contact(session, state, int(order[place - count]), place if visits else place - count, sweep, replay, chosen)
        elif visits:
            _visit(scope, visits[place], place)
        else:
            _joint(scope, joints[place], sweep)
    tables.end()


def _conjugate(replay: SweepReplay) -> None:
    """Draw the row of the extrapolation between two sweeps."""
    _head("conjugate step", style.palette().accent_strong, "conjugate", message(
        "Before this sweep all impulses were extrapolated along their last change by a factor β (conjugate gradients): at most "
        "{before} N s.", before=rounded(np.abs(replay.before - replay.last).max(initial=0.0))))
    for _ in range(5):
        imgui.table_next_column()
    widgets.right(f"\u03b2 {rounded(replay.beta, 2)}", style.palette().accent_strong)


def _elsewhere(replay: SweepReplay) -> None:
    """Draw the row of sweeps that the record does not hold."""
    _head("before it, in joint space", style.palette().warn, "elsewhere", message(
        "Before this sweep the impulses of mechanisms were solved in joint space, in many sweeps that the record does not hold. "
        "The values before and the unconstrained ones are therefore not those of the solver, by up to {error} N s; the impulses "
        "after the sweep are.", error=rounded(replay.error, 2)))


def _together(_: SweepReplay | None) -> None:
    """Draw the row of joints that are solved all at once."""
    _head("joints, all at once", style.palette().accent_strong, "together",
          "All joints are solved simultaneously by elimination before the contacts, so there is no order of visits. Set 'joints' "
          "to 'one by one' in the Physics panel to visit them in turn.")


def _head(name: str, colour: Any, area: str, meaning: str) -> None:
    """Draw the name of a row above the visits."""
    imgui.table_next_column()
    imgui.table_next_column()
    widgets.coloured(widgets.cut(name), colour)
    widgets.register_area(area)
    widgets.tooltip(meaning)


def _visit(scope: Microscope, visit: BlockUpdate, place: int) -> None:
    """Draw the row of one block of a joint."""
    p, bound = style.palette(), visit.bound
    imgui.table_next_column()
    imgui.text_unformatted(f"{place + 1}")
    imgui.table_next_column()
    imgui.text_unformatted(widgets.cut(f"{scope.joint_names[visit.joint]}: {translate.translate(ROLES[visit.role])}"))
    widgets.register_area(f"visit {place}")
    widgets.tooltip("One row of a joint: impulse before, unconstrained impulse, and impulse clamped to its bound [N s] or [N m "
                    "s]; for several directions the magnitude.")
    imgui.table_next_column()
    if visit.role == Role.FRICTION:
        word = CASE_NAMES[int(Case.SLIP if visit.bounded else Case.STICK)]
        widgets.coloured(word, style.of_state(word))
    for impulses, colour in ((visit.before, p.dim), (visit.wanted, p.warn if visit.bounded else p.dim), (visit.after, p.text)):
        imgui.table_next_column()
        widgets.right(rounded(float(impulses[0]) if len(impulses) == 1 else float(np.linalg.norm(impulses)), 2), colour)
    imgui.table_next_column()
    if 0.0 < bound < math.inf:
        used = float(np.linalg.norm(visit.after)) / bound
        widgets.bar(used, f"{used:.3f}", p.slip if visit.bounded else p.stick, imgui.get_text_line_height())
    else:
        widgets.dim_text("\u2013")


def _contact(session: Session, state: Any, i: int, place: int, sweep: int, replay: SweepReplay | None, chosen: int) -> None:
    scope, p = state.scope, style.palette()
    c, before = scope.warm.contacts[sweep][i], scope.warm.contacts[max(sweep - 1, 0)][i]
    pair = scope.pair(i)
    imgui.table_next_column()
    if imgui.selectable(f"{place + 1 if replay is not None else i}##{i}", i == chosen, flags.LINE)[0]:
        choose(session, state, i, scope.warm.contacts[sweep])
    widgets.register_area(f"contact {i}")
    widgets.tooltip(message("Contact {number}: {pair}. Click to track it here and in the scene.", number=i, pair=pair))
    imgui.table_next_column()
    imgui.text_unformatted(widgets.cut(pair))
    imgui.table_next_column()
    word = CASE_NAMES[int(c["case"])]
    widgets.coloured(word, style.of_state(word))
    wanted, impulse = float(replay.candidate[i, 0]) if replay is not None else math.nan, float(c["impulse"])
    for value, colour in ((replay.before[i, 0] if replay is not None else float(before["impulse"]), p.dim),
                          (wanted, p.warn if wanted < 0.0 else p.dim), (impulse, p.text)):
        imgui.table_next_column()
        widgets.right(rounded(value) if math.isfinite(value) else "\u2013", colour)
    imgui.table_next_column()
    bound, used = float(c["friction"]) * impulse, math.hypot(*c["friction_impulse"].tolist())
    if bound > 0.0:
        widgets.bar(used / bound, f"{used / bound:.3f}", style.of_state(word), imgui.get_text_line_height())
    else:
        widgets.dim_text("\u2013")


def _joint(scope: Microscope, j: int, sweep: int) -> None:
    """Draw the row of a joint's reaction."""
    now, before = (float(np.linalg.norm(scope.warm.reaction[k, j, :3])) for k in (sweep, max(sweep - 1, 0)))
    imgui.table_next_column()
    imgui.table_next_column()
    imgui.text_unformatted(widgets.cut(scope.joint_names[j]))
    widgets.tooltip("A joint: magnitude of its reaction before and after the sweep [N s]. Joints are processed before contacts.")
    imgui.table_next_column()
    p = style.palette()
    for text, colour in ((rounded(before), p.dim), ("", p.dim), (rounded(now), p.text)):
        imgui.table_next_column()
        widgets.right(text, colour)


# ---- the update of one contact


def _disc(state: Any, sweep: int, replay: SweepReplay | None, i: int, height: float) -> None:
    """Draw friction in its disc and the normal impulse beside it: before, wanted, after."""
    p, scope = style.palette(), state.scope
    if i < 0:
        return
    if not scope.can_replay or not sweep:
        widgets.wrapped(_start(scope) if scope.can_replay else scope.why_not_replayed, p.dim)
        return
    if replay is None:
        widgets.dim_text("\u2026")
        return
    line = imgui.get_text_line_height_with_spacing()
    bar = widgets.scaled(58.0)
    side = min(imgui.get_content_region_avail().x - bar, height - 2.0 * line)
    if side < widgets.scaled(60.0):
        return
    corner = imgui.get_cursor_screen_pos()
    _friction(scope, replay, i, corner, side)
    _normal(replay, i, imgui.ImVec2(corner.x + side, corner.y), bar, side)
    imgui.dummy(imgui.ImVec2(side + bar, side))
    widgets.register_area("disc")
    widgets.tooltip("Hollow: before. Cross: impulse that would stop the slip. If it lies outside the disc, the diamond shows the "
                    "gradient step before projection. Filled: after. The bars beside it show the normal impulse (before, "
                    "unconstrained, after); negative values are clamped.")
    verdict = "projected" if replay.outside(i) and replay.radius[i] > 0.0 else "holds" if replay.radius[i] > 0.0 else "none"
    imgui.text_unformatted(widgets.cut(f"{scope.pair(i)}: {verdict}"))
    widgets.tooltip(message("Contact {number}. It sticks if the unconstrained impulse is within the bound; otherwise the "
                            "impulse is projected onto it.", number=i))
    widgets.dim_text(widgets.cut(f"\u03bcN = {rounded(replay.radius[i], 4)} N s"))
    widgets.tooltip(message("Radius of the disc. Recomputed independently; difference from the solver {error} N s.",
                            error=rounded(replay.error, 2)))


def _start(scope: Microscope) -> str:
    if not scope.warm.start.options.warm_start:
        return "Start: zero impulses."
    if scope.warm.start.substep > 1:
        return "Start: impulses of the previous substep, before the first sweep."
    return "Start: impulses of the last step, before the first sweep."


def _friction(scope: Microscope, replay: SweepReplay, i: int, corner: imgui.ImVec2, side: float) -> None:
    p, draw_list = style.palette(), imgui.get_window_draw_list()
    points = [replay.before[i, 1:], replay.candidate[i, 1:], replay.after[i, 1:]]
    outside = replay.outside(i)
    if outside:
        points.insert(2, replay.gradient[i])
    radius, farthest = float(replay.radius[i]), max(float(np.abs(one).max()) for one in points)
    reach = min(max(1.2 * farthest, 1.2 * radius), FARTHEST * radius) if radius > 0.0 else max(1.2 * farthest, 1e-300)
    middle, scale = (corner.x + 0.5 * side, corner.y + 0.5 * side), 0.5 * side / reach

    def at(x: float, y: float) -> imgui.ImVec2:
        share = scale * min(1.0, 0.94 * reach / max(abs(x), abs(y), 1e-300))
        return imgui.ImVec2(middle[0] + share * x, middle[1] - share * y)

    end = imgui.ImVec2(corner.x + side, corner.y + side)
    draw_list.add_rect_filled(corner, end, style.u32(p.field, 0.5), widgets.scaled(4.0))
    if radius > 0.0:
        rim = [at(radius * x, radius * y) for x, y in _corners(scope.warm.start.options.polygon_facets or 48)]
        draw_list.add_convex_poly_filled(rim, style.u32(p.stick, 0.18))
        draw_list.add_polyline(rim, style.u32(p.stick), widgets.scaled(1.4), imgui.ImDrawFlags_.closed)
    places = [at(*one.tolist()) for one in points]
    for a, b in itertools.pairwise(places):
        draw_list.add_line(a, b, style.u32(p.dim, 0.8), widgets.scaled(1.2))
    r = widgets.scaled(3.6)
    draw_list.add_circle(places[0], r, style.u32(p.text), 0, widgets.scaled(1.4))
    _cross(draw_list, places[1], r, style.u32(p.warn))
    if outside:
        q = places[2]
        draw_list.add_quad(imgui.ImVec2(q.x - r, q.y), imgui.ImVec2(q.x, q.y - r), imgui.ImVec2(q.x + r, q.y),
                           imgui.ImVec2(q.x, q.y + r), style.u32(p.warn), widgets.scaled(1.4))
    draw_list.add_circle_filled(places[-1], r, style.u32(p.slip if outside else p.stick))


@functools.cache
def _corners(facets: int) -> list[tuple[float, float]]:
    """Corners of a regular polygon inscribed in the unit circle, clockwise."""
    return [(math.cos(angle), math.sin(angle)) for angle in np.linspace(2.0 * math.pi, 0.0, facets + 1)[:-1].tolist()]


def _normal(replay: SweepReplay, i: int, corner: imgui.ImVec2, width: float, height: float) -> None:
    """Draw three bars: before, wanted, after; the last stays on the positive side of the zero line."""
    p, draw_list = style.palette(), imgui.get_window_draw_list()
    values = float(replay.before[i, 0]), float(replay.candidate[i, 0]), float(replay.after[i, 0])
    top, bottom = max(*values, 1e-300), min(*values, 0.0)
    line = imgui.get_text_line_height()
    scale = (height - line - widgets.scaled(4.0)) / (top - bottom)
    zero, step = corner.y + scale * top, width / 3.6
    for k, (value, colour, word) in enumerate(zip(values, (p.dim, p.warn, p.stick), ("b", "w", "a"))):
        x = corner.x + widgets.scaled(8.0) + k * step
        y = zero - scale * value
        draw_list.add_rect_filled(imgui.ImVec2(x, min(y, zero)), imgui.ImVec2(x + 0.7 * step, max(y, zero) + 1.0),
                                  style.u32(colour, 0.85))
        draw_list.add_text(imgui.ImVec2(x + 0.1 * step, corner.y + height - line), style.u32(p.dim), translate.translate(word))
    draw_list.add_line(imgui.ImVec2(corner.x + widgets.scaled(5.0), zero), imgui.ImVec2(corner.x + width, zero),
                       style.u32(p.text), 1.0)


def _cross(draw_list: imgui.ImDrawList, at: imgui.ImVec2, r: float, colour: int) -> None:
    for s in (1.0, -1.0):
        draw_list.add_line(imgui.ImVec2(at.x - r, at.y - s * r), imgui.ImVec2(at.x + r, at.y + s * r), colour,
                           widgets.scaled(1.6))
