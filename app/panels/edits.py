"""History of edits: click a line to undo back to it, or redo up to it."""

from app.engine import commands
from app.gui.commands import actions
from app.gui.controls import flags, icons, style, widgets
from app.i18n.imgui_translated import imgui
from app.i18n.message import message
from app.session import Session

TITLE = "Edits"
PLACE = "left"
ORDER = 40
OPEN = False
GROUP = "Change"
ABOUT = "history of changes"


def draw(session: Session) -> None:
    edits = session.simulation.edits
    for name, command, icon in (("undo", commands.undo, icons.UNDO), ("redo", commands.redo, icons.REDO)):
        waiting = edits.done if name == "undo" else edits.undone
        imgui.begin_disabled(not waiting)
        tip = actions.tip(name) + (message("\nNow: {waiting}", waiting=waiting[-1].text) if waiting else "")
        if widgets.button(icons.text(icon, name.capitalize()), tip, name=name):
            session.post(command)
        imgui.end_disabled()
        imgui.same_line()
    imgui.new_line()
    if not edits.done and not edits.undone:
        widgets.wrapped("No edits yet. Every setting, move, addition, throw or deletion is listed here and can be undone "
                        "individually while the simulation continues.", style.palette().dim)
        return
    lines = [*edits.done, *reversed(edits.undone)]
    if imgui.begin_child("list", child_flags=flags.WITHIN):
        clipper = imgui.ListClipper()
        clipper.begin(len(lines) + 1)
        while clipper.step():
            for i in range(clipper.display_start, clipper.display_end):
                _line(session, i, len(edits.done), lines)
        if session.state(_LastFrame).grown(len(edits.done)):
            imgui.set_scroll_here_y(1.0)
    imgui.end_child()


class _LastFrame:
    """Number of edits in the last frame."""

    count = 0

    def grown(self, count: int) -> bool:
        """Whether the number has grown."""
        before, self.count = self.count, count
        return count > before


def _line(session: Session, i: int, done: int, lines: list) -> None:
    """Line 0 is the state before all edits; line i the state after edit i - 1."""
    p, edit = style.palette(), lines[i - 1] if i else None
    imgui.push_style_color(imgui.Col_.text, style.vec(p.text if i <= done else p.dim))
    text = edit.text if edit else "before all edits"
    if imgui.selectable(f"{text}##{i}", i == done)[0] and i != done:
        session.post(commands.undo if i < done else commands.redo, abs(done - i))
    widgets.register_area(f"edit {i}")
    imgui.pop_style_color()
    if edit:
        later = "" if i <= done else "Undone. "
        widgets.tooltip(message("{later}{edit}\nDone at t = {time:.4g} s. Click to restore the edits up to here; the simulation "
                                "time is not changed.", later=later, edit=edit.text, time=edit.time))
