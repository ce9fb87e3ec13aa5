"""Files that commands write: never one of another kind or option, never one that is read, never before all is checked."""

import pytest

import scenes
from app.engine.scene_files import scene_file
from tests.helpers import command_line

RUN, SHORT = ("run", "incline", "--seconds", "0.05"), ("--seconds", "0.05")

pytestmark = pytest.mark.usefixtures("no_compilation")


@pytest.mark.parametrize(("words", "said"), [
    (("record", "incline", *SHORT, "--out", "mine.toml"), "--out mine.toml: .toml is the ending of scene files"),
    (("record", "incline", *SHORT, "--out", "other"), "--out other must end with .stiction"),
    ((*RUN, "--csv", "mine.toml"), "--csv mine.toml: .toml is the ending of scene files"),
    ((*RUN, "--wav", "a.csv"), "--wav a.csv: .csv is the ending of measured runs"),
    ((*RUN, "--wav", "-"), "--wav - is not a file"),
    (("render", "incline", "--png", "mine.toml"), "--png mine.toml: .toml is the ending of scene files"),
    (("render", "incline", "--video", "a.stiction"), "--video a.stiction: .stiction is the ending of recordings"),
    (("export", "incline", "--html", "mine.toml"), "--html mine.toml: .toml is the ending of scene files"),
    (("sweep", "incline", "--vary", "angle=10", "--out", "mine.toml"), "--out mine.toml: .toml is the ending of scene files"),
    (("map", "incline", "--out", "mine.toml"), "--out mine.toml: .toml is the ending of scene files"),
    (("papers", "--write", "mine.toml"), "--write mine.toml: .toml is the ending of scene files"),
    (("gallery", "--write", "mine.toml"), "--write mine.toml: .toml is the ending of scene files"),
    (("truth", "--list", "--write", "mine.toml"), "--write mine.toml: .toml is the ending of scene files")])
def test_a_file_of_another_kind_is_never_written(tmp_path, capsys, monkeypatch, words, said):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.toml").write_text("mine")
    code, out, err = command_line(capsys, *words)
    assert code == 2 and said in err and err.count("\n") == 1 and not out
    assert (tmp_path / "mine.toml").read_text() == "mine" and len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize(("words", "said"), [
    ((*RUN, "--csv", "a.out", "--wav", "./a.out"), "--wav ./a.out is also --csv a.out: name another file"),
    ((*RUN, "--csv", "link", "--parquet", "old"), "--parquet old is also --csv link: name another file"),
    (("export", "incline", *SHORT, "--html", "a.xml", "--mjcf", "a.xml"), "--html a.xml: .xml is the ending of robots"),
    (("export", "incline", *SHORT, "--mjcf", "a.xml", "--html", "old", "--gltf", "old"), "--gltf old must end with"),
    (("fit", "slider", "--data", "old", "--parameters", "tilt", "--json", "old"), "--json old is also --data old"),
    (("export", "arm.urdf", "--urdf", "arm.urdf"), "--urdf arm.urdf is also SCENE")])
def test_two_outputs_or_an_output_and_an_input_are_never_one_file(tmp_path, capsys, monkeypatch, words, said):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "old").write_text("old")
    (tmp_path / "link").symlink_to("old")
    (tmp_path / "arm.urdf").write_text('<robot name="arm"><link name="base"/></robot>')
    before = {path: path.read_text() for path in tmp_path.iterdir()}
    code, out, err = command_line(capsys, *words)
    assert code == 2 and said in err and err.count("\n") == 1 and not out
    assert {path: path.read_text() for path in tmp_path.iterdir()} == before


@pytest.mark.parametrize("words", [("--dt", "10"), ("--dt", "10", "--seconds", "20"), ("--seconds", "inf"), ("--set", "nope=1"),
                                   ("--quantities", " ,"), ("--quantities", "body:nope.x"), ("--option", "nope=1")])
def test_bad_input_leaves_the_old_table(tmp_path, capsys, words):
    path = tmp_path / "old.csv"
    path.write_text("old")
    assert command_line(capsys, "run", "incline", "--csv", str(path), *words)[0] == 2
    code, out, _ = command_line(capsys, "run", "incline", "--csv", "-", *words)
    assert code == 2 and not out and path.read_text() == "old" and len(list(tmp_path.iterdir())) == 1


def test_a_run_of_a_scene_file_reports_its_own_steps(tmp_path, capsys):
    """The file holds a state 0.5 s after the start."""
    scene, path = scenes.find("incline"), tmp_path / "later.toml"
    world = scenes.make_world(scene)
    scenes.run(scene, world=world, seconds=0.5)
    around = scene_file.SceneContext(scene="incline", parameters=scene.parameters())
    path.write_text(scene_file.text_of(world, scene.dt, around)[0])
    code, out, _ = command_line(capsys, "run", str(path), "--seconds", "0.25")
    assert code == 0 and "0.25 s in 60 steps, from 0.5 s to 0.75 s, with" in out and "no violation in 60 steps" in out


def test_a_run_says_that_its_friction_is_not_that_of_the_predictions(capsys):
    _, out, _ = command_line(capsys, *RUN, "--friction", "0.3", "--set", "mu=0.9")
    assert "remark: --friction 0.3 is the friction of every body; predictions are for the friction that" in out
    assert "remark" not in command_line(capsys, *RUN, "--set", "mu=0.9")[1]


def test_pictures_are_saved_with_a_word(tmp_path, capsys):
    for option, name in (("--png", "a.png"), ("--frames", "frames")):
        more = ("--seconds", "0.1", "--fps", "10") if option == "--frames" else ()
        code, out, err = command_line(capsys, "render", "incline", "--size", "64x64", option, str(tmp_path / name), *more)
        if code == 3:
            pytest.skip("no OpenGL here")
        assert code == 0 and out.startswith("saved ") and out.endswith(f" in {tmp_path / name}\n") and not err
        assert (tmp_path / name).exists()
