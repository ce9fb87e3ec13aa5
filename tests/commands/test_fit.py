"""`stiction fit`: answers, files, exit codes, bad input; a run of our own as data."""

import csv
import json
import os

import numpy as np
import pytest

from app import cli
from tests.helpers import command_line

pytestmark = pytest.mark.usefixtures("no_compilation")


@pytest.fixture
def video(tmp_path):
    """A block on a level rail, x = v t - F t^2 / (2 m), v = 3 m/s, F = 6 N, m = 2 kg; 1 mm of noise."""
    t = np.arange(0.0, 0.8, 1.0 / 30.0)
    return table(tmp_path / "video.csv", ("time [s]", "position [mm]"), t,
                 1e3 * (3.0 * t - 1.5 * t**2) + np.random.default_rng(1).normal(0.0, 1.0, len(t)))


@pytest.fixture
def log(tmp_path):
    """Velocity and force of 2 kg with 5 N and 1.5 N s/m of friction."""
    t, rng = np.arange(0.0, 4.0, 0.004), np.random.default_rng(2)
    v, a = np.sin(3.0 * t), 3.0 * np.cos(3.0 * t)
    force = 2.0 * a + 5.0 * np.sign(v) + 1.5 * v
    return table(tmp_path / "log.csv", ("time [s]", "velocity [m/s]", "force [N]"), t, v + rng.normal(0.0, 2e-3, len(t)),
                 force + rng.normal(0.0, 0.1, len(t)))


def table(path, titles, *columns):
    with open(path, "w", newline="", encoding="utf-8") as stream:
        csv.writer(stream).writerows([titles, *np.column_stack(columns).tolist()])
    return str(path)


def ended(capsys, *words):
    return command_line(capsys, "fit", *words)


def test_a_fit_prints_answers_and_writes_a_report(tmp_path, capsys, video):
    code, out, err = ended(capsys, "slider", "--data", video, "--parameters", "max_friction", "--set", "tilt=0",
                           "--html", str(tmp_path / "fit.html"), "--json", str(tmp_path / "fit.json"))
    assert code == 0 and not err and "max_friction is " in out and "24 samples" in out
    told = json.loads((tmp_path / "fit.json").read_text(encoding="utf-8"))
    answer = told["parameters"][0]
    assert answer["name"] == "max_friction" and answer["unit"] == "N" and answer["kind"] == "value"
    assert answer["lo"] < 6.0 < answer["hi"] and answer["hi"] - answer["lo"] < 0.2
    assert len(told["curves"][0]["data"]) == 24 and told["curves"][0]["noise"] == pytest.approx(1e-3, rel=0.4)
    page = (tmp_path / "fit.html").read_text(encoding="utf-8")
    assert page.count("<svg") == 3 and "<polyline" in page and "max_friction" in page and answer["sentence"] in page
    assert not any(word in page for word in ("http:", "https:", "src=", "<script", "@import"))


def test_a_motor_log_is_fitted_without_a_run(capsys, log):
    code, out, err = ended(capsys, "slider", "--data", log, "--parameters", "joint_friction,viscous", "--set", "tilt=0",
                           "--json", "-")
    told = json.loads(out)
    assert code == 0 and told["method"] == "regression" and told["runs"] == 0 and told["dt"] is None
    assert [one["value"] for one in told["parameters"]] == [pytest.approx(5.0, abs=0.05), pytest.approx(1.5, abs=0.15)]
    assert "joint_friction is" in err


def test_a_run_of_our_own_is_data(tmp_path, capsys):
    """Columns are found by the titles that `stiction run --csv` writes; friction is read from its own column."""
    path = str(tmp_path / "run.csv")
    assert cli.main(["run", "slider", "--seconds", "0.4", "--set", "max_friction=6", "--csv", path]) == 0
    capsys.readouterr()
    code, out, _ = ended(capsys, "slider", "--data", path, "--parameters", "joint_friction")
    assert code == 0 and "motor log" in out and "joint_friction is 6 N" in out
    code, out, _ = ended(capsys, "slider", "--data", path, "--parameters", "max_friction", "--method", "trajectory",
                         "--seconds", "0.3")
    assert code == 0 and "max_friction is 6 N" in out and "slide friction" in out


def test_what_the_data_do_not_tell_is_exit_1(capsys, log):
    code, out, err = ended(capsys, "slider", "--data", log, "--parameters", "kinetic,viscous,stribeck", "--set", "tilt=0",
                           "--set", "max_friction=0")
    assert code == 1 and err.count("\n") == 1 and "the data do not determine stribeck" in err and "kinetic is 5" in out


@pytest.mark.parametrize("words, said", [
    (("--parameters", "magic"), "has no such parameter"), (("--parameters", ","), "names none"),
    (("--parameters", "tilt", "--seconds", "-1"), "--seconds"), (("--parameters", "tilt", "--workers", "0"), "--workers"),
    (("--parameters", "tilt", "--method", "magic"), "invalid choice"),
    (("--parameters", "tilt", "--observe", "body:x.z"), "no body"), (("--parameters", "tilt", "--html", "-"), "is not a file"),
    (("--parameters", "tilt", "--set", "tilt=99"), "tilt"),
    (("--parameters", "tilt", "--html", "missing/a.html"), "does not exist"),
    (("--parameters", "tilt", "--json", "."), "folder"), ((), "--parameters")])
def test_bad_input_is_one_line_and_exit_2(tmp_path, capsys, monkeypatch, video, words, said):
    monkeypatch.chdir(tmp_path)
    code, out, err = ended(capsys, "slider", "--data", video, *words)
    assert code == 2 and said in err and err.count("\n") == 1 and not out and os.listdir(tmp_path) == ["video.csv"]


@pytest.mark.parametrize("text, said", [("x [m],time [s]\n1,2\n", "not time"), ("time [s],x [m]\n0,1\n", "at least 8"),
                                        ("", "is empty")])
def test_bad_data_are_one_line_and_exit_2(tmp_path, capsys, text, said):
    (tmp_path / "a.csv").write_text(text)
    code, out, err = ended(capsys, "slider", "--data", str(tmp_path / "a.csv"), "--parameters", "max_friction")
    assert code == 2 and said in err and err.count("\n") == 1 and not out
    assert ended(capsys, "slider", "--data", str(tmp_path / "none.csv"), "--parameters", "max_friction")[0] == 2
