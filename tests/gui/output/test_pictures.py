"""Pictures, videos and numbers of the window: what is said where they cannot be saved."""

import pytest

from app.files import folders
from app.gui.output.video_recorder import VideoSettings
from app.gui.plots.plot_saving import save_as, save_csv


@pytest.mark.parametrize("kind", ["window", "scene", "panel", "mp4", "png"])
def test_a_pictures_folder_that_is_none_is_said_in_a_sentence(person, tmp_path, monkeypatch, kind):
    """A file lies where the folder should be; an exception's text was shown."""
    (tmp_path / "Pictures").write_text("")
    monkeypatch.setattr(folders.platformdirs, "user_pictures_dir", lambda: str(tmp_path / "Pictures"))
    window, session, path = person.window, person.session, folders.pictures() / "a.png"
    person.load("incline")
    session.messages.clear()
    if kind in ("mp4", "png"):
        monkeypatch.setattr(session.state(VideoSettings), "kind", kind)
        window.recorder.toggle(window)
    else:
        {"window": window.save_picture, "scene": window.save_scene_picture, "panel": window.save_panel_picture}[kind](path)
    (said,) = [str(one.text) for one in session.messages]
    assert said.startswith(f"could not save {folders.pictures()}") and "must be a folder in which you may write" in said
    assert "Error" not in said and "Errno" not in said


def test_a_documents_folder_that_is_none_is_said_in_the_same_sentence(person, tmp_path, monkeypatch):
    """The numbers of a plot gave an exception's text, with its number and the path in quotes."""
    (tmp_path / "Documents").write_text("")
    monkeypatch.setattr(folders.platformdirs, "user_documents_dir", lambda: str(tmp_path / "Documents"))
    person.load("incline")
    person.session.messages.clear()
    save_as(person.session, "csv", save_csv)
    (said,) = [str(one.text) for one in person.session.messages]
    assert said.startswith(f"could not save {folders.documents()}") and "must be a folder in which you may write" in said
    assert "Errno" not in said
