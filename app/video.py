"""Writes pictures to a video or a folder in a thread of its own, so that drawing need not wait. No GL.

Videos are encoded by ffmpeg, from the package imageio-ffmpeg (the extra "video") or on the PATH. No picture is dropped: a caller
that is faster than the file waits.
"""

import importlib
import queue
import shutil
import subprocess
import threading
from pathlib import Path
from typing import Any

import numpy as np

from app.extras import install_command
from app.files.atomic_write import leftovers, put_in_place
from app.i18n.message import Verbatim, message
from app.render.opengl.offscreen import write_png
from physics import BadInput

MAX_QUEUED_BYTES = 400_000_000
"""Limit of the bytes of pictures in the queue."""
FPS = (1, 240)
"""Lowest and highest number of pictures per second."""


def find_ffmpeg() -> str:
    """Path of the ffmpeg program.

    Raises:
        BadInput: there is none.
    """
    try:
        return importlib.import_module("imageio_ffmpeg").get_ffmpeg_exe()
    except (ImportError, RuntimeError):
        found = shutil.which("ffmpeg")
    if not found:
        raise BadInput(message("a video needs ffmpeg, which is not installed: run `{command}`, or save single images",
                               command=Verbatim(install_command("video", "imageio-ffmpeg"))))
    return found


class Frames:
    """A folder of numbered PNG files: 00000.png, 00001.png, .."""

    def __init__(self, folder: Path) -> None:
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            why = "it is not a folder" if isinstance(error, FileExistsError) else error.strerror or error
            raise BadInput(message("cannot save images in {folder}: {why}", folder=Verbatim(folder), why=why)) from error
        if any(folder.glob("[0-9]*.png")):
            raise BadInput(message("{folder} already contains images: specify an empty folder", folder=Verbatim(folder)))
        self.path, self.count = folder, 0

    def put(self, pixels: np.ndarray) -> None:
        write_png(self.path / f"{self.count:05d}.png", pixels)
        self.count += 1

    def close(self) -> None:
        """Does nothing: every picture is already written."""


class Mp4:
    """A video file that appears when it is complete. Width and height are cropped to even numbers of pixels."""

    def __init__(self, path: Path, fps: float) -> None:
        self.path, self.fps, self.count = path, fps, 0
        self._program = find_ffmpeg()
        self._part = leftovers(path)
        self._process: Any = None
        if path.is_dir() or not path.resolve().parent.is_dir():
            raise BadInput(message("the video {path} must be in an existing folder", path=Verbatim(path)))

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
        _, output = self._process.communicate()
        if self._process.returncode:
            self._part.unlink(missing_ok=True)
            raise OSError(output.decode("utf-8", "replace").strip().splitlines()[-1] if output else "ffmpeg failed")
        put_in_place(self._part, self.path)


class Writer:
    """Queues pictures for a thread that writes them. size: (height, width) of the first picture; other sizes are refused."""

    def __init__(self, file: Frames | Mp4) -> None:
        self.file, self.problem = file, ""
        self.size: tuple[int, int] | None = None
        self.waiting: queue.Queue = queue.Queue()
        self._room = threading.Semaphore(1)
        self._thread = threading.Thread(target=self._run, name="video", daemon=True)
        self._thread.start()

    def put(self, pixels: np.ndarray, times: int = 1) -> bool:
        """Queue a picture (height, width, 3) uint8, written `times` times; blocks while the queue is full. False: other size."""
        if self.size is None:
            self.size = pixels.shape[:2]
            self._room = threading.Semaphore(max(2, MAX_QUEUED_BYTES // max(1, pixels.nbytes)))
        if pixels.shape[:2] != self.size:
            return False
        self._room.acquire()
        self.waiting.put((pixels, times))
        return True

    def close(self) -> str:
        """Wait until all is written; returns "" or the error."""
        self.waiting.put(None)
        self._thread.join()
        return self.problem

    def _run(self) -> None:
        while (item := self.waiting.get()) is not None:
            try:
                for _ in range(item[1] if not self.problem else 0):
                    self.file.put(item[0])
            except (OSError, ValueError) as error:
                self.problem = message("could not write {path}: {error}", path=Verbatim(self.file.path), error=error)
            self._room.release()
        try:
            self.file.close()
        except (OSError, subprocess.SubprocessError) as error:
            self.problem = message("could not write {path}: {error}", path=Verbatim(self.file.path), error=error)
