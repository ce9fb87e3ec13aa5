"""Sound: pitch, loudness, silence at rest, no clicks, no clipping; speakers and controllers."""

import itertools
import math
import time
import wave

import numpy as np
import pytest

import scenes
from app.camera import Camera
from app.cli import main
from app.engine import commands
from app.engine.simulation import Simulation
from app.sound import sound as sounds
from app.sound.rumble import Rumble
from app.sound.sound import Sound
from app.sound.speaker import NoSound, Speaker
from app.sound.step_sounds import HITS, IMPACT_SOUND, RUB, StepSounds, strength
from app.sound.synthesis import (
    BLOCK_SAMPLES,
    CENTRES,
    PITCHES_PER_OCTAVE,
    SAMPLE_RATE,
    SILENCE,
    Synthesis,
    brightness,
    middle,
    pan_from_camera,
    pitch_of,
)
from app.sound.wav_recording import SoundRecording, as_bytes
from physics import Box, Plane, Sphere, World, step
from tests.helpers import ControllerManager
from tests.tools.relative_time import cost

DT, G = 1.0 / 240.0, 9.81
SOLVERS = ("sequential_impulses", "soft_steps", "stewart_trinkle")
NOTHING = np.zeros(0, IMPACT_SOUND)


def floor(solver="sequential_impulses", mu=0.0, e=0.0, gravity=(0.0, 0.0, -G)):
    world = World(gravity=gravity)
    world.add_body(Plane(), kind="static", friction=mu, restitution=e, name="floor")
    world.use_solver(solver)
    if hasattr(world.solver.options, "budget"):
        world.solver.options.budget = 0.0
    return world


def heard(world, seconds, rest=0.0):
    """(samples (n, 2), recording) of a world that runs for so long."""
    recording = SoundRecording(world)
    for _ in range(round(seconds / DT)):
        step(world, DT)
        recording.step()
    return recording.samples(rest), recording


def hits(*impulses, size=0.1, mass=1.0, scale=1.0, when=0.0):
    out = np.zeros(len(impulses), IMPACT_SOUND)
    out["pair"], out["impulse"] = np.arange(len(impulses)), impulses
    out["mass"], out["size"], out["scale"], out["when"] = mass, size, scale, when
    return out


def rubs(level, speed=1.0, load=1.0, creaks=0, count=1):
    out = np.zeros(count, RUB)
    out["level"], out["speed"], out["load"], out["creaks"] = level, speed, load, creaks
    return out


def peak(samples):
    """The strongest frequency [Hz], between two lines of the spectrum by a parabola."""
    mono = samples.mean(axis=1)
    n = 1 << 18
    size = np.abs(np.fft.rfft(mono * np.hanning(len(mono)), n))
    k = int(np.argmax(size))
    a, b, c = np.log(size[k - 1 : k + 2])
    return (k + 0.5 * (a - c) / (a - 2.0 * b + c)) * SAMPLE_RATE / n


def power(samples):
    return float(np.mean(samples**2))


# ---- impacts


@pytest.mark.parametrize("radius", [0.05, 0.1, 0.3])
@pytest.mark.parametrize("solver", SOLVERS)
def test_a_ball_sounds_at_its_pitch(solver, radius):
    world = floor(solver)
    world.add_body(Sphere(radius), pos=(0.0, 0.0, 3.0 * radius), name="ball")
    recording = SoundRecording(world)
    strong = 0.0
    for _ in range(round(0.5 / DT)):
        step(world, DT)
        recording.step()
        new, _ = recording.step_sounds.impacts_since(0)
        if len(new):
            strong = float(strength(new["impulse"].sum(), new["mass"][0], new["scale"][0]))
            assert new["size"] == pytest.approx(radius, rel=1e-9)
    speed = math.sqrt(2.0 * G * 2.0 * radius)
    assert strong == pytest.approx(speed / (speed + math.sqrt(2.0 * G * radius)), rel=0.08), "p = m v, and a little weight"
    found = peak(recording.samples(0.6))
    assert found == pytest.approx(pitch_of(radius, strong), rel=2.0 ** (1.0 / PITCHES_PER_OCTAVE) - 1.0), "a quarter tone"
    assert found == pytest.approx(330.0 * 0.25 / radius * 2.0 ** (strong / 3.0), rel=0.035)


