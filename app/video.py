"""Pictures, one after the other, into a video or a folder: by a thread of its own, so that who draws need not wait. No GL.

A video is made by ffmpeg, that of the package imageio-ffmpeg (the extra "video") or one on the PATH. Nothing is dropped: whoever
is faster than the file waits.
"""

import importlib
import queue
import shutil
import subprocess
import threading
from pathlib import Path
from typing import Any

import numpy as np

from app.render.offscreen import write_png
from app.whole_files import put_in_place, unfinished
from physics import BadInput

WAITING = 400_000_000
"""Bytes of pictures that may wait for the file."""
FPS = (1, 240)
"""Pictures a second, least and most."""


def find_ffmpeg() -> str:
    """The program.

    Raises:
        BadInput: there is none.
    """
    try:
        return importlib.import_module("imageio_ffmpeg").get_ffmpeg_exe()
    except (ImportError, RuntimeError):
        found = shutil.which("ffmpeg")
    if not found:
        raise BadInput("a video needs ffmpeg, which is not here: `pip install imageio-ffmpeg` brings it, or save single pictures")
    return found


class Frames:
    """A folder of PNG files 00000.png, 00001.png, .."""

    def __init__(self, folder: Path) -> None:
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise BadInput(f"no pictures can be saved in {folder}: {error.strerror or error}") from error
        if any(folder.glob("[0-9]*.png")):
            raise BadInput(f"{folder} has pictures already: name an empty folder")
        self.path, self.count = folder, 0

    def put(self, pixels: np.ndarray) -> None:
        write_png(self.path / f"{self.count:05d}.png", pixels)
        self.count += 1

    def close(self) -> None:
        """Nothing is left to do."""


class Mp4:
    """A video file, which appears when it is whole. Sides are cut to even numbers of pixels."""

    def __init__(self, path: Path, fps: float) -> None:
        self.path, self.fps, self.count = path, fps, 0
        self._program = find_ffmpeg()
        self._part = unfinished(path)
        self._process: Any = None
        if path.is_dir() or not path.resolve().parent.is_dir():
            raise BadInput(f"the video {path} must be a file in a folder that exists")

    def put(self, pixels: np.ndarray) -> None:
        if self._process is None:
            height, width, _ = pixels.shape
            given = ["-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{width}x{height}", "-r", f"{self.fps:g}", "-i", "-"]
            made = ["-an", "-vf", "crop=trunc(iw/2)*2:trunc(ih/2)*2", "-c:v", "libx264", "-preset", "veryfast", "-crf", "18",
                    "-pix_fmt", "yuv420p", "-movflags", "+faststart", "-f", "mp4", str(self._part)]
            command = [self._program, "-y", "-loglevel", "error", *given, *made]
            self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        self._process.stdin.write(np.ascontiguousarray(pixels).data)
        self.count += 1

    def close(self) -> None:
        """Finish the file.

        Raises:
            OSError: it could not be written.
        """
        if self._process is None:
            return
        _, said = self._process.communicate()
        if self._process.returncode:
            self._part.unlink(missing_ok=True)
            raise OSError(said.decode("utf-8", "replace").strip().splitlines()[-1] if said else "ffmpeg failed")
        put_in_place(self._part, self.path)


class Writer:
    """Hands pictures to a file's own thread. size: of the first picture (height, width); others are not taken."""

    def __init__(self, file: Frames | Mp4) -> None:
        self.file, self.problem = file, ""
        self.size: tuple[int, int] | None = None
        self._waiting: queue.Queue = queue.Queue()
        self._room = threading.Semaphore(1)
        self._thread = threading.Thread(target=self._run, name="video", daemon=True)
        self._thread.start()

    def put(self, pixels: np.ndarray, times: int = 1) -> bool:
        """Take a picture (height, width, 3) uint8, so many times; waits while too many do. False: the size has changed."""
        if self.size is None:
            self.size = pixels.shape[:2]
            self._room = threading.Semaphore(max(2, WAITING // max(1, pixels.nbytes)))
        if pixels.shape[:2] != self.size:
            return False
        self._room.acquire()
        self._waiting.put((pixels, times))
        return True

    def close(self) -> str:
        """Wait for the end; "" or what went wrong."""
        self._waiting.put(None)
        self._thread.join()
        return self.problem

    def _run(self) -> None:
        while (item := self._waiting.get()) is not None:
            try:
                for _ in range(item[1] if not self.problem else 0):
                    self.file.put(item[0])
            except (OSError, ValueError) as error:
                self.problem = f"{self.file.path} could not be written: {error}"
            self._room.release()
        try:
            self.file.close()
        except (OSError, subprocess.SubprocessError) as error:
            self.problem = f"{self.file.path} could not be written: {error}"
