"""Recordings that were damaged or forged, by the thousand: each is refused in one sentence, or steps and stays finite.

`python -m tests.mutations --count 100000 [--seed N] [--workers N] [--keep FOLDER]` tells what came out, and keeps each case that
came out otherwise. A case is made again from its seed and number alone: `--only NUMBER`.

Mutations: bytes flipped, cut off, doubled, moved (of the file, and of members before they are packed again with right sums);
values of the JSON replaced by those of other kinds, huge, deep, endless; entries of arrays set to random and extreme values;
arrays cut, exchanged, of another type.
Workers are processes of their own: one that dies, hangs or takes too much memory is counted.
"""

import argparse
import copy
import functools
import io
import json
import logging
import multiprocessing
import os
import queue
import random
import sys
import time
import warnings
import zipfile
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

from app.engine import commands
from physics.core.check import shown_value

LONGEST = 10.0
"""Seconds of processor time for a case; of the wall clock sixty times as many, for a machine may be busy."""

MEMORY = 600_000_000
"""Bytes that a process may take that reads one file."""

TELL = 5000
"""Cases after which it is told how far it is."""

STEPS = 3
SCENES = {"pendulum": {}, "door": {}, "chain": {}, "pyramid": {"width": 3}}
"""Recordings are made of these, with these parameters, and of what a person does in the first."""

JUNK: tuple[Any, ...] = (
    None, True, False, -1, 0, 1, 2, 255, 10**6, 2**31, 2**63, 2**64, -(2**63), 10**400, 1e308, -1e308, 1e-308, "", "x",
    "x" * 10_000, "a0",
    [], {}, [[]], {"float": "nan"}, {"float": "inf"}, {"float": "-inf"}, {"array": "a0"}, {"array": "a3"}, {"array": "zz"},
    {"tuple": []}, {"list": [1, 2]}, {"set": [1]}, {"frozenset": [0, 99999]}, {"dict": []}, {"dict": [[1, 2]]}, {"bytes": "00"},
    {"record": "a0"}, {"driver": 0}, {"driver": -1}, {"class": "physics.world.world:World", "fields": {}},
    {"class": "physics.world.table:Table", "fields": {}}, {"class": "subprocess:Popen", "fields": {}},
    {"class": "physics.core.compile.cache:tempfile._TemporaryFileCloser", "fields": {"name": "x", "delete": True}},
    {"class": "physics.shapes.sphere:Sphere", "fields": {"radius": {"float": "nan"}}})

NUMBERS = (0.0, -0.0, 1.0, -1.0, 1e-300, 1e-9, 0.5, 1e3, 1e9, 1e300, -1e300, np.nan, np.inf, -np.inf)
WHOLE = (0, 1, -1, 2, 3, 5, 7, 63, 64, 100, 1000, 2**15, 2**30, 2**31 - 1, -(2**31))


# ---- what is mutated


_known: tuple[bytes, ...] = ()


def originals() -> tuple[bytes, ...]:
    """Recordings in which much happens; workers are given those of the process that started them."""
    global _known
    _known = _known or _made()
    return _known


def _made() -> tuple[bytes, ...]:
    import scenes
    from app.engine.simulation import Simulation
    from physics import Box, Hull, Motor, TriangleMesh

    made = []
    for name in SCENES:
        simulation = Simulation(name)
        for parameter, value in SCENES[name].items():
            commands.set_parameter(simulation, parameter, value)
        made.append(_recorded(simulation, 3))
    simulation = Simulation("pendulum")
    scenes.without_clock(simulation.world)
    commands.set_sleeping(simulation, "enabled", True)
    commands.set_sleeping(simulation, "delay", 0.0)
    commands.spawn(simulation, Hull([(0.1, 0, 0), (-0.1, 0, 0), (0, 0.1, 0), (0, 0, 0.1), (0, -0.1, -0.1)]), (2.0, 0.0, 1.0))
    square = TriangleMesh([(0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0.1)], [(0, 1, 2), (1, 3, 2)])
    commands.spawn(simulation, square, (3.0, 0.0, 0.0), kind="static")
    commands.spawn(simulation, Box((0.1, 0.1, 0.1)), (3.3, 0.3, 0.11), name="crate")
    for step in range(10):
        simulation.step()
        if step in (2, 5):
            simulation.history.store_keyframe(simulation.moment)
        if step == 3:
            crate = simulation.world.body("crate")
            commands.set_friction(simulation, 0.3, crate)
            commands.undo(simulation)
            commands.remove_body(simulation, crate)
            commands.undo(simulation)
            commands.join(simulation, "revolute", 0, crate, (3.3, 0.3, 0.2))
            commands.set_joint_motor(simulation, simulation.world.joint("revolute"), "angle", Motor(target=1.0))
            commands.throw(simulation, (0.0, 0.0, 3.0), (0.0, 0.0, -1.0))
            commands.set_pair(simulation, 0, 0, {"friction": 0.4})
    made.append(_packed(simulation))
    return tuple(made)


