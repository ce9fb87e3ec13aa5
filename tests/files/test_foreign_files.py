"""Files of other people: nothing in them is run, nothing hangs or exhausts memory; errors are one sentence."""

import io
import json
import os
import socket
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import numpy as np
import pytest

from app.analysis.lessons.lesson import LessonProgress
from app.cli import main
from app.engine import commands
from app.engine.recording import allowed_types, archive
from app.engine.recording import file as recording
from app.engine.recording.codec import Decoder, Encoder
from app.engine.simulation import Simulation
from app.files import safe_read
from app.files.printable import printable
from app.gui.shell import settings
from app.own_files import discover, trust
from physics import BadInput, Box, Hull, TriangleMesh, World
from physics.world import validate
from tests.helpers import ROOT


@pytest.fixture(scope="module")
def whole():
    """A recording of five steps of a door, with a thing added and a command undone."""
    simulation = Simulation("door")
    commands.spawn(simulation, Hull([(0.1, 0, 0), (-0.1, 0, 0), (0, 0.1, 0), (0, 0, 0.1), (0, -0.1, -0.1)]), (5.0, 0.0, 5.0))
    for step in range(5):
        simulation.step()
        simulation.history.store_keyframe(simulation.moment)
        if step == 1:
            commands.set_friction(simulation, 0.3, 1)
            commands.undo(simulation)
    return recording.pack(recording.extract(simulation.scene_name, simulation.parameters, simulation.world, simulation.history,
                                            0))


def changed(data, change):
    """A recording with its JSON and its arrays changed by change(text, arrays), packed again."""
    with zipfile.ZipFile(io.BytesIO(data)) as file:
        text, packed = json.loads(file.read("recording.json")), file.read("arrays.npz")
    with np.load(io.BytesIO(packed)) as found:
        arrays = {name: found[name] for name in found.files}
    change(text, arrays)
    out = io.BytesIO()
    np.savez_compressed(out, **arrays)
    return zipped({"recording.json": json.dumps(text).encode(), "arrays.npz": out.getvalue()})


def zipped(members):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as file:
        for name, data in members.items():
            file.writestr(name, data)
    return out.getvalue()


def parts(data):
    with zipfile.ZipFile(io.BytesIO(data)) as file:
        return {name: file.read(name) for name in file.namelist()}


# ---- regular files only


@pytest.fixture
def odd(tmp_path, monkeypatch):
    """Paths of what is no regular file, by name."""
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    listening = socket.socket(socket.AF_UNIX)
    monkeypatch.chdir(tmp_path)
    listening.bind("socket")
    monkeypatch.chdir(ROOT)
    (tmp_path / "zero").symlink_to("/dev/zero")
    (tmp_path / "circle").symlink_to("circle")
    yield [tmp_path / name for name in ("pipe", "folder", "socket", "zero", "circle", "missing", "no\0name")]
    listening.close()


@pytest.mark.skipif(sys.platform == "win32", reason="no pipes in folders")
def test_irregular_files_are_refused_at_once(odd):
    for path in odd:
        for reader in (safe_read.read, recording.read):
            with pytest.raises(BadInput) as refused:
                reader(path)
            assert path.name.split("\0")[0] in str(refused.value) and "\n" not in str(refused.value)
        if "\0" not in path.name and path.name != "missing":
            assert settings.load(path)[1] and LessonProgress(path).trouble


def test_no_more_than_the_limit_is_read(tmp_path):
    path = tmp_path / "a"
    path.write_bytes(b"x" * 11)
    assert safe_read.read(path, 11) == b"x" * 11
    with pytest.raises(BadInput, match="exceeds"):
        safe_read.read(path, 10)


@pytest.mark.skipif(sys.platform == "win32", reason="no pipes in folders")
def test_irregular_own_files_are_left_out(tmp_path, caplog):
    folder = tmp_path / "scenes"
    folder.mkdir()
    os.mkfifo(folder / "pipe.py")
    (folder / "folder.py").mkdir()
    (folder / "good.py").write_text("X = 1\n")
    new = discover.adopt(tmp_path, trust.TrustStore(None))
    assert new == [folder / "good.py"]
    assert [record.getMessage() for record in caplog.records] == [
        f"{folder / name} is skipped: only regular files are read" for name in ("folder.py", "pipe.py")]


