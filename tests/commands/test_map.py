"""`stiction map`: the list, a table, what is refused."""

import csv

from app import cli, commands
from tests.helpers import SLIDING_BOX


def lines(path):
    return list(csv.reader(path.read_text(encoding="utf-8").splitlines()))


def test_a_map_is_written_as_a_table(tmp_path, capsys):
    out = tmp_path / "map.csv"
    assert cli.main(["map", "painleve", "--size", "16", "--set", "speed=25", "--out", str(out)]) == 0
    table = lines(out)
    assert table[0] == ["angle [deg]", "mu", "outcome"] and 81 < len(table) - 1 < 289
    assert {row[2] for row in table[1:]} == {"slides", "no force solution"}
    assert f"{len(table) - 1} of 289 points" in capsys.readouterr().out


def test_other_axes_may_be_chosen(tmp_path):
    out = tmp_path / "map.csv"
    assert cli.main(["map", "painleve", "--size", "8", "--x", "speed=5:40", "--y", "mu=0.5:3", "--out", str(out)]) == 0
    table = lines(out)
    assert table[0] == ["speed [m/s]", "mu", "outcome"] and len(table) == 82


def test_maps_are_listed(capsys):
    assert cli.main(["map"]) == 0
    assert "tipping" in capsys.readouterr().out


def test_bad_input_is_refused(tmp_path, capsys):
    for arguments in (["magic"], ["ladder", "--x", "mu=0.5"], ["ladder", "--x", "mu=0.5:nan"], ["ladder", "--size", "7"],
                      ["ladder", "--workers", "0"], ["ladder", "--set", "wall=-3"], ["ladder", "--solver", "magic"],
                      ["ladder", "--out", str(tmp_path / "none" / "map.csv")]):
        assert cli.main(["map", *arguments]) == commands.BAD_INPUT, arguments
        said = capsys.readouterr().err.strip()
        assert said.count("\n") == 0 and said, arguments


def test_a_map_of_an_own_scene_file_in_other_processes(tmp_path):
    """The way of a sliding box, v^2 / (2 mu g)."""
    scene, out = tmp_path / "own.toml", tmp_path / "map.csv"
    scene.write_text(SLIDING_BOX)
    assert cli.main(["map", str(scene), "--x", "vx:box=0.5:1", "--y", "friction=0.5:1", "--measure", "body:box.x:end", "--size",
                     "8", "--seconds", "0.3", "--out", str(out)]) == 0
    table = lines(out)
    assert table[0] == ["vx:box [m/s]", "friction", "body:box.x:end [m]"] and len(table) == 82
    for speed, mu, way in (map(float, row) for row in table[1:]):
        assert abs(way - speed**2 / (19.62 * mu)) < 2e-3 * way