def test_smaller_bodies_and_harder_impacts_sound_higher():
    assert pitch_of(0.05, 0.5) > pitch_of(0.1, 0.5) > pitch_of(0.4, 0.5)
    assert pitch_of(0.1, 0.9) > pitch_of(0.1, 0.1)
    assert pitch_of(1e-9, 1.0) == pytest.approx(4000.0, rel=0.03) and pitch_of(1e9, 0.0) == 60.0


def test_louder_with_the_impulse_and_never_clipped():
    loud = []
    for impulse in (0.01, 0.1, 0.5, 2.0, 10.0, 1e6):
        made = Synthesis()
        blocks = [made.block(hits(impulse, size=0.25), SILENCE), *(made.block(NOTHING, SILENCE) for _ in range(20))]
        out = np.concatenate(blocks, axis=1)
        loud.append(power(out))
        assert np.abs(out).max() < 1.0
    assert all(b > a for a, b in itertools.pairwise(loud))
    assert loud[1] / loud[0] == pytest.approx(100.0 * (1.01 / 1.1) ** 2, rel=0.2), "the square of a small strength"
    crowd = Synthesis()
    crowd.volume = 1.0
    out = np.concatenate([crowd.block(hits(*[50.0] * 200), rubs(5.0, count=100), begin=0.0) for _ in range(12)], axis=1)
    assert np.isfinite(out).all() and 0.9 < np.abs(out).max() < 1.0, "two thousand blows: full scale, not beyond"
    whole = np.frombuffer(as_bytes(out.T), "<i2")
    assert abs(int(whole.max())) <= 32767 and len(whole) == 2 * out.shape[1]


def test_impacts_of_one_pair_are_merged():
    """A box that lands flat strikes once: four corners, two steps, all its momentum."""
    world = floor()
    world.add_body(Box((0.2, 0.2, 0.2)), pos=(0.0, 0.0, 0.5), mass=3.0, name="box")
    step_sounds = StepSounds()
    for _ in range(80):
        step(world, DT)
        step_sounds.add_step(world)
    found, _ = step_sounds.impacts_since(0)
    assert len(found) == 1
    momentum = 3.0 * math.sqrt(2.0 * G * 0.3)
    assert 0.98 * momentum <= found["impulse"][0] <= momentum + 3.0 * 3.0 * G * DT


def test_nothing_clicks_at_borders_of_blocks():
    """The curvature of the sound at borders is not larger than elsewhere, while everything goes on and changes."""
    made, blocks = Synthesis(), []
    for k in range(60):
        level = 0.0 if k % 10 > 6 else 0.2 + 0.1 * (k % 5)
        blocks.append(made.block(hits(1.0, size=0.5, when=k * BLOCK_SAMPLES / SAMPLE_RATE + 0.01) if k % 7 == 0 else NOTHING,
                                 rubs(level, speed=0.3), begin=k * BLOCK_SAMPLES / SAMPLE_RATE))
    bend = np.abs(np.diff(np.concatenate(blocks, axis=1)[0], 2))
    borders = bend[BLOCK_SAMPLES - 2 :: BLOCK_SAMPLES].tolist() + bend[BLOCK_SAMPLES - 1 :: BLOCK_SAMPLES].tolist()
    assert max(borders) <= np.quantile(bend, 0.9999) and np.mean(borders) < 1.3 * bend.mean()


def test_in_long_steps_an_impact_sounds_at_its_time():
    """T08's particle, a step a second: the wall is hit in the fifth."""
    scene = scenes.find("particle_and_wall")
    world = scenes.make_world(scene, scene.parameters())
    recording = SoundRecording(world)
    for _ in range(8):
        step(world, scene.dt)
        recording.step()
    loud = np.flatnonzero(np.abs(recording.samples()).max(axis=1) > 1e-3)
    assert loud[0] / SAMPLE_RATE == pytest.approx(5.0, abs=0.01)


def test_a_scene_at_rest_is_silent():
    world = floor(mu=0.5)
    for k in range(3):
        world.add_body(Box((0.2, 0.2, 0.1)), pos=(0.0, 0.0, 0.1 + 0.2 * k), friction=0.5, name=f"box {k}")
    samples, _ = heard(world, 1.0)
    assert len(samples) > 0.9 * SAMPLE_RATE and not samples.any()


