"""The sound of a run as a WAV file: bit-identical every time, with level and panning of the scene's camera."""

import math
import wave
from typing import Any

import numpy as np

from app.camera import Camera
from app.sound.step_sounds import StepSounds
from app.sound.synthesis import BLOCK_SAMPLES, SAMPLE_RATE, SILENCE, Place, Synthesis, middle, pan_from_camera


class SoundRecording:
    """Collects the sound of a world that is stepped elsewhere: call `step` after each step and `samples` at the end."""

    def __init__(self, world: Any, place: Place = middle) -> None:
        self.synthesis = Synthesis()
        self._blocks: list[np.ndarray] = []
        self._world, self._place, self._began = world, place, world.time
        self.step_sounds = StepSounds(self._now)
        self._heard = 0

    def _now(self) -> float:
        return self._world.time - self._began

    def step(self) -> None:
        """Add the sounds of the last step and compute the blocks completed by now."""
        self.step_sounds.add_step(self._world)
        while (len(self._blocks) + 1) * BLOCK_SAMPLES <= self._now() * SAMPLE_RATE:
            self._block(self.step_sounds.newest[0])

    def samples(self, rest: float = 0.0) -> np.ndarray:
        """All samples (n, 2), -1 .. 1. rest: duration added at the end, in which impacts fade out [s]."""
        for _ in range(math.ceil(rest * SAMPLE_RATE / BLOCK_SAMPLES)):
            self._block(SILENCE)
        return np.concatenate(self._blocks, axis=1).T if self._blocks else np.zeros((0, 2), np.float32)

    def _block(self, rubs: np.ndarray) -> None:
        """Impacts are reported one step late, so all new ones lie before the end of this block."""
        hits, self._heard = self.step_sounds.impacts_since(self._heard)
        self._blocks.append(self.synthesis.block(hits, rubs, self._place, len(self._blocks) * BLOCK_SAMPLES / SAMPLE_RATE))


def as_wav(samples: np.ndarray, stream: Any) -> None:
    """Write samples (n, 2), -1 .. 1, as a 16 bit WAV file."""
    with wave.open(stream, "wb") as out:
        out.setnchannels(2)
        out.setsampwidth(2)
        out.setframerate(SAMPLE_RATE)
        out.writeframes(as_bytes(samples))


def as_bytes(samples: np.ndarray) -> bytes:
    """Interleaved 16 bit samples of (n, 2)."""
    return np.round(32767.0 * samples).astype("<i2").tobytes()


def of_scene(world: Any, scene: Any) -> SoundRecording:
    """A recording with the panning of the scene's camera."""
    camera = Camera()
    camera.set_view(scene.view)
    return SoundRecording(world, pan_from_camera(camera))
