"""Sound output: pyglet's player requests samples in a thread of its own, and they are computed on request.

pyglet buffers 0.2 s to 0.9 s, which suits music. Impacts must be heard at once, so the buffers are as short as pyglet's worker
thread allows, which runs every 20 ms.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from app.sound.synthesis import BLOCK_SAMPLES, SAMPLE_RATE
from app.sound.wav_recording import as_bytes

BUFFER_TIME = 0.07
"""Length of the sound buffer [s]."""


class NoSound(Exception):
    """This machine cannot play sound; the text says why."""


class Speaker:
    """Plays the samples (2, BLOCK_SAMPLES) of make(), called repeatedly until `close`.

    Raises:
        NoSound: there is no device or no driver.
    """

    def __init__(self, make: Callable[[], np.ndarray]) -> None:
        try:
            import pyglet.media as media
            from pyglet.media.codecs import AudioData, AudioFormat
            from pyglet.media.drivers.base import AbstractAudioPlayer

            driver = media.get_audio_driver()
            if driver is None or type(driver).__name__ == "SilentDriver":
                raise NoSound("no sound device or driver was found")
            AbstractAudioPlayer.audio_buffer_length = BUFFER_TIME      # nothing else plays here
            source = _source(media, AudioData, AudioFormat, make)
            self._player = media.Player()
            self._player.queue(source)
            self._player.play()
            self.driver = type(driver).__name__.removesuffix("Driver")
            _hasten(getattr(self._player, "_audio_player", None))
        except NoSound:
            raise
        except Exception as error:
            raise NoSound(f"could not open the sound device ({type(error).__name__}: {error})") from error

    def close(self) -> None:
        """Stop playing and free the device."""
        self._player.pause()
        self._player.delete()


def _source(media: Any, data: type, form: type, make: Callable[[], np.ndarray]) -> Any:
    """An endless pyglet source that computes samples as they are requested."""
    class Stream(media.StreamingSource):
        audio_format = form(channels=2, sample_size=16, sample_rate=SAMPLE_RATE)

        def is_precise(self) -> bool:
            return True

        def get_audio_data(self, num_bytes: int, compensation_time: float = 0.0) -> Any:
            count = max(1, round(num_bytes / (4 * BLOCK_SAMPLES)))
            made = as_bytes(np.concatenate([make() for _ in range(count)], axis=1).T)
            return data(made, len(made))
    return Stream()


def _hasten(player: Any) -> None:
    """Shorten the buffers, where this version of pyglet has these attributes."""
    size = int(BUFFER_TIME * SAMPLE_RATE) * 4
    for name, share in (("_buffered_data_ideal_size", 1.0), ("_buffered_data_comfortable_limit", 0.6)):
        if hasattr(player, name):
            setattr(player, name, int(share * size) // 4 * 4)