# ---- what rubs


@pytest.mark.parametrize("solver", SOLVERS)
def test_the_noise_of_a_sliding_block_has_the_power_of_its_speed(solver):
    """Powers at three constant speeds on a belt's worth of floor: mu v / v*, in all octaves together."""
    powers = []
    for speed in (0.5, 1.0, 2.0):
        world = floor(solver, mu=0.2)
        world.add_body(Box((0.2, 0.2, 0.05)), pos=(0.0, 0.0, 0.05), friction=0.2, name="block")
        world.set_velocity(world.body("block"), (speed, 0.0, 0.0), (0.0, 0.0, 0.0))
        recording = SoundRecording(world)
        level = []
        for _ in range(24):
            step(world, DT)
            recording.step()
            level.append(float(recording.step_sounds.newest[0]["level"].sum()))
        middle_speed = speed - 0.2 * G * 12.5 * DT
        assert np.mean(level) == pytest.approx(0.2 * middle_speed, rel=0.05)
        made = Synthesis()
        made.volume = 0.2
        blocks = [made.block(NOTHING, rubs(0.2 * speed, speed)) for _ in range(100)]
        powers.append(power(np.concatenate(blocks, axis=1)[:, BLOCK_SAMPLES:]))
    assert powers[1] / powers[0] == pytest.approx(2.0, rel=0.15) and powers[2] / powers[1] == pytest.approx(2.0, rel=0.15)


def test_faster_is_brighter_and_pressed_harder_is_darker():
    def centre(one):
        made = Synthesis()
        out = np.concatenate([made.block(NOTHING, one) for _ in range(60)], axis=1)[0]
        size = np.abs(np.fft.rfft(out)) ** 2
        f = np.fft.rfftfreq(len(out), 1.0 / SAMPLE_RATE)
        return float(2.0 ** (np.sum(size[1:] * np.log2(f[1:])) / np.sum(size[1:])))

    slow, fast, hard = centre(rubs(0.3, speed=0.1)), centre(rubs(0.3, speed=2.0)), centre(rubs(0.3, speed=2.0, load=50.0))
    assert slow < hard < fast
    assert fast == pytest.approx(float(brightness(np.array([2.0]), np.array([1.0]))[0]), rel=0.25)
    assert centre(rubs(0.3, creaks=1)) < CENTRES[3], "joints are low"


def test_powers_add_up_and_sources_can_be_muted():
    def of(one, **kinds):
        made = Synthesis()
        made.volume, made.kinds = 0.1, {"impacts": True, "sliding": True, "joints": True} | kinds
        return power(np.concatenate([made.block(NOTHING, one) for _ in range(40)], axis=1)[:, BLOCK_SAMPLES:])

    assert of(rubs(0.1, count=4)) == pytest.approx(4.0 * of(rubs(0.1)), rel=0.01)
    assert of(rubs(0.1), sliding=False) == 0.0 and of(rubs(0.1), joints=False) > 0.0
    assert of(rubs(0.1, creaks=1), joints=False) == 0.0 and of(rubs(0.1, creaks=1), sliding=False) > 0.0


def test_joint_friction_sounds_with_its_power():
    world = World(gravity=(0.0, 0.0, -G))
    arm = world.add_body(Box((0.5, 0.05, 0.05)), mass=2.0, omega=(0.0, 0.0, 3.0), name="arm")
    world.add_joint("revolute", 0, arm, anchor=(0.0, 0.0, 0.0), axis=(0.0, 0.0, 1.0), max_friction=0.1)
    step_sounds = StepSounds()
    for _ in range(3):
        step(world, DT)
        step_sounds.add_step(world)
    rub = step_sounds.newest[0]
    assert len(rub) == 1 and rub["creaks"][0] == 1
    assert rub["level"][0] == pytest.approx(0.1 * world.bodies["omega"][arm, 2] / (2.0 * G), rel=0.02)


# ---- from where


