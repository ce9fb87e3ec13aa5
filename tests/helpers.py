"""Helpers shared by several test files. Test files do not import one another.

Input at the window is in tools/person.py, synthetic frames and pictures in tools/handmade.py, helpers of one kind of problem in
the other modules of tools.
"""

import hashlib
import io
import json
import math
import os
import time
import zipfile
from pathlib import Path

import numpy as np
import pytest

from app import cli
from app.engine import commands
from app.engine.breakpoints.base import BREAKPOINT_KINDS
from app.engine.frame import Frame, RealTimePace, capture
from app.engine.recording import file as recording
from app.engine.recording.journal import Journal
from app.engine.simulation import Simulation
from app.engine.undo import difference, edit_list
from physics import Box, Plane, World
from physics import step as make_step
from scenes._parts import turned

ALL_TESTS = os.environ.get("STICTION_ALL_TESTS") == "1"
"""Whether tests that take long run, too."""

long_run = pytest.mark.skipif(not ALL_TESTS, reason="takes long: STICTION_ALL_TESTS=1 runs it")

ROOT = Path(__file__).resolve().parents[1]
"""Root of the repository."""

SLIDING_BOX = """format = 1
[[bodies]]
name = "floor"
kind = "static"
shapes = [{kind = "plane", friction = 0.5}]
[[bodies]]
name = "box"
kind = "dynamic"
pos = [0.0, 0.0, 0.1]
vel = [2.0, 0.0, 0.0]
mass = 2.0
shapes = [{kind = "box", half = [0.1, 0.1, 0.1], friction = 0.5}]
"""
"""A scene file: a box that slides along x on a floor."""


# ---- waiting


def command_line(capsys, *words):
    """(exit code, stdout, stderr) of a command."""
    code = cli.main(list(words))
    return code, *capsys.readouterr()


def wait(condition, seconds=60.0):
    """Wait until the condition holds; False after `seconds`."""
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        if condition():
            return True
        time.sleep(0.002)
    return False


# ---- in place of devices


class ControllerManager:
    """Stands for pyglet's manager of controllers."""

    def __init__(self, *pads):
        self.pads, self.handlers = list(pads), {}

    def get_controllers(self):
        return self.pads

    def push_handlers(self, **handlers):
        self.handlers = handlers

    def remove_handlers(self, **handlers):
        self.handlers = {}


# ---- worlds


def world_under(solver: str, gravity=(0.0, 0.0, -9.81), **options: object) -> World:
    """An empty world under a solver with these options."""
    world = World(gravity=gravity)
    world.use_solver(solver)
    world.solver.set(**options)
    return world


def digest_of(world: World) -> str:
    """Hash everything that moves."""
    digest = hashlib.sha256()
    for table in (world.bodies, world.contacts, world.joints):
        for field in table.dtype.names:
            digest.update(np.ascontiguousarray(table[field]).tobytes())
    return digest.hexdigest()


def frame_of(world: World, dt: float = 1.0 / 240.0) -> Frame:
    """Return a frame of the world after its last step, or before its first one."""
    began = world.step_start
    before = (began.pos, began.quat) if began else (world.bodies["pos"], world.bodies["quat"])
    return capture(world, scene="forces", dt=dt, paused=True, before=before, pace=None)


def still_frame(world, scene="x"):
    """Return a frame of the world as it is, under any scene name."""
    poses = world.bodies["pos"].copy(), world.bodies["quat"].copy()
    return capture(world, scene=scene, dt=0.01, paused=True, before=poses, pace=RealTimePace())


MASS, MU, G = 2.0, 0.6, 9.81


def slope(solver, angle, mu=MU, steps=120):
    """Return a frame and a box on a plane tilted about y, after some steps; down is towards +x."""
    world = World()
    world.use_solver(solver)
    if hasattr(world.solver.options, "budget"):
        world.solver.options.budget = 0.0
    tilt = turned((0.0, 1.0, 0.0), angle)
    up = np.array([math.sin(angle), 0.0, math.cos(angle)])
    world.add_body(Plane(), kind="static", friction=mu, quat=tilt, name="slope")
    box = world.add_body(Box((0.2, 0.2, 0.1)), pos=0.1 * up, quat=tilt, mass=MASS, friction=mu, name="box")
    for _ in range(steps):
        make_step(world, 1.0 / 240.0)
    return frame_of(world), box


# ---- simulations


def state(simulation):
    """Return the state that is visible in the window, as bytes."""
    world = simulation.world
    return (world.steps, world.time, world.bodies.tobytes(), world.shapes.tobytes(), world.joints.tobytes(),
            world.contacts.tobytes(), repr(world.energy_totals), tuple(world.gravity), repr(world.solver.options), simulation.dt,
            simulation.dragged, tuple(world.body_names))


def samples(simulation):
    return {key: column.tobytes() for key, column in simulation.traces.table().items()}


def without_clock(simulation):
    if hasattr(simulation.world.solver.options, "budget"):
        commands.set_option(simulation, "budget", 0.0)


