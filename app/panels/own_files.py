"""Trust questions for new files of the user's: what and where they are, whether to run them; and earlier answers."""

from pathlib import Path

from app.files.folders import data_folder
from app.gui.controls import flags, icons, style, widgets
from app.i18n.imgui_translated import imgui
from app.i18n.message import message
from app.own_files.ask import TRUST_WARNING, TrustQuestions
from app.session import Session

TITLE = "Own files"
PLACE = "float"
OPEN = False
GROUP = "Program"
ABOUT = "your own files, and which may run"

WIDTH, HEIGHT = 460.0, 160.0
"""Width of the text, and largest height of the list [px at scale 1]."""


def draw(session: Session) -> None:
    asking = session.state(TrustQuestions)
    imgui.dummy(imgui.ImVec2(widgets.scaled(WIDTH), 0.0))
    if asking.new:
        _question(session, asking, asking.new[0])
    else:
        _known(session, asking)


def _question(session: Session, asking: TrustQuestions, path: Path) -> None:
    others = len(asking.new) - 1
    widgets.wrapped("New file:")
    widgets.wrapped(str(path), style.palette().accent_strong)
    widgets.wrapped(TRUST_WARNING)
    widgets.wrapped("Run it only if you wrote it or trust its author. Saving it again does not ask again.")
    if others:
        widgets.dim_text(message("{others} more", others=others))
    imgui.dummy(imgui.ImVec2(0.0, widgets.scaled(2.0)))
    if widgets.button(icons.text(icons.PLAY, "Run it"), "Run it now and in future sessions.", name="run it", accent=True):
        asking.answer(session, path, True)
        _left(session, asking)
    imgui.same_line()
    if widgets.button("Skip it", "The file is kept but not run.", name="leave it out"):
        asking.answer(session, path, False)
        _left(session, asking)
    imgui.same_line()
    if widgets.button("Later", "Skip it this time and ask again at the next start.", name="later"):
        asking.later()
        _left(session, asking)


def _left(session: Session, asking: TrustQuestions) -> None:
    if not asking.new:
        session.window.toggle_panel("own_files")


def _known(session: Session, asking: TrustQuestions) -> None:
    """Draw the earlier answers, which can be changed."""
    known = sorted(asking.answers.known.items())
    if not known:
        widgets.wrapped(message("Put your own scenes, lessons, panels, overlays and solvers into folders of these names in "
                                "{folder}. You are asked before each is run.", folder=data_folder()))
        return
    widgets.wrapped("These files are run when needed; disabled files are skipped from the next start on.")
    room = min(widgets.scaled(HEIGHT), len(known) * imgui.get_frame_height_with_spacing() + widgets.scaled(4.0))
    if imgui.begin_child("list", imgui.ImVec2(0.0, room), child_flags=flags.WITHIN):
        for name, runs in known:
            path = Path(name)
            if (new := widgets.toggle(f"{path.parent.name}/{path.name}##{name}", runs, name)) is not None:
                asking.answer(session, path, new)
    imgui.end_child()
