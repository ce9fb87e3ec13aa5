"""Pictures and videos of the window: when a picture is due, of what, at which size. app/video.py writes them."""

import math
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from app.files.folders import not_saved, pictures
from app.i18n.message import message
from app.video import FPS, Frames, Mp4, Writer
from physics import BadInput, option

VIDEO_SIZES = {"as shown": None, "1280 x 720": (1280, 720), "1920 x 1080": (1920, 1080), "2560 x 1440": (2560, 1440),
               "3840 x 2160": (3840, 2160)}


TIME_TOLERANCE = 1e-9
"""A picture may be that much too early [s]: times of steps are sums."""


@dataclass
class VideoSettings:
    """The user's settings of videos."""

    kind: str = option("mp4", choices=("mp4", "png"), help="Format: a video (mp4, needs ffmpeg), or a folder of images (png).")
    fps: float = option(60.0, unit="1/s", lo=FPS[0], hi=FPS[1], help="Frames per second.")
    clock: str = option("simulated", choices=("simulated", "wall"),
                        help="One second of video is one second of simulated time, whatever the speed, or one second of real "
                             "time.")
    panels: bool = option(False, help="Record the whole window; off: the scene only.")
    size: str = option("as shown", choices=tuple(VIDEO_SIZES), help="Size of the scene picture; the window has its own size.")


@dataclass
class VideoRecorder:
    """Records one video at a time. due: time of the next picture [s] by the chosen clock; late: number of repeated pictures."""

    writer: Writer | None = None
    wishes: VideoSettings = field(default_factory=VideoSettings)
    due: float = math.nan
    late: int = 0
    count: int = 0
    scene: str = ""
    renderer: Any = None

    def toggle(self, window: Any) -> None:
        """Start a video with the present settings, or stop it."""
        if self.writer is not None:
            self.stop(window)
            return
        session = window.session
        wanted = session.state(VideoSettings)
        self.wishes = VideoSettings(**vars(wanted))
        path = pictures() / f"{session.frame.scene or 'stiction'}-{time.strftime('%Y%m%d-%H%M%S')}"
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            file = Mp4(Path(f"{path}.mp4"), wanted.fps) if wanted.kind == "mp4" else Frames(path)
        except (BadInput, OSError) as error:
            session.notify(not_saved(path, error) if isinstance(error, OSError) else str(error))
            return
        self.writer, self.due, self.late, self.count, self.scene = Writer(file), math.nan, 0, 0, session.frame.scene
        session.state(Shown).recording = True

    def stop(self, window: Any, why: str = "") -> None:
        """Finish the video and report the result."""
        writer, self.writer = self.writer, None
        window.session.thread.hold_at(math.inf)
        problem = writer.close()
        if self.renderer is not None:
            self.renderer.delete()
            self.renderer = None
        window.session.state(Shown).recording = False
        window.session.notify(problem or message("{why}saved {path}: {count} pictures{twice}", why=why, path=writer.file.path,
                                              count=self.count, twice=self._duplicated()))

    def _duplicated(self) -> str:
        """How many pictures are repeated, and why: simulated time waits for the window, real time does not."""
        if not self.late:
            return ""
        if self.wishes.clock == "simulated":
            return message("; {late} of them duplicated, where simulated time advanced by more than a picture at once: a jump, "
                           "or steps that are longer", late=self.late)
        return message("; {late} of them duplicated because the window was too slow: reduce the speed", late=self.late)

    def add_picture(self, window: Any) -> None:
        """Add the picture as often as it is due; call after each picture of the window."""
        if self.writer is None:
            return
        frame, fps = window.session.frame, self.wishes.fps
        now = frame.time if self.wishes.clock == "simulated" else time.perf_counter()
        if frame.scene != self.scene:
            self.stop(window, "another scene: ")
            return
        if math.isnan(self.due) or now < self.due - 2.0 / fps:     # the start, or time went back
            self.due = now
        times = 1 + math.floor((now - self.due) * fps + 1e-6) if now >= self.due - TIME_TOLERANCE else 0
        if not times:
            return
        self.due += times / fps
        if self.wishes.clock == "simulated":
            window.session.thread.hold_at(self.due - TIME_TOLERANCE)      # no time passes that has not its pictures
        if not self.writer.put(self._pixels(window), times):
            self.stop(window, "the window's size has changed: ")
            return
        self.count, self.late = self.count + times, self.late + times - 1
        if self.writer.problem:
            self.stop(window)

    def _pixels(self, window: Any) -> np.ndarray:
        return window.pixels() if self.wishes.panels else scene_alone(window, VIDEO_SIZES[self.wishes.size], self)


@dataclass
class Shown:
    """State for the menu and the panel. recording: a video is being made."""

    recording: bool = False


def scene_alone(window: Any, size: tuple[int, int] | None, cache: Any = None) -> np.ndarray:
    """The leader's scene without panels, (height, width, 3) uint8. cache: its `renderer` is reused for further pictures; else
    one is made for this one."""
    from app.analysis.forces.contact_lens import facets_of
    from app.gui.shell.viewport_layout import ghosts_shown
    from app.gui.viewport.hidden_bodies import visible
    from app.render.opengl.offscreen import Offscreen
    from app.render.opengl.renderer import Renderer

    session, now = window.session, time.perf_counter()
    across = window.get_framebuffer_size()[0] / max(1, window.get_size()[0])
    width, height = size or tuple(max(2, round(across * side)) for side in window.gui.panels.centre[2:])
    renderer = (cache.renderer if cache is not None else None) or Renderer("high")
    if cache is not None:
        cache.renderer = renderer
    with Offscreen(width, height, 4) as picture:
        picture.begin()
        renderer.draw(visible(session), session.camera, session.view, width, height, now, selection=session.selection,
                      facets=facets_of(session.frame.solver_state), highlight=session.highlight,
                      **ghosts_shown(session, now))
        out = picture.pixels().copy()
    if cache is None:
        renderer.delete()
    return out


def picture_path(scene: str) -> Path:
    """Path of the next screenshot."""
    return pictures() / f"{scene or 'stiction'}-{time.strftime('%Y%m%d-%H%M%S')}.png"
