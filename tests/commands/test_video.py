"""Videos, pictures and the tour: number, size and times, decoded from the files; a sentence where ffmpeg is missing."""

import re
import shutil
import struct
import subprocess
import sys
import threading
import time
import zlib
from pathlib import Path

import numpy as np
import pytest
from pyglet.window import key

import scenes
from app import commands, extras
from app.cli import main
from app.engine.simulation import Simulation
from app.gui.output import video_recorder
from app.gui.output.tour import HELD_SHARE, MAX_LETTERS, TOUR_SCENES, Visit, shortened
from app.gui.output.video_recorder import VideoSettings
from app.gui.text import fonts
from app.video import Frames, Mp4, Writer, find_ffmpeg
from physics import BadInput
from tests.helpers import ROOT


def ffmpeg():
    try:
        return find_ffmpeg()
    except BadInput as missing:
        pytest.skip(str(missing))


def decoded(path):
    """(pictures, height, width, 3) uint8 of a video."""
    said = subprocess.run([ffmpeg(), "-i", str(path)], capture_output=True, text=True).stderr
    size = re.search(r"Video:.*?, (\d+x\d+)[ ,]", said)[1]
    width, height = map(int, size.split("x"))
    raw = subprocess.run([ffmpeg(), "-loglevel", "error", "-i", str(path), "-f", "rawvideo", "-pix_fmt", "rgb24", "-"],
                         capture_output=True, check=True).stdout
    return np.frombuffer(raw, np.uint8).reshape(-1, height, width, 3)


def read_png(path):
    data, at, parts, size = path.read_bytes(), 8, [], None
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at : at + 8])
        if kind == b"IHDR":
            size = struct.unpack(">II", data[at + 8 : at + 16])
        elif kind == b"IDAT":
            parts.append(data[at + 8 : at + 8 + length])
        at += 12 + length
    rows = np.frombuffer(zlib.decompress(b"".join(parts)), np.uint8).reshape(size[1], 1 + 3 * size[0])
    return rows[:, 1:].reshape(size[1], size[0], 3)


def shade(value, width=64, height=48):
    return np.full((height, width, 3), value, np.uint8)


def test_a_video_has_every_picture_in_order_and_sides_become_even(tmp_path):
    ffmpeg()
    writer = Writer(Mp4(tmp_path / "a.mp4", 25))
    for k in range(40):
        assert writer.put(shade(5 * k, 65, 49), times=2 if k == 7 else 1)
    assert not writer.put(shade(0, 32, 32)), "another size is refused"
    assert writer.close() == "" and [path.name for path in tmp_path.iterdir()] == ["a.mp4"]
    pictures = decoded(tmp_path / "a.mp4")
    assert pictures.shape == (41, 48, 64, 3)
    shades = [5 * k for k in range(40)]
    shades.insert(8, 35)
    assert pictures.mean(axis=(1, 2, 3)) == pytest.approx(shades, abs=3.0)


def test_drawing_waits_for_a_slow_file_and_drops_nothing(monkeypatch):
    class Slow:
        path, taken = "slow", 0

        def put(self, pixels):
            time.sleep(0.01)
            self.taken += 1

        def close(self):
            pass

    monkeypatch.setattr("app.video.MAX_QUEUED_BYTES", 3 * shade(0).nbytes)
    file = Slow()
    writer, most = Writer(file), 0
    for k in range(30):
        writer.put(shade(k))
        most = max(most, writer.waiting.qsize())
    assert writer.close() == "" and file.taken == 30 and most <= 3
    assert not any(thread.name == "video" for thread in threading.enumerate())


def test_a_video_that_cannot_be_written_is_one_sentence(tmp_path, monkeypatch):
    with pytest.raises(BadInput, match="empty folder"):
        (tmp_path / "00000.png").write_bytes(b"")
        Frames(tmp_path)
    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", None)
    monkeypatch.setattr(shutil, "which", lambda name: None)
    monkeypatch.setattr(extras, "ROOT", tmp_path)       # not in the environment that start.py made
    with pytest.raises(BadInput) as raised:
        Mp4(tmp_path / "a.mp4", 30)
    command = re.search("`(.*) -m pip install imageio-ffmpeg`", str(raised.value))[1]
    assert Path(command.strip('"')) == Path(sys.executable), "another pip would install it where this program does not look"
    (tmp_path / "start.py").touch()
    monkeypatch.setattr(sys, "prefix", str(tmp_path / ".venv"))
    with pytest.raises(BadInput) as raised:
        Mp4(tmp_path / "a.mp4", 30)
    assert re.search(r"start\.py\S* install video`", str(raised.value)), "that environment has no pip"
    monkeypatch.setattr(shutil, "which", lambda name: "/bin/false")
    writer = Writer(Mp4(tmp_path / "a.mp4", 30))
    for _ in range(3):
        writer.put(shade(0, 640, 480))
    assert "could not write" in writer.close() and not (tmp_path / "a.mp4").exists()