# ---- the zip


def test_declared_zip_sizes_are_checked_before_unpacking(whole):
    members = parts(whole)
    big = io.BytesIO()
    np.save(big, np.zeros(archive.MAX_UNPACKED_BYTES // 8 + 1))
    bomb = zipped({"arrays.npz": zipped({**parts(members["arrays.npz"]), "bomb.npy": big.getvalue()}),
                   "recording.json": members["recording.json"]})
    lying = io.BytesIO()
    np.lib.format.write_array_header_1_0(lying, {"descr": "<f8", "fortran_order": False, "shape": (10**12,)})
    objects = io.BytesIO()
    np.save(objects, np.array([{}], object), allow_pickle=True)
    for data, words in (
            (bomb, "memory"), (zipped({**members, "arrays.npz": zipped({"a.npy": lying.getvalue()})}), "not match its header"),
            (zipped({**members, "arrays.npz": zipped({"a.npy": objects.getvalue()})}), "a type that is not allowed"),
            (zipped({**members, "arrays.npz": zipped({"../a.npy": b""})}), "invalid member"),
            (zipped({**members, "recording.json": b"[" * 100 + b"]" * 100}), "nested 100 deep"),
            (zipped({**members, "recording.json": b"[" + b"0," * 2_000_000 + b"0]"}), "memory"),
            (zipped({**members, "recording.json": b'{"format": 1, "format": 1}'}), "twice"),
            (zipped({**members, "recording.json": b'{"format": NaN}'}), "is not a number"),
            (zipped({f"{k}": b"" for k in range(recording.REPORTED + 1)}), "members"),
            (zipped({recording.REPORT_RECORDING: zipped({recording.REPORT_RECORDING: whole})}), "neither")):
        with pytest.raises(BadInput, match=words):
            recording.unpack(data)
    assert recording.unpack(zipped({recording.REPORT_RECORDING: whole})).scene == "door"


def test_two_members_of_one_name_and_impossible_ratios_are_refused(whole):
    with pytest.warns(UserWarning, match="Duplicate"):
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w") as file:
            for name in ("recording.json", "recording.json"):
                file.writestr(name, b"{}")
    with pytest.raises(BadInput, match="two members"):
        recording.unpack(out.getvalue())
    data = bytearray(zipped({"recording.json": b"x" * 1000}))
    at = data.index(b"PK\x01\x02") + 24
    data[at:at + 4] = (10**9).to_bytes(4, "little")
    with pytest.raises(BadInput, match="cannot yield"):
        recording.unpack(bytes(data))


def test_reading_a_zip_bomb_takes_little_memory(whole, tmp_path):
    """800 MB that were packed into 1 MB; measured in a process of its own."""
    members, out = parts(whole), io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as file:
        for name, data in parts(members["arrays.npz"]).items():
            file.writestr(name, data)
        header = io.BytesIO()
        np.lib.format.write_array_header_1_0(header, {"descr": "<f8", "fortran_order": False, "shape": (100_000_000,)})
        with file.open("bomb.npy", "w", force_zip64=True) as stream:
            stream.write(header.getvalue())
            for _ in range(100):
                stream.write(bytes(8_000_000))
    (tmp_path / "bomb.stiction").write_bytes(zipped({**members, "arrays.npz": out.getvalue()}))
    program = ("import sys\nfrom app.engine.recording import file as recording\n"
               "from physics import BadInput\nfrom tests.mutations import peak\n"
               "try:\n    recording.read(sys.argv[1])\nexcept BadInput as error:\n"
               "    print('memory' in str(error), peak())")
    done = subprocess.run([sys.executable, "-c", program, str(tmp_path / "bomb.stiction")], cwd=ROOT, capture_output=True,
                          text=True, timeout=60)
    refused, peak = done.stdout.split()
    assert refused == "True" and int(peak) < 600e6


@pytest.mark.parametrize("text", [b'"' + b"\\" * 9_999_998 + b'"', b'"a\\' * 3_000_000, b'"' * 10_000_000],
                         ids=["backslashes", "open strings", "quotes"])
def test_a_text_whose_strings_do_not_end_is_looked_through_once(text):
    """A regular expression took minutes and 2 GB."""
    begin = time.process_time()
    assert archive.unpacked_memory(text) < 70e6
    assert time.process_time() - begin < 5.0


@pytest.mark.parametrize("piece", [1, 2, 3, 7, 1 << 20])
def test_brackets_in_strings_are_none(piece, monkeypatch):
    """However the text falls into pieces."""
    monkeypatch.setattr(archive, "SCAN_BYTES", piece)
    tree = {"a[": [1, {"b\\": "\\\\\"[{"}, [], "\\", '"', "x\\\\\\"], '"': "]" * 9, "": [[", "]]}
    text = json.dumps(tree).encode()
    kept = bytes(archive.structure(text)).decode()
    bare = json.dumps(json.loads(text), separators=(",", ":"))
    for string in sorted({json.dumps(word) for word in (*tree, "b\\", "\\\\\"[{", "\\", '"', "x\\\\\\", "]" * 9, ", ")}, key=len,
                         reverse=True):
        bare = bare.replace(string, "")
    assert kept == "".join(letter for letter in bare if letter in "[]{},")


def claiming(whole, **members):
    return changed(whole, lambda text, arrays: text.update(members))


@pytest.mark.parametrize("members", [
    {"scene": "pyramid" * 300_000}, {"scene": "\x1b]0;title\x07\x1b[2J"}, {"scene": "\ud800"},
    {"scene": "truth:" + "\u202e" * 50},
    {"parameters": {"m" * 1_000_000: 1}}, {"parameters": {"\x1b[2J": 1}}, {"parameters": {"door": "\x1b[2J"}}])
def test_names_of_others_are_short_and_obeyed_by_no_terminal(whole, tmp_path, capsys, members):
    (tmp_path / "a.stiction").write_bytes(claiming(whole, **members))
    assert main(["check", str(tmp_path / "a.stiction")]) == 2
    said = capsys.readouterr().out.removesuffix("\n")
    assert said.isprintable() and len(said) < 1100 + len(str(tmp_path))


def test_what_made_a_recording_is_shown_in_short(whole):
    made = recording.unpack(claiming(whole, made={"\x1b[2J": "x" * 10_000, **{str(k): [k] for k in range(1000)}})).made
    assert len(made) == recording.MAX_VERSIONS
    assert all(text.isprintable() and len(text) <= recording.LONGEST_NAME + 10 for item in made.items() for text in item)


def test_sentences_are_printable():
    assert printable("Пирамида, 金字塔 - ok") == "Пирамида, 金字塔 - ok"
    assert printable("a\nb\x1b[0m\u202e\udcff\x85") == r"a\nb\x1b[0m\u202e\udcff\x85"
    assert printable("x" * 5000).count("x") == 1000


# ---- objects


@pytest.mark.parametrize("name", [
    "subprocess:Popen", "physics.core.compile.cache:tempfile._TemporaryFileCloser", "physics.step:np.lib.npyio.DataSource",
    "physics.core.jit:numba.core.codegen.ll.ModuleRef", "physics.world.world:World", "physics.step:step",
    "physics.world.table:np.ndarray", "scenes:Scene", "app.engine.simulation:Simulation", "physics.world.snapshot:Pool", "", 7,
    None])
def test_only_allowed_classes_are_constructed(name):
    with pytest.raises(BadInput, match="must not hold"):
        Decoder({}, ()).decode({"class": name, "fields": {}})


def test_every_allowed_class_is_named_by_its_own_module():
    for name, kind in allowed_types.known().items():
        assert name == f"{kind.__module__}:{kind.__qualname__}"
        assert not set(vars(kind)) & {"__del__", "__reduce__"}


@pytest.mark.parametrize("tree", [[], {}, {"tuple": 3}, {"array": "a"}, {"array": []}, {"float": "1"}, {"a": 1, "b": 2},
                                  {"driver": -1}, {"dict": [[1]]},
                                  {"dict": [[{"list": []}, 1]]}, {"bytes": "zz"}, {"record": "a"}])
def test_an_invalid_tree_is_refused(tree):
    with pytest.raises(BadInput):
        Decoder({}, ()).decode(tree)


@pytest.mark.parametrize(("kind", "field", "value"), [
    ("Sphere", "radius", "x"), ("Sphere", "radius", True), ("Box", "half", 3.0), ("StepControl", "pieces", 1.5),
    ("EnergyTotals", "ledger", {"dict": [["a", "b"]]}), ("AuditOptions", "window", {"float": "nan"}),
    ("SleepOptions", "enabled", 1)])
def test_field_values_have_the_annotated_types(kind, field, value):
    wanted = next(one for one in allowed_types.known().values() if one.__name__ == kind and field in one.__dataclass_fields__)
    given = {"Sphere": lambda: wanted(0.5), "Box": lambda: wanted((1.0, 1.0, 1.0))}.get(kind, wanted)()
    tree = Encoder(()).encode(given)
    assert Decoder({}, ()).decode(tree) == given
    tree["fields"][field] = value
    with pytest.raises(BadInput):
        Decoder({}, ()).decode(tree)


# ---- states


def forged(table, field, value, row=-1):
    """Change a field of a row in all tables that have these fields, and the checks with them."""
    def change(text, arrays):
        for array in arrays.values():
            if array.dtype.names and table <= set(array.dtype.names) and len(array):
                array[field][row] = value
    return change


BODY, SHAPE, JOINT = {"inv_inertia_world"}, {"local_quat", "dims"}, {"break_force"}


@pytest.mark.parametrize(("table", "field", "value", "row"), [
    (BODY, "kind", 9, 1), (BODY, "pos", np.nan, 1), (BODY, "quat", 2.0, 1), (BODY, "asleep", 5, 1), (BODY, "mass", -1.0, 1),
    (SHAPE, "body", 2**28, 0), (SHAPE, "kind", -1, 0), (SHAPE, "geometry", 10**6, 0), (SHAPE, "material", 77, 0),
    (SHAPE, "dims", np.inf, 0), (SHAPE, "active", 2, 0), (JOINT, "body_b", 2**28, 0), (JOINT, "kind", 40, 0),
    (JOINT, "motor_mode", 7, 0), (JOINT, "locked", 63, 0), (JOINT, "anchor_a", np.nan, 0), (JOINT, "frame_a", 0.0, 0)])
def test_a_forged_row_is_found_and_named(whole, table, field, value, row):
    with pytest.raises(BadInput, match=r"(body|shape|joint) \d+: \w+ = "):
        recording.unpack(changed(whole, forged(table, field, value, row)))


def test_snapshots_are_valid_and_geometry_out_of_bounds_is_not():
    world = World()
    world.add_body(TriangleMesh([(0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0.1)], [(0, 1, 2), (1, 3, 2)]), kind="static")
    world.add_body(Hull([(0.1, 0, 0), (-0.1, 0, 0), (0, 0.1, 0), (0, 0, 0.1), (0, -0.1, -0.1)]), pos=(0, 0, 3))
    world.add_body(Box((0.1, 0.1, 0.1)), pos=(0, 0, 5))
    validate.check(world.snapshot())
    for name, values in (("integers", (-2, 10**6)), ("triangles", (-1, 99)), ("nodes", (10**6,))):
        for value in values:
            for place in range(0, len(getattr(world.pool.arrays, name)), 3):
                snapshot = world.snapshot()
                arrays = snapshot.pool.arrays._replace(**{name: getattr(snapshot.pool.arrays, name).copy()})
                changed_array = getattr(arrays, name)
                if name == "nodes":
                    changed_array["first"][place] = value
                else:
                    changed_array[place] = value
                pool = type(snapshot.pool)(arrays, snapshot.pool.keys)
                pool = type(pool)(arrays, tuple(_keys(pool)))
                if np.array_equal(changed_array, getattr(snapshot.pool.arrays, name)):
                    continue
                object.__setattr__(snapshot, "pool", pool)
                with pytest.raises(BadInput):
                    validate.check(snapshot)


def _keys(pool):
    from physics.shapes import _geometry

    for i in range(len(pool.keys)):
        yield _geometry.EMPTY.add(pool.data(i))[0].keys[0]


# ---- commands and settings


@pytest.mark.parametrize("change", [
    lambda one: one.update(command="load"), lambda one: one.update(command="_restore"), lambda one: one.update(command=3),
    lambda one: one.update(args={"tuple": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]}), lambda one: one.update(args=[]),
    lambda one: one.update(args={"tuple": ["x"]}), lambda one: one.update(kwargs={"dict": [["other", 1]]}),
    lambda one: one.update(step=-5), lambda one: one.update(step="x"), lambda one: one.clear()])
def test_recorded_commands_have_arguments_of_the_right_types(whole, tmp_path, change):
    path = tmp_path / "a.stiction"
    path.write_bytes(changed(whole, lambda text, arrays: change(text["deeds"][0])))
    simulation = Simulation("pendulum")
    with pytest.raises(BadInput, match="cannot be replayed"):
        commands.open_recording(simulation, path)
    assert simulation.scene_name == "pendulum"


@pytest.mark.parametrize(("name", "value"), [
    ("dt", {"float": "nan"}), ("dt", 1e9), ("world", None), ("paused", True), ("friction", -1.0),
    ("dragged", 10**6), ("joint_bounds", {"dict": [[1, 2]]}), ("pairs", 3)])
def test_settings_of_a_keyframe_are_known_and_in_range(whole, name, value):
    def change(text, arrays):
        pairs = text["moments"][0]["settings"]["dict"]
        pairs[:] = [pair for pair in pairs if pair[0] != name] + [[name, value]]
    with pytest.raises(BadInput, match="keyframe of step"):
        recording.unpack(changed(whole, change))


def test_a_recorded_edit_that_would_corrupt_the_world_is_refused(whole, tmp_path):
    """The records of an undone edit are somebody else's: what they make of the world is looked at before a step reads it."""
    simulation = Simulation("door")
    commands.set_friction(simulation, 0.3, 1)
    edit = simulation.edits.done[-1]
    field = next(field for field in edit.change.fields if field.table == "shapes")
    field.before[:] = np.nan
    simulation.timeline.gesture, was = -1, simulation.world.shapes.tobytes()
    simulation.timeline.nested = False
    commands.undo_edit(simulation, edit)
    assert simulation.world.shapes.tobytes() == was


# ---- settings and the command


@pytest.mark.parametrize("text", ['text_size = "x"', "text_size = nan", "width = 1e999", "volume = -1", "theme = 3",
                                  'scene = "' + "x" * 1000 + '"', "view = 3", "[panels]\nx = 3", "other = 1"])
def test_bad_settings_are_reported_and_the_rest_is_kept(tmp_path, text):
    path = tmp_path / "settings.toml"
    path.write_text("height = 777\n" + text)
    found, trouble = settings.load(path)
    assert found.height == 777 and trouble and "\n" not in trouble and len(trouble) < 600


def test_a_name_of_thousands_of_parts_does_not_stop_the_program(tmp_path, monkeypatch):
    """Such a name of a TOML takes hours."""
    monkeypatch.setattr(safe_read, "TOML_TIME", 0.3)
    path, text = tmp_path / "settings.toml", "a." * 200_000 + "b = 1\n"
    path.write_text(text)
    assert "damaged" in settings.load(path)[1] and path.with_suffix(".damaged").read_text() == text
    assert "damaged" in LessonProgress(path).trouble


SCENE = "from scenes import Scene\nSCENE = Scene(**TROUBLE)\n"


def test_the_check_command_reports_valid_and_invalid_files(whole, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("good.stiction").write_bytes(whole)
    Path("report.zip").write_bytes(zipped({recording.REPORT_RECORDING: whole, "note.txt": b"x"}))
    Path("bad.stiction").write_bytes(whole[:1000])
    Path("good.toml").write_text("height = 700\n")
    Path("bad.toml").write_text("height = 'x'\n")
    Path("scene.py").write_text(f"open('was run', 'w').close()\n{SCENE}")
    Path("none.py").write_text("x = 1\n")
    Path("broken.py").write_text("x = = 1\n")
    assert main(["check", "good.stiction", "report.zip", "good.toml", "scene.py"]) == 0
    said = capsys.readouterr().out.splitlines()
    assert len(said) == 4 and "'door'" in said[0] and "valid" in said[1] and not Path("was run").exists()
    for name, words in (("bad.stiction", "damaged"), ("bad.toml", "height"), ("none.py", "no SCENE"), ("broken.py", "line 1"),
                        ("missing.stiction", "No such file"), ("a.txt", "cannot be checked"), (".", "cannot be checked")):
        assert main(["check", name]) == 2
        said = capsys.readouterr().out
        assert words in said and name in said and said.count("\n") == 1
    assert main(["check", "--run", "scene.py"]) == 2 and "line 3: NameError" in capsys.readouterr().out
    assert Path("was run").exists()
