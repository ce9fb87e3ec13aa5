"""Keys and mouse."""

from imgui_bundle import imgui

from app.gui import style, widgets
from app.gui.actions import actions
from app.session import Session

TITLE = "Keys and mouse"
PLACE = "float"
OPEN = False

MOUSE = (
    ("Left drag on a body", "pull it with a spring"),
    ("Left drag on empty space, right drag", "turn the view"),
    ("Middle drag, Shift+right drag", "shift the view"),
    ("Wheel", "zoom to the cursor"),
    ("Click", "select a body, joint or contact"),
    ("Shift+click", "throw a ball"),
    ("Double-click or Ctrl+click a slider", "type a number"),
    ("Right-click a slider", "back to its default"),
)
FLY = ("W A S D Q E", "fly")


def key_rows() -> list[tuple[str, str]]:
    """(keys, what they do) of every action that has some."""
    return [*((action.shortcut, action.label) for action in actions().values() if action.keys), FLY]


def markdown() -> str:
    """The same tables for the README."""
    lines = []
    for title, rows in (("Mouse", MOUSE), ("Keys", key_rows())):
        lines += [f"| {title} | |", "| --- | --- |", *(f"| {keys} | {meaning} |" for keys, meaning in rows), ""]
    return "\n".join(lines).rstrip()


def draw(session: Session) -> None:
    for title, rows in (("Mouse", MOUSE), ("Keys", key_rows())):
        widgets.heading(title)
        if imgui.begin_table(title, 2, imgui.TableFlags_.sizing_fixed_fit):
            imgui.table_setup_column("what", 0, widgets.px(270.0))
            imgui.table_setup_column("does", 0, widgets.px(320.0))
            for keys, meaning in rows:
                imgui.table_next_row()
                imgui.table_next_column()
                widgets.coloured(keys, style.palette().accent_strong)
                imgui.table_next_column()
                imgui.text_unformatted(meaning)
            imgui.end_table()