@pytest.mark.parametrize(("args", "words"), [
    ([], "--png FILE"), (["--png", "a.png", "--frames", "b"], "--png FILE"),
    (["--frames", "new", "--fps", "0"], "between 1 and 240"),
    (["--frames", "new", "--seconds", "-1"], "more than 0")])
def test_the_command_refuses_unsupported_arguments(args, words, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["render", "incline", *args]) != 0
    assert words in capsys.readouterr().err and not list(tmp_path.iterdir())


def test_the_command_saves_frames_and_a_video(tmp_path):
    words = ["render", "incline", "--seconds", "0.5", "--fps", "8", "--size", "160x101", "--samples", "0", "--set", "angle=40"]
    assert main([*words, "--frames", str(tmp_path / "frames")]) == 0
    single = [read_png(path) for path in sorted((tmp_path / "frames").iterdir())]
    assert [picture.shape for picture in single] == [(101, 160, 3)] * 4
    assert np.abs(single[0].astype(int) - single[3]).max() > 60, "the block slides"
    ffmpeg()
    assert main([*words, "--video", str(tmp_path / "a.mp4")]) == 0
    video = decoded(tmp_path / "a.mp4")
    assert video.shape == (4, 100, 160, 3)
    assert np.abs(video.astype(int) - np.array(single)[:, :100]).mean() < 6.0


@pytest.fixture
def filming(person, tmp_path, monkeypatch):
    monkeypatch.setattr(video_recorder, "pictures", lambda: tmp_path)
    person.load("pyramid")
    person.see(scene=False)
    wishes = person.session.state(VideoSettings)
    for name, value in vars(VideoSettings(kind="png", panels=True)).items():
        setattr(wishes, name, value)
    yield person, wishes, tmp_path


def run_to(person, step):
    person.session.post(Simulation.single_step, step - person.session.frame.step)
    assert person.wait(lambda: person.session.frame.step >= step, 20.0)


def test_the_key_records_the_window_in_simulated_time(filming):
    person, _, folder = filming
    person.session.post(Simulation.reset)
    assert person.wait(lambda: person.session.frame.step == 0)
    person.hit(key.F12, key.MOD_CTRL)
    assert person.window.recorder.writer is not None
    for step in range(4, 41, 4):       # 1/60 s each
        run_to(person, step)
        person.look(3)                 # nothing is due in between
    person.hit(key.F12, key.MOD_CTRL)
    saved = sorted(next(folder.iterdir()).iterdir())
    text = person.session.messages[-1].text
    assert len(saved) == 11 and "11 pictures" in text and "twice" not in text
    width, height = person.window.get_framebuffer_size()
    assert read_png(saved[0]).shape == (height, width, 3)


def test_late_pictures_are_repeated_and_counted(filming):
    person, _, folder = filming
    person.hit(key.F12, key.MOD_CTRL)
    start = person.session.frame.step
    for k in range(1, 4):
        run_to(person, start + 8 * k)
    person.hit(key.F12, key.MOD_CTRL)
    text = person.session.messages[-1].text
    assert len(list(next(folder.iterdir()).iterdir())) == 7 and "7 pictures; 3 of them duplicated" in text
    assert "a jump" in text and "window was too slow" not in text, "simulated time waits for the window"


def test_late_pictures_in_real_time_are_of_a_slow_window(filming):
    person, wishes, _ = filming
    wishes.clock = "wall"
    person.hit(key.F12, key.MOD_CTRL)
    time.sleep(0.2)
    person.look()
    person.hit(key.F12, key.MOD_CTRL)
    assert "duplicated because the window was too slow" in person.session.messages[-1].text


def test_a_slow_window_holds_the_simulated_time_of_a_video(filming):
    """It went on, and most pictures were duplicates of the one before."""
    person, _, folder = filming
    person.hit(key.F12, key.MOD_CTRL)
    start = person.session.frame.time
    person.session.post(Simulation.run)
    assert person.wait(lambda: person.session.frame.time > start)
    for _ in range(12):
        time.sleep(0.1)
        person.look()
    passed = person.session.frame.time - start
    person.session.post(Simulation.pause)
    assert person.wait(lambda: person.session.frame.paused)
    person.hit(key.F12, key.MOD_CTRL)
    assert "duplicated" not in person.session.messages[-1].text and 12 <= len(list(next(folder.iterdir()).iterdir())) <= 16
    assert passed == pytest.approx(12 / 60.0, abs=3 / 60.0)


