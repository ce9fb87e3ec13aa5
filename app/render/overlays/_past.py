"""History of body poses, for trails and ghosts."""

from dataclasses import dataclass, field

import numpy as np

from app.engine.frame import Frame


@dataclass
class PoseHistory:
    """The newest samples of one scene: times [s], and for each a table (bodies, k) float32. Truncated when time goes back."""

    scene: str = ""
    times: list[float] = field(default_factory=list)
    tables: list[np.ndarray] = field(default_factory=list)

    def add_frame(self, frame: Frame, table: np.ndarray, every: float, most: int) -> None:
        """Store a sample if the last one is `every` seconds old [s]; keeps the newest `most`."""
        if frame.scene != self.scene:
            self.scene, self.times, self.tables = frame.scene, [], []
        kept = len(self.times)
        while kept and self.times[kept - 1] > frame.time:
            kept -= 1
        old = max(0, kept - most)
        self.times, self.tables = self.times[old:kept], self.tables[old:kept]
        if not self.times or frame.time >= self.times[-1] + (1.0 - 1e-6) * every:
            self.times.append(frame.time)
            self.tables.append(table.astype(np.float32))

    def stacked(self, bodies: int) -> np.ndarray:
        """(samples, bodies, k); NaN where a body did not exist yet."""
        if all(len(table) == bodies for table in self.tables):
            return np.stack(self.tables)
        out = np.full((len(self.tables), bodies, self.tables[0].shape[1]), np.nan, np.float32)
        for row, table in zip(out, self.tables):
            row[: len(table)] = table[:bodies]
        return out


def followed(moving: np.ndarray, chosen: int) -> np.ndarray:
    """The selected body if it moves, else all that move."""
    return moving[moving == chosen] if chosen in moving else moving