def test_panning_follows_the_camera():
    camera = Camera()
    place = pan_from_camera(camera)
    right, _, _ = camera.axes()
    behind = 100.0 * (camera.target - camera.eye)
    loud = place(camera.target + np.array([-right, 0.0 * right, right, behind]))
    assert loud[0, 0] > loud[0, 1] and loud[2, 1] > loud[2, 0]
    assert loud[1] == pytest.approx([math.sqrt(0.5)] * 2) == middle(np.zeros((1, 3)))[0]
    assert (loud[:3] ** 2).sum(axis=1) == pytest.approx(1.0, rel=0.1) and np.all(loud[3] < 0.02)
    camera.azimuth += 180.0
    turned = place(np.array([camera.target - right]))
    assert turned[0, 1] > turned[0, 0], "the other side, as soon as it is turned"


# ---- ears


def test_sounds_are_bounded_and_silent_in_the_past():
    simulation = Simulation("bouncing_balls")
    commands.set_option(simulation, "budget", 0.0)
    step_sounds = StepSounds()
    commands.add_observer(simulation, step_sounds)
    for _ in range(160):
        simulation.step()
    count = step_sounds.heard
    assert count > 0
    commands.replay_last_steps(simulation, 150)
    assert simulation.world.steps == 160 and step_sounds.heard == count, "what is made again was heard already"
    many = StepSounds()
    many.heard = 3 * HITS
    found, now = many.impacts_since(5)
    assert len(found) == HITS and now == 3 * HITS and not len(many.impacts_since(now)[0])


def test_collecting_sounds_is_cheap():
    simulation = Simulation("pyramid")
    commands.set_option(simulation, "budget", 0.0)
    for _ in range(3):
        simulation.step()
    step_sounds = StepSounds()
    step_sounds.add_step(simulation.world)
    assert cost(lambda: step_sounds.add_step(simulation.world), 20) < 4.0


# ---- devices


class Pad:
    def __init__(self, broken=False):
        self.open_, self.felt, self.broken = False, [], broken

    def open(self):
        self.open_ = True

    def close(self):
        self.open_ = False

    def rumble_play_strong(self, strength, duration):
        if self.broken:
            raise OSError("unplugged")
        self.felt.append((strength, duration))

    def rumble_play_weak(self, strength, duration):
        pass


def strike(step_sounds, impulse):
    step_sounds.hits[step_sounds.heard % HITS] = hits(impulse)[0]
    step_sounds.heard += 1


def test_controllers_rumble_and_can_be_reconnected():
    step_sounds, first, second = StepSounds(), Pad(), Pad()
    manager = ControllerManager(first)
    rumble = Rumble(step_sounds, lambda: manager)
    rumble.stop_polling()       # the test looks in its place
    assert first.open_ and rumble.vibrate() == 0.0
    for impulse in (0.5, 5.0):
        strike(step_sounds, impulse)
        rumble.vibrate()
    assert [felt[0] for felt in first.felt] == pytest.approx([0.5 / 1.5, 5.0 / 6.0])
    manager.handlers["on_connect"](second)
    strike(step_sounds, 1.0)
    assert rumble.vibrate() == pytest.approx(0.5) and len(second.felt) == 1
    manager.handlers["on_disconnect"](first)
    second.broken = True
    strike(step_sounds, 1.0)
    rumble.vibrate()
    assert not rumble.controllers, "a broken one is left alone"
    strike(step_sounds, 1e-4)
    assert rumble.vibrate() == 0.0
    rumble.close()
    assert not manager.handlers


def test_a_machine_without_a_device_is_reported(monkeypatch):
    pytest.importorskip("pyglet")
    import pyglet.media

    class SilentDriver:
        pass

    monkeypatch.setattr(pyglet.media, "get_audio_driver", SilentDriver)
    with pytest.raises(NoSound, match="no sound device"):
        Speaker(lambda: np.zeros((2, BLOCK_SAMPLES), np.float32))


def test_the_player_gets_the_requested_samples(monkeypatch):
    """pyglet's own player, with the driver that plays nothing."""
    pytest.importorskip("pyglet")
    import pyglet.media
    from pyglet.media.drivers.silent.adaptation import SilentDriver

    class Driver(SilentDriver):
        pass

    driver, made = Driver(), []
    monkeypatch.setattr(pyglet.media, "get_audio_driver", lambda: driver)
    monkeypatch.setattr("pyglet.media.player.get_audio_driver", lambda: driver)

    def make():
        made.append(time.perf_counter())
        return np.zeros((2, BLOCK_SAMPLES), np.float32)

    speaker = Speaker(make)
    began, count = time.perf_counter(), len(made)
    time.sleep(1.0)
    rate = (len(made) - count) * BLOCK_SAMPLES / SAMPLE_RATE / (time.perf_counter() - began)
    speaker.close()
    driver.delete()
    assert speaker.driver == "" or speaker.driver.isalpha()
    assert 0.3 < rate < 1.7, "as fast as it is played"


