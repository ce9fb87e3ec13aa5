"""Command line: help, hints, exit codes, files."""

import csv
import dataclasses
import json
import os
import re
import subprocess
import sys

import numpy as np
import pytest

import scenes
from app import cli, commands
from app.build_scene import build
from app.commands.run import last_step
from app.own_files import trust
from physics import solvers, step
from physics.observe import quantities
from tests.helpers import ROOT, command_line

pytestmark = pytest.mark.usefixtures("no_compilation")


@pytest.mark.parametrize("words", [["--help"], ["--version"], *([name, "--help"] for name in commands.names())])
def test_help_is_quick(words):
    """Without numba, numpy or a window: they are not even imported."""
    code = ("import sys\nfrom app.cli import main\ncode = main(sys.argv[1:])\n"
            "heavy = {'numba', 'numpy', 'pyglet', 'imgui_bundle', 'physics', 'scenes'} & set(sys.modules)\n"
            "sys.exit(f'imports {heavy}' if heavy else code)")
    done = subprocess.run([sys.executable, "-c", code, *words], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout and not done.stderr


def test_help_names_every_command(capsys):
    _, out, _ = command_line(capsys, "--help")
    for name in commands.names():
        assert f"    {name} " in out.replace("\n", " ") and commands.load(name).HELP in " ".join(out.split())
    assert "examples:" in out


@pytest.mark.parametrize("words, hint", [
    (["runn"], "did you mean run?"),
    (["xyzzy"], "available:"),
    (["run"], "SCENE"),
    (["run", "dor"], "door"),
    (["run", "door", "--dt", "abc"], "--dt"),
    (["run", "door", "--dt", "0"], "--dt"),
    (["run", "door", "--dt", "nan"], "--dt"),
    (["run", "door", "--dt", "1.5"], "dt = 1.5"),
    (["run", "door", "--seconds", "-1"], "--seconds"),
    (["run", "door", "--seconds", "1e3.5"], "--seconds"),
    (["run", "door", "--seconds", "1e18"], "more than 1e+09 steps"),
    (["run", "door", "--dt", "5e-324"], "allowed: 1e-09 .. 1 s"),
    (["run", "door", "--dt", "10"], "allowed: 1e-09 .. 1 s"),
    (["run", "door", "--seconds", "inf"], "--seconds = inf must be a finite number"),
    (["record", "door", "--seconds", "1e300"], "more than 1e+09 steps"),
    (["render", "door", "--png", "a.png", "--at", "1", "--dt", "1e-300"], "allowed: 1e-09 .. 1 s"),
    (["render", "door", "--png", "a.png", "--fps", "0"], "--fps: only for --video and --frames"),
    (["run", "door", "--set", "pusk=1"], "has no such parameter; did you mean 'push'"),
    (["run", "door", "--quantities", ""], "--quantities '' names none"),
    (["run", "incline", "--quantities", "body:nope.x"], "there is no body 'nope' for 'body:nope.x'; there are: "),
    (["run", "incline", "--quantities", "body:lane 5.nope"], "it has: x, "),
    (["view", "\x1b[2J\n"], "\\x1b[2J\\n"),
    (["run", "door", "--iterations", "0"], "iterations"),
    (["run", "door", "--facets", "2"], "facets"),
    (["run", "door", "--friction", "-1"], "friction"),
    (["run", "door", "--restitution", "2"], "restitution"),
    (["run", "door", "--option", "warm_start"], "NAME=VALUE"),
    (["run", "door", "--option", "wram_start=true"], "warm_start"),
    (["run", "door", "--set", "push=lots"], "push"),
    (["run", "door", "--solver", "magic"], "sequential_impulses"),
    (["run", "door", "--quantities", "joint:hing.angle"], "hinge"),
    (["run", "door", "pyramid"], "unrecognized"),
    (["run", "door", "--csv", "/no/such/folder/a.csv"], "/no/such/folder/a.csv"),
    (["run", "door", "--csv", "."], "folder"),
    (["scenes", "xyzzy"], "xyzzy"),
    (["view", "--seconds", "-1"], "--seconds"),
    (["view", "--seconds", "nan"], "--seconds"),
    (["view", "--seconds", "1", "--screenshot", "."], "folder"),
    (["view", "--seconds", "1", "--screenshot", "/no/such/folder/a.png"], "/no/such/folder/a.png"),
    (["render", "door", "--png", "/no/such/folder/a.png"], "/no/such/folder/a.png"),
    (["render", "door", "--png", "."], "folder"),
])
def test_bad_input_is_one_line_and_exit_2(capsys, words, hint):
    code, out, err = command_line(capsys, *words)
    assert code == 2
    assert hint in err and err.count("\n") == 1 and "Traceback" not in err
    assert not out


def test_an_output_that_was_closed_is_no_error(monkeypatch):
    """`stiction scenes >&-`"""
    monkeypatch.setattr(sys, "stdout", None)
    assert cli.main(["scenes", "pyramid"]) == 0


def test_a_quantity_of_a_name_with_a_comma_stands_in_quotes(capsys, tmp_path):
    scene = tmp_path / "two.toml"
    scene.write_text('format = 1\n[[bodies]]\nname = "box, red"\nkind = "dynamic"\nmass = 1.0\ninertia = [0.1, 0.1, 0.1]\n'
                     'shapes = [{kind = "box", half = [0.1, 0.1, 0.1]}]\n')
    code, out, err = command_line(capsys, "run", str(scene), "--seconds", "0.1", "--csv", "-", "--quantities",
                                  '"body:box, red.z", world.energy')
    assert code == 0, err
    assert out.splitlines()[0] == 'time [s],"box, red z [m]",total energy [J]'


def test_facets_make_the_cone_a_polygon(capsys):
    """Also where the scene itself asks for the circle."""
    runs = [command_line(capsys, "run", "star_burst", "--seconds", "0.3", "--csv", "-", "--quantities", "body:ray 1.x", *more)[1]
            for more in ((), ("--facets", "3"), ("--facets", "3", "--option", "cone=circle"))]
    assert runs[0] != runs[1] and runs[0] == runs[2]


def test_debug_shows_the_traceback_and_ends_as_without(capsys):
    code, out, err = command_line(capsys, "--debug", "run", "dor")
    assert code == 2 and not out and err.startswith("Traceback") and err.endswith(command_line(capsys, "run", "dor")[2])


def test_ctrl_c_is_quiet(capsys, monkeypatch):
    def interrupted(args):
        raise KeyboardInterrupt

    monkeypatch.setattr(commands.load("scenes"), "run", interrupted)
    assert command_line(capsys, "scenes") == (130, "", "")


@pytest.mark.parametrize("error, code", [
    (PermissionError(13, "Permission denied", "/x"), 3), (OSError(28, "No space left on device"), 3),
    (FileNotFoundError(2, "No such file or directory", "/x"), 2), (ModuleNotFoundError("no", name="numba"), 3),
    (RuntimeError("oops"), 1)])
def test_errors_are_one_sentence(error, code):
    sentence, found = cli.explain(error)
    assert found == code and "\n" not in sentence


def test_scenes_lists_every_scene(capsys):
    import scenes

    code, out, _ = command_line(capsys, "scenes")
    assert code == 0
    assert sorted(line.split()[0] for line in out.splitlines()) == sorted(scenes.all_scenes())


def test_the_list_of_scenes_is_the_same_from_text_and_import(capsys, monkeypatch):
    read = command_line(capsys, "scenes")
    monkeypatch.setattr(commands.load("scenes"), "_read", lambda: None)
    assert command_line(capsys, "scenes") == read


def test_own_scenes_are_listed_by_their_own_titles(tmp_path):
    (tmp_path / "scenes").mkdir()
    (tmp_path / "scenes" / "ramp.py").write_text(
        "from scenes import Scene\nSCENE = Scene(title='My ' + 'ramp', category='Own', look_for='', law='', law_text='', "
        "build=lambda world, parameters: None)\n")
    trust.TrustStore(tmp_path / trust.FILE_NAME).remember(tmp_path / "scenes" / "ramp.py", True)
    done = subprocess.run([sys.executable, "-P", "-m", "app", "scenes", "My ramp"], cwd=ROOT, capture_output=True, text=True,
                          env={**os.environ, "PYTHONPATH": str(ROOT), "STICTION_DATA_DIR": str(tmp_path),
                               "STICTION_STATE_DIR": str(tmp_path)})
    assert done.stdout == "ramp  Own  My ramp\n", done.stderr


def test_the_list_of_scenes_imports_none():
    code = ("import sys\nfrom app.cli import main\nmain(['scenes'])\n"
            "sys.exit(' '.join({'numpy', 'numba', 'physics', 'scenes'} & set(sys.modules)) or 0)")
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_run_writes_a_table(capsys, tmp_path):
    path = tmp_path / "door.csv"
    path.write_text("old")
    code, out, _ = command_line(capsys, "run", "door", "--seconds", "0.2", "--csv", str(path),
                            "--quantities", "joint:hinge.angle,world.energy")
    assert code == 0
    with path.open() as stream:
        head, *rows = csv.reader(stream)
    assert head == ["time [s]", "hinge angle [rad]", "total energy [J]"]
    assert len(rows) == 21 and float(rows[-1][0]) == pytest.approx(0.2)
    assert all(float(number) == float(number) for row in rows for number in row)
    assert "0.2 s in 20 steps" in out and "residual" in out and "stops at: predicted" in out
    assert [p.name for p in tmp_path.iterdir()] == ["door.csv"]


def test_one_sweep_and_one_contact_are_singular(capsys):
    """One sweep was "1 sweeps"."""
    world = build(scenes.find("pendulum"))
    world.report = dataclasses.replace(step(world, 0.001), iterations=1, contacts=1)
    last_step(world, 1, sys.stdout)
    said = capsys.readouterr().out
    assert ", 1 sweep, " in said and ", 1 contact, " in said and "no violation in 1 step\n" in said


def test_run_gives_the_same_bits(capsys):
    first, second = (command_line(capsys, "run", "pyramid", "--seconds", "0.1", "--csv", "-") for _ in range(2))
    assert first[0] == 0 and first[1] == second[1]


def test_columns_of_a_table_have_different_titles(capsys, tmp_path):
    """The penetrations that world and solver report were two columns of one title in CSV, and one column in Parquet."""
    files = tmp_path / "a.csv", tmp_path / "a.parquet"
    keys = "solver.penetration,world.penetration,world.energy,world.energy"
    assert command_line(capsys, "run", "stack", "--seconds", "0.02", "--quantities", keys, "--csv", str(files[0]), "--parquet",
                    str(files[1]))[0] == 0
    titles = ["time [s]", "penetration (solver.penetration) [m]", "penetration (world.penetration) [m]", "total energy [J]"]
    assert files[0].read_text().splitlines()[0].split(",") == titles
    data = files[1].read_bytes()
    assert all(title.encode() in data for title in titles)


def test_a_run_as_parquet_has_the_same_numbers(capsys, tmp_path):
    table = tmp_path / "door.parquet"
    code, out, _ = command_line(capsys, "run", "door", "--seconds", "0.2", "--quantities", "joint:hinge.angle", "--parquet",
                            str(table), "--csv", "-")
    rows = [line.split(",") for line in out.splitlines()]
    data = table.read_bytes()
    assert code == 0 and rows[0] == ["time [s]", "hinge angle [rad]"] and data[:4] == data[-4:] == b"PAR1"
    for k, name in enumerate(rows[0]):
        assert name.encode() in data and np.array([float(row[k]) for row in rows[1:]]).tobytes() in data
    code, _, err = command_line(capsys, "run", "door", "--seconds", "0.1", "--parquet", str(tmp_path))
    assert code != 0 and "folder" in err


def test_a_run_that_fails_keeps_the_old_file(capsys, tmp_path, monkeypatch):
    path = tmp_path / "door.csv"
    path.write_text("old")

    monkeypatch.setattr(quantities, "find", lambda world, key: quantities.Quantity(key, key, "", lambda w: 1 / 0))
    code, _, err = command_line(capsys, "run", "door", "--seconds", "0.2", "--csv", str(path))
    assert code == 1 and "ZeroDivisionError" in err
    assert path.read_text() == "old" and [p.name for p in tmp_path.iterdir()] == ["door.csv"]


@pytest.mark.parametrize("measured, code", [(1.0, 0), (2.0, 1), (float("nan"), 1)])
def test_papers_as_json_and_as_a_page(capsys, monkeypatch, tmp_path, measured, code):
    import scenes

    row = scenes.PaperRow("ST96", "Table I", "time of fall", 1.0, measured, "s", 0.01, "z up")
    drawn = scenes.PaperFigure("ST96", "fig. 9", "fall", "time [s]", "z [m]", [scenes.Series("ours", (0, 1), (1, 0))], "no air")
    scene = scenes.Scene("t", "c", "l", "", "", build=lambda world, p: None, papers=lambda: [row], figures=lambda: [drawn])
    monkeypatch.setattr(scenes, "all_scenes", lambda: {"x": scene})
    found, out, _ = command_line(capsys, "papers", "--json")
    assert found == code
    assert json.loads(out) == [{"source": "ST96", "figure": "Table I", "quantity": "time of fall", "published": 1.0,
                                "measured": None if measured != measured else measured, "unit": "s", "tolerance": 0.01,
                                "ok": code == 0, "conventions": "z up", "provenance": "printed"}]
    found, out, _ = command_line(capsys, "papers")
    assert found == code and f"{1 - code} of 1 passed" in out
    page = tmp_path / "papers.md"
    found, _, _ = command_line(capsys, "papers", "--write", str(page))
    assert found == code and f"{1 - code} of 1 rows hold" in page.read_text()
    line = f"| Table I | time of fall | 1 | printed | {measured:.6g} | s | 0.01 | {'**off**' if code else ''} |"
    assert line in page.read_text()
    link = re.search(r"!\[ST96 fig. 9: fall\]\((.+)\)\n\nno air\n", page.read_text())
    assert (page.parent / link[1]).read_text().startswith("<svg ")
    found, out, err = command_line(capsys, "papers", "xyzzy")
    assert found == 2 and not out and "xyzzy" in err


def test_a_misspelt_scene_is_refused_before_anything_is_compiled(monkeypatch, capsys):
    monkeypatch.setattr(commands.load("warm"), "ensure_kernels", lambda: pytest.fail("compiled first"))
    for command in ("run", "view"):
        assert cli.main([command, "dor"]) == commands.BAD_INPUT
        assert "unknown scene 'dor'; did you mean door?" in capsys.readouterr().err


def test_the_gallery_page_has_picture_law_prediction_and_measurement(tmp_path, capsys):
    page = tmp_path / "docs" / "gallery.md"
    page.parent.mkdir()
    found, out, _ = command_line(capsys, "gallery", "--workers", "1", "--write", str(page), "door", "friction_cases")
    text = page.read_text()
    assert found == 0 and "saved 2 scenes" in out
    assert "### Door with dry friction" in text and "**off**" not in text
    assert re.search(r"stops at \| 0\.8[67]\d* s \| 0\.87 s \|  \|", text)
    heads, cells, passed = (re.search(rf"^\| {begins}.*(?= \|$)", text, re.M)[0].split(" | ")
                            for begins in ("scene", "Door", r"\*\*come"))
    cells, passed = dict(zip(heads, cells, strict=True)), dict(zip(heads, passed, strict=True))
    assert re.fullmatch(r"0\.0\d+ %", cells["sequential_impulses"]) and passed["sequential_impulses"] == "1 of 1"
    assert cells["event_driven"] == "-" and passed["event_driven"] == "0 of 0"
    assert cells["compliant_contact"].startswith("**") and passed["compliant_contact"] == "0 of 1"
    assert all((page.parent / path).is_file() for path in re.findall(r'src="([^"]+)"', text))


def test_a_prediction_that_fails_marks_the_gallery_page(tmp_path, capsys, monkeypatch):
    import dataclasses

    import scenes

    door = scenes.find("door")
    wrong = dataclasses.replace(door, predict=lambda p: [dataclasses.replace(door.predict(p)[0], value=1.5)])
    monkeypatch.setattr(scenes, "find", lambda name: wrong)
    own = {door.solver: solvers.available()[door.solver]}
    monkeypatch.setattr(solvers, "available", lambda: own)
    page = tmp_path / "gallery.md"
    found, _, _ = command_line(capsys, "gallery", "--workers", "1", "--write", str(page), "door")
    assert found == 1 and "| stops at | 1.5 s | 0.87 s | **off** |" in page.read_text()


def test_the_gallery_gives_up_slow_solvers_and_its_pieces_are_one_run(monkeypatch):
    import scenes

    gallery, door = commands.load("gallery"), scenes.find("door")
    _, trace = gallery.whole_run(door, scenes.world_under(door, door.solver), 60.0)
    whole = scenes.run(door)[1]
    assert trace.keys() == whole.keys() and all(np.array_equal(trace[key], whole[key]) for key in whole)
    monkeypatch.setattr(gallery, "LIMIT", -1.0)
    found = gallery.outcome(("door", "soft_steps"))
    assert found.cell == gallery.SLOW and not found.counts