def meddle(simulation, step):
    """Run the commands of a scripted session that come after that step."""
    body = int(np.flatnonzero(simulation.world.bodies["mass"] > 0.0)[-1])
    place = simulation.world.bodies["pos"][body]
    if step == 10:
        commands.set_friction(simulation, 0.3)
        commands.set_dt(simulation, 0.004)
    if step == 20:
        commands.drag_begin(simulation, body, tuple(place))
    if 20 <= step < 40:
        commands.drag_move(simulation, (place[0] + 0.01 * step, place[1], place[2] + 1.0))
    if step == 40:
        commands.drag_end(simulation)
        commands.throw(simulation, (-3.0, 0.0, 1.0), (9.0, 0.0, 0.0))
    if step == 50:
        commands.set_gravity(simulation, (0.5, 0.0, -9.0))
        commands.remove_body(simulation, body)
    if step == 60:
        commands.set_option(simulation, "facets", 12)
        commands.set_mass(simulation, body, 3.0)


def lived(simulation, count, doing=lambda simulation, step: None):
    """Make steps; return (states, samples of the traces) after each of them, with the commands of `doing`."""
    states, traces = [], []
    for step in range(count + 1):
        doing(simulation, step)
        states.append(state(simulation))
        traces.append(samples(simulation))
        if step < count:
            assert simulation.step(), list(simulation.messages)
    return states, traces


def authored(simulation):
    """Return the authored state, as bytes."""
    state = difference.state_of(simulation)
    return {(table, name): state.tables[table][name][state.alive[table]].tobytes()
            for table, names in difference.AUTHORED_FIELDS.items() for name in names}


def quiet(scene="pyramid"):
    """Return a simulation without a time budget and with an empty edit list."""
    simulation = Simulation(scene)
    commands.set_option(simulation, "budget", 0.0)
    simulation.edits = edit_list.EditList()
    return simulation


# ---- breakpoints of a simulation


def on(simulation, kind, **values):
    index = list(BREAKPOINT_KINDS).index(kind)
    for name, value in {**values, "on": True}.items():
        commands.set_breakpoint(simulation, index, name, value)
    return simulation.breakpoints.items[index]


def run(simulation, most=2000):
    """As the thread does; the step that it stopped after, -1: nothing stopped it."""
    simulation.paused = False
    for _ in range(most):
        if simulation.timeline.goal is not None:
            simulation.timeline.catch_up()
        elif simulation.paused:
            return simulation.world.steps
        else:
            simulation.step()
    return -1


def run_past(simulation):
    while simulation.timeline.goal is not None:
        simulation.timeline.catch_up()
    return simulation.world.steps


# ---- recordings and journals


def packed(simulation, first=0):
    return recording.pack(taken(simulation, first))


def taken(simulation, first=0, **more):
    return recording.extract(simulation.scene_name, simulation.parameters, simulation.world, simulation.history, first, **more)


def opened(data, path):
    path.write_bytes(data)
    simulation = Simulation()
    commands.open_recording(simulation, path)
    return simulation


def texts(data):
    with zipfile.ZipFile(io.BytesIO(data)) as file:
        return json.loads(file.read("recording.json"))


def rewritten(data, change):
    """With the JSON and the arrays changed, and a file that is whole."""
    with zipfile.ZipFile(io.BytesIO(data)) as file:
        text, packed = texts(data), file.read("arrays.npz")
    with np.load(io.BytesIO(packed)) as arrays:
        arrays = {key: arrays[key] for key in arrays.files}
    change(text, arrays)
    npz, out = io.BytesIO(), io.BytesIO()
    np.savez(npz, **arrays)
    with zipfile.ZipFile(out, "w") as file:
        file.writestr("recording.json", json.dumps(text))
        file.writestr("arrays.npz", npz.getvalue())
    return out.getvalue()


def begun(folder, simulation):
    """A journal of it from now on."""
    made = Journal(folder, simulation)
    simulation.history.listener = made
    made.on_begin(simulation.moment(len(simulation.history.commands)))
    return made


# ---- a person's own files


RAMP = '''"""A ball at rest."""

from dataclasses import dataclass

from physics import Plane, Sphere, option
from scenes import Scene


@dataclass
class Parameters:
    height: float = option(0.5, unit="m", help="how high it is", lo=0.1, hi=5.0)


def build(world, parameters):
    world.add_body(Plane(), kind="static")
    world.add_body(Sphere(SIZE), pos=(0.0, 0.0, parameters.height))


SIZE = 0.1
SCENE = Scene(title="My ball", category="Mine", look_for="It falls.", law="", law_text="", build=build, parameters=Parameters)
'''


def write_own(data, name, text):
    """A file of a person's; a time of its own, since clocks of files are coarse."""
    path = data / name
    path.parent.mkdir(parents=True, exist_ok=True)
    write_own.time = getattr(write_own, "time", 1_700_000_000) + 10
    path.write_text(text)
    os.utime(path, (write_own.time, write_own.time))
    return path
