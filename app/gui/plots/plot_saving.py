"""Saves the plotted numbers as CSV or Parquet and the plots as a picture; written atomically."""

import csv
import io
import time
from collections.abc import Callable
from pathlib import Path

from app.analysis.curves import parquet
from app.files import folders
from app.files.atomic_write import write
from app.gui.controls import widgets
from app.i18n.imgui_translated import imgui
from app.i18n.message import message
from app.session import Session


def menu(session: Session) -> None:
    """The popup of the button Save."""
    if not imgui.begin_popup("save as"):
        return
    if item("Numbers as CSV", name="csv", help="All samples of the recorded quantities, with units in the header."):
        save_as(session, "csv", save_csv)
    if item("Numbers as Parquet", name="parquet", help="The same data as a table for pandas, Polars, DuckDB and similar."):
        save_as(session, "parquet", save_parquet)
    if item("Picture as PNG", name="png", help="The plots as shown, in these colours; a larger window gives a larger picture."):
        session.window.save_panel_picture(folders.pictures() / f"{file_name(session)}-plot.png")
    imgui.end_popup()


def item(label: str, name: str, help: str) -> bool:
    """A line of the popup; whether it was chosen."""
    pressed = imgui.menu_item(label, "", False)[0]
    widgets.register_area(name)
    widgets.tooltip(help)
    return pressed


def save_as(session: Session, ending: str, save: Callable[[Session, Path], None]) -> None:
    """Save numbers to the documents folder and notify the user."""
    path = folders.documents() / f"{file_name(session)}.{ending}"
    try:
        save(session, path)
    except OSError as error:
        session.notify(folders.not_saved(path, error))
    else:
        session.notify(message("saved {path}", path=path))


def file_name(session: Session) -> str:
    """Scene and time of day."""
    return f"{session.frame.scene or 'record'}-{time.strftime('%Y%m%d-%H%M%S')}"


def columns(session: Session) -> dict:
    """All samples by "name [unit]", time first."""
    table = session.traces.table()
    return dict(zip(session.traces.titles(list(table)), table.values(), strict=True))


def save_csv(session: Session, path: Path) -> None:
    """Save all samples, header "name [unit]", time first."""
    table = columns(session)
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(table)
    writer.writerows(zip(*(column.tolist() for column in table.values())))
    write(path, text.getvalue().encode())


def save_parquet(session: Session, path: Path) -> None:
    """The same as a Parquet file."""
    write(path, parquet.encode(columns(session)))
