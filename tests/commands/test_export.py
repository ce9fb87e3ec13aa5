"""`stiction export`: one page with the motion, its forces and its plots, which a browser plays without a network."""

import ast
import base64
import html
import json
import re
import shutil
import subprocess
import zlib

import numpy as np
import pytest

import scenes
from app.cli import main
from app.notebook import Film, play, plot
from app.render.web_page import MotionRecorder
from physics import BadInput, Box, Plane, World, step
from physics.core.records import Kind
from scenes import Curve, without_clock
from tests.helpers import ROOT

BROWSER = next((path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), None)


def data_of(page: str) -> dict:
    assert not re.search(r"(src|href)=|https?://", page), "the page asks for something from elsewhere"
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)[1])


def unpacked(about: dict, name: str, kind: type) -> np.ndarray:
    return np.frombuffer(zlib.decompress(base64.b64decode(about[name])), kind)


def probe_of(window: str, does: str) -> str:
    """A script that acts once the player of a window has moved. The browser's clock runs ahead of what it unpacks in other
    threads, so every look takes some time of the processor."""
    return f"""<script>const looks = setInterval(() => {{
        for (let i = window.spent = 0; i < 2e6; i++) window.spent += Math.sqrt(i);
        const player = {window}.player; if (!player || !player.frame) return;
        clearInterval(looks); {does} }}, 50);</script>"""


def in_browser(page) -> list:
    """Open a page; what its script puts into the title."""
    done = subprocess.run([BROWSER, "--headless", "--no-sandbox", "--disable-background-networking",
                           "--use-angle=swiftshader", "--enable-unsafe-swiftshader", f"--user-data-dir={page.parent / 'profile'}",
                           "--virtual-time-budget=60000", "--dump-dom", page.as_uri()],
                          capture_output=True, text=True, timeout=120)
    return json.loads(re.search(r"<title>(.*?)</title>", done.stdout)[1])


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
    assert [float(text.removesuffix(" s")) for text in about["predictions"][0][1:]] == pytest.approx([0.87, 0.87], abs=0.011)


def test_the_forces_of_the_page_carry_the_weight():
    scene = scenes.find("stack")
    world = without_clock(scenes.make_world(scene))
    motion = MotionRecorder(world, ())
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
    about = data_of(MotionRecorder(world, ()).page(scene, ""))
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
    text = MotionRecorder(scenes.make_world(scene), ()).page(scene, "")
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
    probe.write_text(page.read_text().replace("</body>", probe_of("window", """
        const at = player.frame; player.toggle(false); player.seek(30);
        const canvas = document.getElementById("view"), gl = canvas.getContext("webgl2");
        const pixels = new Uint8Array(4 * canvas.width * canvas.height);
        gl.readPixels(0, 0, canvas.width, canvas.height, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
        const colours = new Set();
        for (let i = 0; i < pixels.length; i += 4) colours.add(pixels[i] << 16 | pixels[i + 1] << 8 | pixels[i + 2]);
        document.title = JSON.stringify([at, player.frame, document.getElementById("now").textContent, colours.size,
                                         document.getElementById("trouble").textContent]);""") + "</body>"))
    said = in_browser(probe)
    assert said[0] > 0 and said[1] == 30 and said[2].startswith("0.600 s") and said[3] > 50 and said[4] == ""


# ---- in a notebook


def test_a_scene_in_a_notebook_is_the_exported_page(page):
    shown = play("door", 1.2, fps=50.0)
    assert shown.page == page.read_text()
    frame = re.fullmatch(r'<iframe srcdoc="([^"]*)" width="100%" height="520" style="border: 0" title="[^"]+"></iframe>',
                         shown._repr_html_())
    assert html.unescape(frame[1]) == shown.page
    assert shown.trace["time"] == pytest.approx(np.arange(61) * 0.02) and shown.trace["joint:hinge.rate"].max() > 1.3


