"""Where bodies were, by time: what trails and ghosts keep."""

from dataclasses import dataclass, field

import numpy as np

from app.engine.frame import Frame


@dataclass
class Past:
    """The newest moments of one scene: times [s], and for each one a table (bodies, k) float32. Cut where time goes back."""

    scene: str = ""
    times: list[float] = field(default_factory=list)
    tables: list[np.ndarray] = field(default_factory=list)

    def see(self, frame: Frame, table: np.ndarray, every: float, most: int) -> None:
        """Keep this moment if the last one is `every` seconds ago [s], and the newest `most` of all."""
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
        """(moments, bodies, k); NaN where a body was not there yet."""
        if all(len(table) == bodies for table in self.tables):
            return np.stack(self.tables)
        out = np.full((len(self.tables), bodies, self.tables[0].shape[1]), np.nan, np.float32)
        for row, table in zip(out, self.tables):
            row[: len(table)] = table[:bodies]
        return out


def followed(moving: np.ndarray, chosen: int) -> np.ndarray:
    """The chosen body if it moves, else all that move."""
    return moving[moving == chosen] if chosen in moving else moving