def _recorded(simulation: Any, count: int) -> bytes:
    import scenes

    scenes.without_clock(simulation.world)
    for _ in range(count):
        simulation.step()
        simulation.history.store_keyframe(simulation.moment)
    return _packed(simulation)


def _packed(simulation: Any) -> bytes:
    from app.engine.recording import file as recording

    return recording.pack(recording.extract(simulation.scene_name, simulation.parameters, simulation.world, simulation.history,
                                            0))


@functools.cache
def _parts(index: int) -> tuple[dict[str, Any], bytes, dict[str, np.ndarray], list[tuple]]:
    """(JSON, packed arrays, arrays, places in the JSON) of an original."""
    with zipfile.ZipFile(io.BytesIO(originals()[index])) as file:
        text, packed = json.loads(file.read("recording.json")), file.read("arrays.npz")
    with np.load(io.BytesIO(packed), allow_pickle=False) as arrays:
        return text, packed, {name: arrays[name] for name in arrays.files}, list(_places(text))


def _places(tree: Any, path: tuple = ()) -> Any:
    if path:
        yield path
    for key, inner in tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ():
        yield from _places(inner, (*path, key))


# ---- mutations


def mutated(number: int, seed: int) -> tuple[str, bytes]:
    """(what was done, the file) of a case."""
    draw = random.Random(f"{seed} {number}")
    index = draw.randrange(len(originals()))
    kind = draw.choices((_bytes, _members, _json, _arrays, _exchange), (10, 5, 40, 40, 5))[0]
    how, data = kind(index, draw)
    return f"{kind.__name__[1:]} of {index}: {how}", data


def _bytes(index: int, draw: random.Random) -> tuple[str, bytes]:
    return spoilt(originals()[index], draw)


def _members(index: int, draw: random.Random) -> tuple[str, bytes]:
    """A member, packed again with right sums."""
    text, packed, _, _ = _parts(index)
    json_text = json.dumps(text).encode()
    if draw.random() < 0.5:
        how, json_text = spoilt(json_text, draw)
    else:
        how, packed = spoilt(packed, draw)
    return how, _zipped(json_text, packed, draw.random() < 0.2)


def spoilt(data: bytes, draw: random.Random) -> tuple[str, bytes]:
    """(what was done, the bytes): some flipped, cut off, doubled or moved."""
    kind, at = draw.randrange(4), draw.randrange(len(data))
    if kind == 0:
        spoilt = bytearray(data)
        for _ in range(draw.choice((1, 1, 2, 8))):
            spoilt[draw.randrange(len(data))] ^= 1 << draw.randrange(8)
        return "flipped", bytes(spoilt)
    if kind == 1:
        return "cut", data[:at]
    end = min(len(data), at + draw.choice((1, 4, 30, 1000)))
    if kind == 2:
        return "doubled", data[:end] + data[at:]
    rest = data[:at] + data[end:]
    to = draw.randrange(len(rest) + 1)
    return "moved", rest[:to] + data[at:end] + rest[to:]


def _json(index: int, draw: random.Random) -> tuple[str, bytes]:
    text, packed, _, places = _parts(index)
    text, told = copy.deepcopy(text), []
    for _ in range(draw.choice((1, 1, 1, 2))):
        path = draw.choice(places)
        try:
            inside = functools.reduce(lambda tree, key: tree[key], path[:-1], text)
            if draw.random() < 0.1:
                value = "removed"
                del inside[path[-1]]
            else:
                value = inside[path[-1]] = _junk(inside[path[-1]], draw)
        except (LookupError, TypeError):        # an earlier change took it away
            continue
        told.append(f"{path} = {shown_value(value)}")
    return "; ".join(told), _zipped(json.dumps(text).encode(), packed)


def _junk(old: Any, draw: random.Random) -> Any:
    chance = draw.random()
    if chance < 0.3 and isinstance(old, int | float) and not isinstance(old, bool):
        return draw.choice((old + 1, old - 1, -old, 2 * old, old * 1e6, float(old), 10**9, 0))
    if chance < 0.35:
        deep: Any = 0
        for _ in range(draw.choice((10, 70, 300))):
            deep = {"tuple": [deep]}
        return deep
    if chance < 0.4 and isinstance(old, str):
        return draw.choice((old + "x", old[:-1], old.upper(), "set_pose", "load", "_do", "stiction"))
    return copy.deepcopy(draw.choice(JUNK))