def test_the_scene_alone_has_the_chosen_size(filming):
    person, wishes, folder = filming
    wishes.panels, wishes.size, wishes.clock = False, "1280 x 720", "wall"
    wishes.fps = 1.0
    person.hit(key.F12, key.MOD_CTRL)
    person.look(1)
    person.hit(key.F12, key.MOD_CTRL)
    saved = sorted(next(folder.iterdir()).iterdir())
    assert len(saved) >= 1
    picture = read_png(saved[0])
    assert picture.shape == (720, 1280, 3) and picture.std() > 5.0
    assert person.window.picture().shape[1] == person.window.get_framebuffer_size()[0], "the window is drawn as before"


def test_another_scene_ends_the_video(filming):
    person, _, _ = filming
    person.hit(key.F12, key.MOD_CTRL)
    person.load("stack")
    assert person.window.recorder.writer is None
    assert any("another scene: saved" in message.text for message in person.session.messages)


def test_a_screenshot_without_panels(filming):
    person, _, folder = filming
    person.window.save_scene_picture(folder / "a.png")
    width, height = person.window.gui.panels.centre[2:]
    assert read_png(folder / "a.png").shape == (round(height), round(width), 3)


# ---- the tour


def test_the_tour_visits_scenes_with_a_law_and_a_prediction() -> None:
    assert len(TOUR_SCENES) == len(set(TOUR_SCENES)) >= 8
    found = [scenes.find(name) for name in TOUR_SCENES]
    assert [scene.title for scene in found if not (scene.law and scene.predict and scene.plots)] == []


def test_the_command_writes_every_picture_with_texts_beside_the_scene(tmp_path) -> None:
    """Two scenes of three pictures each: black, motion, the end; in a process of its own, as for a user."""
    words = ("--scenes", "door,cradle", "--seconds", "3", "--fps", "2", "--size", "320x180", "--language", "ru")
    done = subprocess.run([sys.executable, "-P", "-m", "app", "tour", "--frames", str(tmp_path / "film"), *words], cwd=ROOT,
                          capture_output=True, text=True, encoding="utf-8")
    assert done.returncode == 0, done.stderr
    films = [read_png(file).astype(int) for file in sorted((tmp_path / "film").glob("*.png"))]
    assert len(films) == 6 and {film.shape for film in films} == {(180, 320, 3)}
    column = round(0.34 * 320)
    for number, film in enumerate(films):
        texts, scene = film[:, :column].max(axis=2), film[:, column + 2:].max(axis=2)
        if number % 3 == 0:         # it appears out of black
            assert film.max() == 0
        else:
            assert 0.01 < np.mean(texts > 120) < 0.3 and scene.std() > 8.0, number
    door, cradle = films[1], films[4]
    assert np.abs(door - cradle)[:, :column].mean() > 1.0 and np.abs(door - cradle)[:, column:].mean() > 5.0
    assert np.abs(films[1] - films[2])[:, column:].mean() > 1.0, "nothing moves"


def test_a_visit_ends_at_the_scenes_time_with_everything_measured() -> None:
    visit = Visit("door", 12.0)
    assert all(number is None for _, number in visit.rows())
    assert visit.at((1.0 - HELD_SHARE) * 12.0 * visit.speed).time == pytest.approx(visit.scene.check_time)
    assert visit.at(1e3).time == pytest.approx(visit.scene.check_time), "its end is held"
    for prediction, number in visit.rows():
        assert number == pytest.approx(prediction.value, rel=prediction.tolerance)
    unit, (lo, hi), curves = visit.curves()
    assert unit == "rad/s" and lo <= curves[0][1].min() and hi >= curves[0][1].max() and len(curves[0][0]) == 131


@pytest.mark.parametrize("text, kept", [("Short. And whole.", "Short. And whole."),
                                        ("One sentence here. " + "x" * MAX_LETTERS, "One sentence here."),
                                        ("\u4e00\u3002" + "x" * MAX_LETTERS, "\u4e00\u3002")])
def test_a_long_description_ends_with_a_sentence(text: str, kept: str) -> None:
    assert shortened(text) == kept


@pytest.mark.parametrize("words, said", [
    ((), "use one of --video"), (("--frames", "x", "--scenes", "dor"), "unknown scene 'dor'"),
    (("--frames", "x", "--language", "xx"), "--language xx is unknown"), (("--frames", "x", "--fps", "0.5"), "--fps 0.5"),
    (("--frames", "x", "--seconds", "-1"), "--seconds -1"),
    (("--frames", "x", "--language", "zh"), "Chinese needs a suitable font")])
def test_what_cannot_be_filmed_is_said(words, said, tmp_path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(fonts, "chinese", lambda: None)
    assert main(["tour", *words]) == commands.BAD_INPUT
    assert said in capsys.readouterr().err and not list(tmp_path.iterdir())
