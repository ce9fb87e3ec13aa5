"""The plotted numbers as CSV or Parquet, the plots as a picture; saved whole or not at all."""

import csv
import io
import time
from collections.abc import Callable
from pathlib import Path

from app.gui.controls import widgets
from app.gui.output import files
from app.gui.speaking import imgui
from app.insight import parquet
from app.session import Session
from app.whole_files import write
from physics import BadInput


def menu(session: Session) -> None:
    """The popup of the button Save."""
    if not imgui.begin_popup("save as"):
        return
    if _item("Numbers as CSV", "csv", "Every sample of every recorded quantity; units in the first line."):
        _save(session, "csv", save_csv)
    if _item("Numbers as Parquet", "parquet", "The same as a table for pandas, Polars, DuckDB and the like."):
        _save(session, "parquet", save_parquet)
    if _item("Picture as PNG", "png", "The plots as they stand here, in these colours; a larger window makes a larger picture."):
        session.request(f"pose:{files.pictures() / f'{file_name(session)}-plot.png'}")
    imgui.end_popup()


def _item(label: str, name: str, help: str) -> bool:
    pressed = imgui.menu_item(label, "", False)[0]
    widgets.mark(name)
    widgets.tooltip(help)
    return pressed


def _save(session: Session, ending: str, save: Callable[[Session, Path], None]) -> None:
    path = files.documents() / f"{file_name(session)}.{ending}"
    try:
        save(session, path)
    except (OSError, BadInput) as error:
        session.say(f"the numbers could not be saved: {error}")
    else:
        session.say(f"saved {path}")


def file_name(session: Session) -> str:
    """Scene and the time of day."""
    return f"{session.frame.scene or 'record'}-{time.strftime('%Y%m%d-%H%M%S')}"


def columns(session: Session) -> dict:
    """All samples by "name [unit]", time first."""
    table = session.traces.table()
    return {"time [s]" if key == "time" else session.traces.label(key): column for key, column in table.items()}


def save_csv(session: Session, path: Path) -> None:
    """All samples, header "name [unit]", time first."""
    table = columns(session)
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(table)
    writer.writerows(zip(*(column.tolist() for column in table.values())))
    write(path, text.getvalue().encode())


def save_parquet(session: Session, path: Path) -> None:
    """The same as a Parquet file."""
    write(path, parquet.encode(columns(session)))
