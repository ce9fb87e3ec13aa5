"""Synthesises sound from impacts and sliding, in blocks of samples, with numpy alone.

An impact is a struck bar: partials 1, 2.76, 5.40, of which the higher fade faster. Its pitch is quantised to quarter tones, so
that each bar is computed only once:

    f = 330 Hz (0.25 m / r) 2^(strength / 3)         smaller bodies and harder impacts are higher                 (1)

Sliding is noise in seven octaves, one loop each, so its cost is independent of the number of contacts. Powers of contacts add
up; a contact excites the octaves around f_s, over a factor of two,

    f_s = 1000 Hz (v / (1 m/s))^(1/2) (1 + N / m g)^(-1/4)    faster is brighter, higher load is darker            (2)

Joint friction has one more loop, low and grainy. Gains are interpolated linearly within a block, impacts continue past its end,
and tanh keeps the sum below full scale: nothing clicks or clips.
"""

import math
from collections.abc import Callable

import numpy as np

from app.camera import Camera
from app.sound.step_sounds import RUB, strength

SAMPLE_RATE = 44_100
"""Samples per second."""

BLOCK_SAMPLES = 1024
"""Samples per block."""

AMPLITUDE = {"impacts": 0.55, "sliding": 0.16, "joints": 0.10}
"""Amplitude of an impact of strength 1 and of sliding at level 1; full scale is 1."""

FULL = np.float32(0.98)
"""Largest output."""

LOWEST, HIGHEST = 60.0, 4000.0
"""Range of pitches [Hz]."""

PITCHES_PER_OCTAVE = 24
"""Pitches per octave."""

PARTIALS = ((1.0, 1.0), (2.76, 0.30), (5.40, 0.12))
"""Ratio and amplitude."""

CENTRES = 125.0 * 2.0 ** np.arange(7)
"""Centres of the noise octaves [Hz]."""

LOOP = 1 << 17
"""Samples in a noise loop: three seconds."""

TAIL = 1 << 16
"""Longest duration of an impact in samples."""

VOICES = 24
"""Impacts started per block, the loudest first."""

PANNING = 0.8
"""Panning of a source at the edge of the view; 1 is hard left or right."""

Place = Callable[[np.ndarray], np.ndarray]
"""Maps points (n, 3) [m] to gains of left and right (n, 2)."""


def pan_from_camera(camera: Camera) -> Place:
    """Gains of points as seen by the camera, following its motion; softer when far behind its target. Panning preserves power."""
    def place(points: np.ndarray) -> np.ndarray:
        right, _, _ = camera.axes()
        offset = points - camera.eye
        distance = np.sqrt(np.einsum("ij,ij->i", offset, offset))
        far = distance / np.linalg.norm(camera.target - camera.eye) + 1e-9   # 1 at the target
        side = np.clip(2.0 * (offset @ right) / (camera.distance * far), -1.0, 1.0) * PANNING
        angle = 0.25 * np.pi * (1.0 + side)
        loud = np.minimum(1.0, 1.0 / far)
        return np.stack([np.cos(angle), np.sin(angle)], axis=1) * loud[:, None]
    return place


def middle(points: np.ndarray) -> np.ndarray:
    """Equal gain on both sides."""
    return np.full((len(points), 2), math.sqrt(0.5))


def pitch_of(size: float, strength: float) -> float:
    """Pitch of an impact by (1), quantised to quarter tones [Hz]."""
    wanted = 330.0 * (0.25 / max(size, 1e-6)) * 2.0 ** (strength / 3.0)
    octaves = math.log2(min(HIGHEST, max(LOWEST, wanted)) / LOWEST)
    return LOWEST * 2.0 ** (round(PITCHES_PER_OCTAVE * octaves) / PITCHES_PER_OCTAVE)


def brightness(speed: np.ndarray, load: np.ndarray) -> np.ndarray:
    """Centre frequency of sliding by (2) [Hz]."""
    return 1000.0 * np.sqrt(speed) * (1.0 + load) ** -0.25


def struck(pitch: float) -> np.ndarray:
    """Samples of a bar of that pitch [Hz], struck with amplitude 1."""
    fade = min(0.30, max(0.04, 0.16 * math.sqrt(440.0 / pitch)))
    t = np.arange(min(TAIL - BLOCK_SAMPLES, int(7.0 * fade * SAMPLE_RATE))) / SAMPLE_RATE
    out = sum(size * np.exp(-ratio * t / fade) * np.sin(2.0 * math.pi * ratio * pitch * t)
              for ratio, size in PARTIALS if ratio * pitch < 0.45 * SAMPLE_RATE)
    rise, end = int(0.001 * SAMPLE_RATE), len(t) // 8
    out[:rise] *= 0.5 - 0.5 * np.cos(math.pi * np.arange(rise) / rise)
    out[-end:] *= 0.5 + 0.5 * np.cos(math.pi * np.arange(end) / end)
    return (out / np.abs(out).max()).astype(np.float32)