class FakeSpeaker:
    def __init__(self, make):
        self.make, self.driver = make, "test"

    def close(self):
        self.make = None


def test_the_panel_switches_sound(person, monkeypatch):
    monkeypatch.setattr(sounds, "Speaker", FakeSpeaker)
    session, sound = person.session, person.session.state(Sound)
    person.load("bouncing_balls")
    person.window.gui.panels.open("sound")
    person.look(6)
    person.click("sound/sound")
    assert person.wait(lambda: sound.on and sound.step_sounds in session.simulation.observers.items, 5.0)
    session.post(Simulation.single_step, 160)
    assert person.wait(lambda: session.frame.step >= 160)
    loudest = max(np.abs(sound.block(session)).max() for _ in range(4))
    assert loudest > 0.01 and sound.level >= 0.0
    person.click("sound/impacts")
    assert not sound.kinds["impacts"] and not sound.synthesis.kinds["impacts"]
    person.click("sound/impacts")
    person.click("sound/sound")
    assert person.wait(lambda: not sound.on and sound.step_sounds not in session.simulation.observers.items, 5.0)
    assert not person.window.gui.panels.all["sound"].error
    person.window.gui.panels.all["sound"].open = False


def test_without_a_device_there_is_one_message(person, monkeypatch):
    def missing(make):
        raise NoSound("no sound device or driver was found")

    monkeypatch.setattr(sounds, "Speaker", missing)
    session, sound = person.session, person.session.state(Sound)
    session.window.run_action("sound")
    person.look(3)
    said = [m.text for m in session.messages if "no sound" in m.text]
    assert said == ["no sound: no sound device or driver was found"]
    assert not sound.on and sound.step_sounds not in session.simulation.observers.items
    assert sound.switches()["on"], "the wish is kept for the next start"
    panel = person.window.gui.panels
    panel.open("sound")
    monkeypatch.setattr(sounds, "Speaker", FakeSpeaker)
    person.look(6)
    person.click("sound/sound")
    assert not sound.switches()["on"] and not sound.trouble
    person.click("sound/sound")
    assert sound.on and not sound.trouble, "a device was plugged in"
    sound.switch(session, False)
    panel.all["sound"].open = False


def test_without_controllers_there_is_one_message(person, monkeypatch):
    def missing(step_sounds):
        raise FileNotFoundError("/dev/input")

    monkeypatch.setattr(sounds, "Rumble", missing)
    session, sound = person.session, person.session.state(Sound)
    sound.switch_rumble(session, True)
    assert [m.text for m in session.messages] == ["no vibration: game controllers are not supported on this machine"]
    assert sound.rumble is None and sound.switches()["rumble"]
    sound.switch_rumble(session, False)


# ---- a run in a file


def test_a_run_writes_its_sound(tmp_path, capsys):
    for name in ("a.wav", "b.wav"):
        assert main(["run", "bouncing_balls", "--seconds", "0.7", "--wav", str(tmp_path / name)]) == 0
    with wave.open(str(tmp_path / "a.wav")) as found:
        assert (found.getnchannels(), found.getsampwidth(), found.getframerate()) == (2, 2, SAMPLE_RATE)
        samples = np.frombuffer(found.readframes(found.getnframes()), "<i2").reshape(-1, 2)
    assert 1.6 * SAMPLE_RATE < len(samples) < 1.8 * SAMPLE_RATE
    first = np.flatnonzero(np.abs(samples).max(axis=1) > 300)[0] / SAMPLE_RATE
    assert first == pytest.approx(math.sqrt(2.0 * 1.5 / G), abs=0.03), "the balls land after a fall of 1.5 m"
    assert (tmp_path / "a.wav").read_bytes() == (tmp_path / "b.wav").read_bytes()
    assert [p.name for p in tmp_path.iterdir() if p.name not in ("a.wav", "b.wav")] == []
    assert main(["run", "bouncing_balls", "--seconds", "0.1", "--wav", str(tmp_path)]) != 0
    assert "folder" in capsys.readouterr().err