def _arrays(index: int, draw: random.Random) -> tuple[str, bytes]:
    text, _, arrays, _ = _parts(index)
    text, arrays, told = copy.deepcopy(text), dict(arrays), []
    for _ in range(draw.choice((1, 1, 2))):
        name = draw.choice([name for name, array in arrays.items() if array.size])
        array = arrays[name] = arrays[name].copy()
        field = draw.choice(array.dtype.names) if array.dtype.names else None
        flat = (array if field is None else array[field]).reshape(-1)
        values = NUMBERS if flat.dtype.kind == "f" else WHOLE
        for _ in range(draw.choice((1, 1, 3, flat.size))):
            at, info = draw.randrange(flat.size), flat.dtype
            value = draw.choice(values) if draw.random() < 0.7 else draw.gauss(0.0, 10.0 ** draw.randrange(-3, 6))
            if info.kind in "iu":
                limits = np.iinfo(info)
                value = max(limits.min, min(limits.max, int(value)))
            flat[at] = value
        if field is not None:
            array[field] = flat.reshape(array[field].shape)
        told.append(f"{name}.{field} [{at}] = {value}")
    if draw.random() < 0.7:
        _sum_again(text, arrays)
    return "; ".join(told), _zipped(json.dumps(text).encode(), _npz(arrays))