def loops() -> np.ndarray:
    """Seamless loops of unit power: the noise octaves and the creaking; (8, LOOP + BLOCK_SAMPLES)."""
    random = np.random.default_rng(4)
    f = np.fft.rfftfreq(LOOP, 1.0 / SAMPLE_RATE)[1:]
    out = np.zeros((len(CENTRES) + 1, LOOP))
    for k, centre in enumerate((*CENTRES, 420.0)):
        shape = np.zeros(LOOP // 2 + 1, complex)
        shape[1:] = np.exp(-0.5 * (np.log2(f / centre) / 0.45) ** 2) * np.exp(2j * math.pi * random.random(len(f)))
        out[k] = np.fft.irfft(shape)
    grains = np.zeros(LOOP)
    grains[random.integers(0, LOOP, 150)] = random.random(150)
    fading = np.fft.rfft(np.exp(-np.arange(LOOP) / (0.006 * SAMPLE_RATE)))
    out[-1] *= np.fft.irfft(np.fft.rfft(grains) * fading)
    out /= np.sqrt(np.mean(out**2, axis=1, keepdims=True))
    return np.concatenate([out, out[:, :BLOCK_SAMPLES]], axis=1).astype(np.float32)


class Synthesis:
    """Computes successive blocks of sound. volume: 0 .. 1; kinds: which of AMPLITUDE are heard."""

    def __init__(self) -> None:
        self.volume = 0.7
        self.kinds = dict.fromkeys(AMPLITUDE, True)
        self._bars: dict[float, np.ndarray] = {}
        self._loops = loops()
        self._at = 0                                    # position in the loops
        self._gains = np.zeros((2, len(self._loops)), np.float32)
        self._tail = np.zeros((2, TAIL), np.float32)    # sound of past impacts, from the present block on
        self._ramp = (np.arange(1, BLOCK_SAMPLES + 1) / BLOCK_SAMPLES).astype(np.float32)

    def block(self, hits: np.ndarray, rubs: np.ndarray, place: Place = middle, begin: float = 0.0) -> np.ndarray:
        """The next (2, BLOCK_SAMPLES) samples, -1 .. 1. hits: IMPACT_SOUND, rubs: RUB records; begin: start time
        of the block, on the clock of the hits [s]."""
        if len(hits) and self.kinds["impacts"]:
            self._strike(hits, place, begin)
        out = self._tail[:, :BLOCK_SAMPLES].copy()
        self._tail[:, :-BLOCK_SAMPLES] = self._tail[:, BLOCK_SAMPLES:]
        self._tail[:, -BLOCK_SAMPLES:] = 0.0
        gains = self._loudness(rubs, place)
        if gains.any() or self._gains.any():
            part = self._loops[:, self._at : self._at + BLOCK_SAMPLES]
            out += self._gains @ part + ((gains - self._gains) @ part) * self._ramp
            self._gains = gains
        self._at = (self._at + BLOCK_SAMPLES) % LOOP
        return FULL * np.tanh(self.volume * out)

    def _strike(self, hits: np.ndarray, place: Place, begin: float) -> None:
        """Add these impacts to the tail."""
        strong = strength(hits["impulse"], hits["mass"], hits["scale"])
        sides = place(hits["place"])
        for i in np.argsort(-strong)[:VOICES].tolist():
            bar = self._bar(pitch_of(float(hits["size"][i]), float(strong[i])))
            at = min(BLOCK_SAMPLES - 1, max(0, int((hits["when"][i] - begin) * SAMPLE_RATE)))
            loud = AMPLITUDE["impacts"] * float(strong[i])
            for side in (0, 1):
                self._tail[side, at : at + len(bar)] += np.float32(loud * sides[i, side]) * bar

    def _bar(self, pitch: float) -> np.ndarray:
        if pitch not in self._bars:
            self._bars[pitch] = struck(pitch)
        return self._bars[pitch]

    def _loudness(self, rubs: np.ndarray, place: Place) -> np.ndarray:
        """Amplitudes (2, loops) of the sliding contacts and joints."""
        power = np.zeros((2, len(self._loops)))
        if len(rubs):
            sides = (place(rubs["place"]) ** 2 * rubs["level"][:, None]).T
            creaks = rubs["creaks"] > 0
            if self.kinds["sliding"]:
                away = np.log2(brightness(rubs["speed"], rubs["load"])[:, None] / CENTRES)
                share = np.exp(-0.5 * np.clip(away, -4.0, 4.0) ** 2)
                share *= (~creaks / share.sum(axis=1))[:, None]
                power[:, :-1] = AMPLITUDE["sliding"] ** 2 * sides @ share
            if self.kinds["joints"]:
                power[:, -1] = AMPLITUDE["joints"] ** 2 * sides @ creaks
        return np.sqrt(power).astype(np.float32)


SILENCE = np.zeros(0, RUB)