def test_a_notebook_runs_a_scene_with_other_parameters_and_another_solver(tmp_path):
    firm, exact = play("door", 1.2, max_friction=40.0), play("door", 0.2, solver="stewart_trinkle")
    assert firm.trace["joint:hinge.angle"][-1] < 0.3 and "Stewart-Trinkle" in data_of(exact.page)["how"]
    firm.save(tmp_path / "firm.html")
    assert (tmp_path / "firm.html").read_text() == firm.page
    for said, name, changed in (("unknown scene", "dor", {}), ("max_friction", "door", {"max_friction": -1.0}),
                                ("nothing", "door", {"nothing": 1.0}), ("0 frames", "door", {"fps": 0.0})):
        with pytest.raises(BadInput, match=said):
            play(name, 0.1, **changed)


def test_a_film_shows_a_world_of_ones_own():
    world = World()
    world.add_body(Plane(), kind="static", friction=0.5)
    world.add_body(Box((0.1, 0.1, 0.1)), pos=(0.0, 0.0, 0.1), vel=(2.0, 0.0, 0.0), friction=0.5, name="box")
    film = Film(world, ("body:box.vx",), title="Slides </script>")
    for _ in range(24):
        step(world, 0.01)
        film.record()
    about = data_of(film.player.page)
    assert about["frames"] == 25 and about["title"] == "Slides </script>" and about["view"]["target"][0] > 0.1
    assert np.diff(film.player.trace["body:box.vx"])[1:] == pytest.approx(-0.5 * 9.81 * 0.01, abs=1e-6)
    assert film._repr_html_() == film.player._repr_html_()


def test_a_plot_of_a_notebook_draws_curves_and_dashes_laws():
    drawn = plot({"run": ([0.0, 1.0], [1.0, 2.0]), "law": Curve("k", "law", (0.0, 1.0), (1.0, 3.0))}, y="x [m]")._repr_svg_()
    assert drawn.count("<polyline") == 4 and drawn.count('stroke-dasharray="6 4"') == 2     # each with its sample in the legend
    for wrong in ({}, {"run": ([0.0, 1.0], [1.0])}, {"run": ([], [])}):
        with pytest.raises(BadInput):
            plot(wrong)


def test_the_cells_of_the_notebook_run_and_show_something():
    """Without Jupyter: what the last line of a cell names is shown. The file is stored without outputs."""
    cells = json.loads((ROOT / "docs" / "notebook.ipynb").read_text(encoding="utf-8"))["cells"]
    names, shown = {}, []
    for cell in (cell for cell in cells if cell["cell_type"] == "code"):
        assert cell["outputs"] == [] and cell["execution_count"] is None
        tree = ast.parse("".join(cell["source"]))
        last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, "notebook.ipynb", "exec"), names)
        if last is not None:
            value = eval(compile(ast.Expression(last.value), "notebook.ipynb", "eval"), names)
            shown.append(next(made[:4] for name in ("_repr_html_", "_repr_svg_", "_repr_png_")
                              if (made := getattr(value, name, lambda: None)())))
    assert shown == ["<ifr", "<svg", "<svg", "<ifr", b"\x89PNG"]


@pytest.mark.skipif(BROWSER is None, reason="no Chromium")
def test_a_browser_plays_what_a_notebook_shows(tmp_path):
    probe = tmp_path / "notebook.html"
    probe.write_text(f"<!doctype html><title>none</title><body>{play('door', 0.5)._repr_html_()}" + probe_of("frames[0]", """
        const at = player.frame, within = name => frames[0].document.getElementById(name).textContent;
        player.toggle(false); player.seek(20);
        document.title = JSON.stringify([at, player.count, within("now"), within("trouble")]);""") + "</body>")
    at, count, now, trouble = in_browser(probe)
    assert at > 0 and count == 26 and now.startswith("0.400 s of 0.500") and trouble == ""
