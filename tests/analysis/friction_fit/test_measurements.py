"""Reading measured runs: units, separators, and what is refused in one sentence."""

import math

import numpy as np
import pytest

from app.analysis.friction_fit import measurements
from physics import BadInput


def written(tmp_path, text):
    path = tmp_path / "data.csv"
    path.write_text(text, encoding="utf-8")
    return path


def rows(count=20, dt=0.1, of=lambda t: t):
    return "".join(f"{dt * k},{of(dt * k)}\n" for k in range(count))


@pytest.mark.parametrize("title, unit, factor", [
    ("angle [deg]", "rad", math.pi / 180.0), ("angle (°)", "rad", math.pi / 180.0), ("x [mm]", "m", 1e-3), ("x [cm]", "m", 0.01),
    ("speed [rpm]", "rad/s", math.pi / 30.0), ("rate [deg/s]", "rad/s", math.pi / 180.0), ("torque [mN m]", "N m", 1e-3),
    ("torque [Nm]", "N m", 1.0), ("force [kN]", "N", 1e3), ("speed [m/s]", "m/s", 1.0), ("heat [K]", "", 1.0)])
def test_columns_are_converted_to_si_units(tmp_path, title, unit, factor):
    found = measurements.read(written(tmp_path, f"t [ms],{title}\n" + rows(dt=10.0, of=lambda t: 2.0 + t)))
    assert found.times.tolist() == pytest.approx([0.01 * k for k in range(20)])
    assert found.columns[0].unit == unit
    assert found.columns[0].values.tolist() == pytest.approx([factor * (2.0 + 10.0 * k) for k in range(20)])


def test_decimal_commas_comments_and_a_late_first_sample(tmp_path):
    text = "# tracked at 30 Hz\ntime [s];x [m]\n" + "".join(f"{12.5 + 0.1 * k:.1f};{k},5\n".replace(".", ",") for k in range(9))
    found = measurements.read(written(tmp_path, text))
    assert found.times[0] == 0.0 and found.times[-1] == pytest.approx(0.8)
    assert found.columns[0].values.tolist() == [k + 0.5 for k in range(9)]


HEAD = "time [s],x [m]\n"


@pytest.mark.parametrize("text, said", [
    ("", "is empty"), (rows(), "has no header"), ("x [m],time [s]\n" + rows(), "the first column is 'x', not time"),
    ("time,x [m]\n" + rows(), "the unit of time is missing"), ("time [h],x [m]\n" + rows(), "the unit of time is unknown, 'h'"),
    ("time [s]\n" + "1\n2\n", "no column except time"), (HEAD + rows(5), "has 5 samples, at least 8"),
    (HEAD + rows() + "1.9,3\n", "line 22: time does not increase"), (HEAD + rows() + "9.9,3\n", "line 22: time jumps by 8"),
    (HEAD + rows(9) + "0.9,\n" + "1.0,1\n", "line 11: there is no number in column 'x'"),
    (HEAD + rows(9) + "0.9,abc\n", "'abc' is no number"),
    (HEAD + rows(9) + "0.9,nan\n", "line 11: nan in column 'x' is not finite"),
    (HEAD + rows(9) + "0.9,inf\n", "not finite"), (HEAD + rows(9) + "0.9\n", "line 11 has 1 cells, the header has 2"),
    (HEAD + rows(9) + "0.9,1e4\n" + "1.0,1.0\n1.1,1.1\n1.2,1.2\n", "line 11: 'x' leaps to 1e+04 and back")])
def test_what_is_refused_is_one_sentence(tmp_path, text, said):
    with pytest.raises(BadInput) as refused:
        measurements.read(written(tmp_path, text))
    assert said in str(refused.value) and "data.csv" in str(refused.value) and "\n" not in str(refused.value)


def test_other_files_are_refused(tmp_path):
    with pytest.raises(BadInput, match="folder"):
        measurements.read(tmp_path)
    (tmp_path / "a.csv").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(BadInput, match="UTF-8"):
        measurements.read(tmp_path / "a.csv")


def test_gaps_may_be_allowed_and_impacts_and_noise_are_no_leaps(tmp_path):
    assert len(measurements.read(written(tmp_path, HEAD + rows() + "9.9,3\n"), gaps=True).times) == 21
    bounce = [abs(((0.05 * k) % 1.0) * (1.0 - (0.05 * k) % 1.0)) for k in range(100)]
    noise = np.random.default_rng(1).normal(0.0, 1.0, 500).tolist()
    still = [0.0] * 50 + [0.01 * k for k in range(50)]
    for values in (bounce, noise, still, [0.0] * 30 + [5.0] * 30):
        text = HEAD + "".join(f"{0.1 * k},{x}\n" for k, x in enumerate(values))
        assert len(measurements.read(written(tmp_path, text)).times) == len(values)


def test_the_first_seconds_alone(tmp_path):
    found = measurements.read(written(tmp_path, HEAD + rows()))
    assert len(found.until(1.0).times) == 11 and len(found.until(1.0).columns[0].values) == 11 and found.until(None) is found
    with pytest.raises(BadInput, match=r"only 3 samples lie within 0\.25 s"):
        found.until(0.25)
