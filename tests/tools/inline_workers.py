"""Workers that run everything at once, in this process."""

from concurrent.futures import BrokenExecutor, Future

from app.analysis.studies.sweep_workers import Workers


class InlineWorkers(Workers):
    """count: points handed out at a time is twice that; seen: points run so far."""

    lost = (BrokenExecutor,)

    def __init__(self, count=1):
        self.count, self.pool, self.seen = count, self, []

    def submit(self, job, point):
        done = Future()
        self.seen.append(point)
        done.set_result(job(point))
        return done
