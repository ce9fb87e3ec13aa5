"""`stiction export`: one page with the motion, its forces and its plots, which a browser plays without a network."""

import base64
import json
import re
import shutil
import subprocess
import zlib

import numpy as np
import pytest

import scenes
from app.cli import main
from app.render.web_page import Motion
from physics import step
from physics.core.records import Kind
from scenes import without_clock

BROWSER = next((path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), None)


def data_of(page: str) -> dict:
    assert not re.search(r"(src|href)=|https?://", page), "the page asks for something from elsewhere"
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)[1])


def unpacked(about: dict, name: str, kind: type) -> np.ndarray:
    return np.frombuffer(zlib.decompress(base64.b64decode(about[name])), kind)


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "door.html"
    assert main(["export", "door", "--seconds", "1.2", "--fps", "50", "--html", str(path)]) == 0
    return path


def test_the_page_holds_the_motion_that_the_engine_makes(page):
    about = data_of(page.read_text())
    scene = scenes.find("door")
    world = without_clock(scenes.make_world(scene))
    poses, curves = unpacked(about, "motion", np.float32), unpacked(about, "traces", np.float64)
    frames = about["frames"]
    assert frames == 61 and about["times"] == pytest.approx(np.arange(61) * 0.02)
    door = next(body for body in about["bodies"] if body["name"] == "door")
    motion = poses.reshape(frames, about["moving"], 7)[:, door["moving"]]
    for n in range(1, frames):
        step(world, 0.01)
        step(world, 0.01)
        body = world.bodies[world.body("door")]
        assert motion[n] == pytest.approx([*body["pos"], *body["quat"]], abs=1e-6)
    rate = curves.reshape(-1, frames)[scene.plots.index("joint:hinge.rate")]
    assert rate.max() == pytest.approx(1.34, rel=0.01) and rate[-1] == pytest.approx(0.0, abs=1e-9)
    assert about["predictions"][0][1] == "0.87 s" and about["predictions"][0][2].startswith("0.8")


def test_the_forces_of_the_page_carry_the_weight():
    scene = scenes.find("stack")
    world = without_clock(scenes.make_world(scene))
    motion = Motion(world, ())
    for _ in range(240):
        step(world, 1.0 / 240.0)
    motion.record()
    about = data_of(motion.page(scene, "one second"))
    starts, forces = unpacked(about, "starts", np.uint32), unpacked(about, "contacts", np.float32).reshape(-1, 10)
    assert starts.tolist() == [0, 0, len(forces)]
    on_ground = forces[forces[:, 2] < 1e-3]
    moving = world.bodies[world.bodies["kind"] == Kind.DYNAMIC]
    assert on_ground[:, 5].sum() == pytest.approx(9.81 * moving["mass"].sum(), rel=1e-3)


@pytest.mark.parametrize("name", ["rolling_shapes", "polyhedra_ramp", "bowl", "joint_gallery", "pyramid"])
def test_corners_of_the_page_lie_on_the_bodies(name):
    """Every body has a mesh within its bounding box, with unit normals."""
    scene = scenes.find(name)
    world = scenes.make_world(scene)
    about = data_of(Motion(world, ()).page(scene, ""))
    corners, normals = (unpacked(about, key, np.float32).reshape(-1, 3) for key in ("corners", "normals"))
    assert np.linalg.norm(normals, axis=1) == pytest.approx(1.0, abs=1e-5)
    triangles = unpacked(about, "triangles", np.uint32).reshape(-1, 3)
    for body in about["bodies"]:
        lo, hi = body["vertices"]
        assert triangles[body["triangles"][0]:body["triangles"][1]].max() < hi - lo
        shapes = world.shapes[world.shapes["body"] == world.body(body["name"])]
        if body["grid"]:
            continue
        reach = np.linalg.norm(shapes["local_pos"], axis=1) + np.abs(shapes["dims"]).sum(axis=1) + shapes["rounding"]
        geometric = shapes["geometry"].max() >= 0
        assert geometric or np.linalg.norm(corners[lo:hi], axis=1).max() <= reach.max() + 1e-6


def test_texts_cannot_break_out_of_the_page(monkeypatch):
    import dataclasses

    scene = dataclasses.replace(scenes.find("stack"), title="</script><b>&", look_for="<!-- </script>")
    text = Motion(scenes.make_world(scene), ()).page(scene, "")
    assert "</script><b>" not in text and data_of(text)["look_for"] == "<!-- </script>"


@pytest.mark.parametrize(("arguments", "said"), [
    (["door", "--html", "/nowhere/a.html"], "does not exist"), (["dor", "--html", "a.html"], "did you mean door"),
    (["door", "--fps", "0", "--html", "a.html"], "greater than zero"),
    (["door", "--seconds", "9999", "--html", "a.html"], "too many")])
def test_bad_usage_is_one_sentence(arguments, said, tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    assert main(["export", *arguments]) == 2
    assert said in capfd.readouterr().err and not list(tmp_path.iterdir())


@pytest.mark.skipif(BROWSER is None, reason="no Chromium")
def test_a_browser_plays_it(page, tmp_path):
    """It draws, goes on by itself, and can be stopped and set to a time."""
    probe = tmp_path / "probe.html"
    probe.write_text(page.read_text().replace("</body>", """<script>setTimeout(() => {
        const at = player.frame; player.toggle(false); player.seek(30);
        const canvas = document.getElementById("view"), gl = canvas.getContext("webgl2");
        const pixels = new Uint8Array(4 * canvas.width * canvas.height);
        gl.readPixels(0, 0, canvas.width, canvas.height, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
        const colours = new Set();
        for (let i = 0; i < pixels.length; i += 4) colours.add(pixels[i] << 16 | pixels[i + 1] << 8 | pixels[i + 2]);
        document.title = JSON.stringify([at, player.frame, document.getElementById("now").textContent, colours.size,
                                         document.getElementById("trouble").textContent]); }, 1500);</script></body>"""))
    done = subprocess.run([BROWSER, "--headless", "--no-sandbox", "--disable-background-networking", "--use-angle=swiftshader",
                           "--enable-unsafe-swiftshader", f"--user-data-dir={tmp_path / 'profile'}", "--virtual-time-budget=6000",
                           "--dump-dom", probe.as_uri()], capture_output=True, text=True, timeout=120)
    said = json.loads(re.search(r"<title>(.*?)</title>", done.stdout)[1])
    assert said[0] > 0 and said[1] == 30 and said[2].startswith("0.600 s") and said[3] > 50 and said[4] == ""