def _sum_again(text: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
    """Checks of the whole states that fit what is in the arrays: a forger does that, too."""
    from app.engine.recording.codec import to_stored
    from app.engine.timeline.history import checksum

    for moment in text["moments"]:
        table = moment["snapshot"]["fields"]["tables"]["tuple"][0]["fields"]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            moment["check"] = checksum(to_stored(arrays[table["_room"]["array"]])[: table["_count"]]).whole


def _exchange(index: int, draw: random.Random) -> tuple[str, bytes]:
    """Arrays under other names, of other lengths and types."""
    text, _, arrays, _ = _parts(index)
    arrays = dict(arrays)
    one, other = draw.choice(list(arrays)), draw.choice(list(arrays))
    kind = draw.randrange(5)
    if kind == 0:
        arrays[one], arrays[other] = arrays[other], arrays[one]
    elif kind == 1:
        arrays[one] = arrays[one][: draw.randrange(len(arrays[one]) + 1)]
    elif kind == 2:
        arrays[one] = np.concatenate([arrays[one], arrays[one]])
    elif kind == 3:
        arrays[one] = np.zeros(draw.choice((0, 1, 10, 10_000_000)), draw.choice(("f8", "i4", ">f8", "S9", "c16", "u1")))
    else:
        del arrays[one]
    return f"{kind} of {one} and {other}", _zipped(json.dumps(text).encode(), _npz(arrays))


def _npz(arrays: dict[str, np.ndarray]) -> bytes:
    out = io.BytesIO()
    np.savez_compressed(out, allow_pickle=False, **arrays)
    return out.getvalue()


def _zipped(json_text: bytes, packed: bytes, reported: bool = False) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("recording.json", json_text)
        file.writestr("arrays.npz", packed, zipfile.ZIP_STORED)
    if not reported:
        return out.getvalue()
    report = io.BytesIO()
    with zipfile.ZipFile(report, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("recording.stiction", out.getvalue())
    return report.getvalue()


# ---- trying


def outcome(data: bytes, path: Path) -> str:
    """What comes of opening a file and three steps of each kind: "refused", "accepted", or what must not be, in words."""
    from app.engine.simulation import Simulation
    from physics import BadInput

    path.write_bytes(data)
    simulation = Simulation()
    try:
        commands.open_recording(simulation, path)
    except BadInput as refused:
        return "refused" if "\n" not in str(refused) and str(path) in str(refused) else f"words: {refused}"
    except BaseException as error:  # noqa: BLE001  (that is what is looked for)
        return f"raised {type(error).__name__}: {error}"
    try:
        for _ in range(STEPS):      # the recorded steps, and what was done between them
            if not simulation.player.recompute_next():
                break
        _finite(simulation)
        for moment in simulation.history.moments[:: max(1, len(simulation.history.moments) // 2)]:
            simulation.timeline.restore(moment)
            for _ in range(STEPS):      # and the steps that physics makes of a whole state
                if not simulation.compute_step():
                    break
            _finite(simulation)
    except BaseException as error:  # noqa: BLE001
        return f"accepted, and then {type(error).__name__}: {error}"
    return "accepted"


def peak() -> int:
    """Most memory that this process has taken [bytes]; 0 where nobody tells."""
    status = Path("/proc/self/status")      # what getrusage tells begins with what the process was started from
    if status.exists():
        return 1024 * int(status.read_text().split("VmHWM:")[1].split()[0])
    if sys.platform != "darwin":
        return 0
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def _finite(simulation: Any) -> None:
    bodies = simulation.world.bodies
    if not all(np.isfinite(bodies[name]).all() for name in ("pos", "quat", "vel", "omega")):
        raise ArithmeticError("a body is nowhere")


def work(numbers: Any, results: Any, seed: int, folder: str, data: tuple[bytes, ...]) -> None:
    """A worker: cases from one queue, what came out into the other."""
    logging.disable(logging.CRITICAL)
    global _known
    _known = data
    path = Path(folder) / f"{os.getpid()}.stiction"
    warnings.simplefilter("ignore")
    while (number := numbers.get()) is not None:
        results.put((os.getpid(), number, "begins", ""))
        how, mutant = mutated(number, seed)
        begin = time.process_time()
        came = outcome(mutant, path)
        spent, used = time.process_time() - begin, peak()
        if used > MEMORY:
            came = f"took {used / 1e6:.0f} MB"
        elif spent > LONGEST:
            came = f"took {spent:.0f} s"
        results.put((os.getpid(), number, came, how))
    path.unlink(missing_ok=True)


def tried(count: int, seed: int, workers: int, folder: Path, first: int = 0) -> tuple[Counter, list[tuple[int, str, str]], float]:
    """(how many of which outcome, those that must not be (number, how, what), cases a second)."""
    context, begin = multiprocessing.get_context("spawn"), time.monotonic()
    data = originals()
    counts: Counter = Counter()
    bad: list[tuple[int, str, str]] = []
    waiting = iter(range(first, first + count))
    crew = [_Worker(context, seed, folder, data) for _ in range(workers)]
    for one in crew:
        one.submit(next(waiting, None))
    while any(one.number is not None for one in crew):
        for k, one in enumerate(crew):
            if one.number is None:
                continue
            came = one.answer()
            if came is None:
                continue
            what, how = came
            kind = what if what in ("refused", "accepted") else what.split(":")[0]
            counts[kind] += 1
            if counts.total() % TELL == 0:
                print(f"{counts.total()} of {count}: " + ", ".join(f"{n} {what}" for what, n in counts.most_common()),
                      file=sys.stderr, flush=True)
            if kind != what or kind not in ("refused", "accepted"):
                bad.append((one.number, how, what))
            if one.gone:
                crew[k] = one = _Worker(context, seed, folder, data)
            one.submit(next(waiting, None))
        time.sleep(0.001)
    for one in crew:
        one.end()
    return counts, bad, count / (time.monotonic() - begin)


class _Worker:
    """A process, and the case that it is at."""

    def __init__(self, context: Any, seed: int, folder: Path, data: tuple[bytes, ...]) -> None:
        self._numbers, self._results = context.Queue(), context.Queue()
        self._process = context.Process(target=work, args=(self._numbers, self._results, seed, str(folder), data), daemon=True)
        self._process.start()
        self.number: int | None = None
        self.gone = False
        self._began = 0.0       # 0: it has not begun: it is starting

    def submit(self, number: int | None) -> None:
        self.number, self._began = number, 0.0
        self._numbers.put(number)

    def answer(self) -> tuple[str, str] | None:
        """(what came out, how it was made) once that is known; after a crash or a hang the worker is gone."""
        try:
            _, number, came, how = self._results.get(timeout=0.01)
        except queue.Empty:
            if not self._process.is_alive():
                self.gone = True
                return f"crashed with exit code {self._process.exitcode}", ""
            if self._began and time.monotonic() - self._began > 60.0 * LONGEST:
                self._process.kill()
                self.gone = True
                return f"hung for more than {60.0 * LONGEST:g} s", ""
            return None
        if came == "begins":
            self._began = time.monotonic()
            return None
        self.gone = came.startswith("took")
        if self.gone:
            self._process.kill()
        return (came, how) if number == self.number else None

    def end(self) -> None:
        self._process.join(5.0)
        if self._process.is_alive():
            self._process.kill()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0, help="number of the first case")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=max(1, (os.cpu_count() or 2) // 2))
    parser.add_argument("--keep", type=Path, default=Path("build/mutations"), help="where cases that must not be are kept")
    parser.add_argument("--only", type=int, help="try this case alone, in this process")
    args = parser.parse_args()
    args.keep.mkdir(parents=True, exist_ok=True)
    if args.only is not None:
        how, data = mutated(args.only, args.seed)
        print(how)
        print(outcome(data, args.keep / f"{args.seed}-{args.only}.stiction"))
        return 0
    counts, bad, rate = tried(args.count, args.seed, args.workers, args.keep, args.first)
    for number, how, what in bad:
        data = mutated(number, args.seed)
        (args.keep / f"{args.seed}-{number}.stiction").write_bytes(data[1])
        print(f"case {number}: {how or data[0]}\n    {what}")
    print(f"{args.count} cases, {rate:.0f} a second: " + ", ".join(f"{n} {what}" for what, n in counts.most_common()))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
