"""Undo and redo of what a person does to a simulation; what `Simulation` inherits.

Undoing takes an EDIT back, never time: the friction that was set is again what it was, while the simulation runs on. What was
deleted comes back as it was when it was deleted, what was moved by hand goes to where it was, what was thrown or added goes away.
Only what builds the scene anew (a reset, a parameter of the scene, going back to a kept moment) is undone by bringing back all
that was there, its time included: there is nothing else it could mean.

What a control sends while it is held is one edit (`touch`). Pulling with the mouse is motion and no edit. The list belongs to the
moment: going back in the past (history.py) shows the edits done until then, and undoing there is a deed like any other, so it
is made again when steps are. Loading a scene begins a new list.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import Field, dataclass, replace
from typing import Any

from app.engine import edits
from app.engine.history import TAPED, Moment
from app.engine.rewinding import Rewinding, changes
from app.engine.words import plain
from physics import BadInput, validity

MOST = 200
"""Edits that can be undone at most."""

BYTES = 64_000_000
"""What they may take; the oldest go first."""

NO_EDITS = frozenset(("drag_begin", "drag_move", "drag_end", "undo_edit", "redo_edit"))
"""Deeds that are motion, or the way about in the list itself."""


@dataclass(frozen=True)
class Whole:
    """All of a simulation, where the scene was built anew."""

    moment: Moment
    parameters: Any
    own_gravity: tuple[float, ...]

    @property
    def size(self) -> int:
        """Bytes."""
        return self.moment.size


@dataclass(frozen=True)
class Edit:
    """One line of the list. text: in words; time: of the world at its end [s]; those of one command and gesture are merged."""

    text: str
    time: float
    command: str
    gesture: int
    change: edits.Change | Whole


@dataclass(frozen=True)
class Edits:
    """What can be undone, oldest first, and what can be done again, the next one last."""

    done: tuple[Edit, ...] = ()
    undone: tuple[Edit, ...] = ()

    def with_new(self, edit: Edit) -> "Edits":
        """This one at the end; what was undone is forgotten, and so are the oldest where there are too many."""
        done = (*self.done, edit)[-MOST:]
        total = 0
        for kept, one in enumerate(reversed(done)):
            total += one.change.size
            if total > BYTES and kept:
                return Edits(done[len(done) - kept:])
        return Edits(done)


class Undoing(Rewinding):
    """Notes every edit and takes it back. edits: the list at the moment that is shown."""

    def __init__(self) -> None:
        super().__init__()
        self.edits = Edits()
        self._within = False    # something that is one edit as a whole is going on

    # ---- commands

    def undo(self, count: int = 1) -> None:
        """Take back the newest edits.

        Raises:
            BadInput: there is none.
        """
        self._go(count, back=True)

    def redo(self, count: int = 1) -> None:
        """Do again what was undone last; raises as `undo`."""
        self._go(count, back=False)

    @changes
    def undo_edit(self, edit: Edit) -> None:
        """Take back the newest edit, which is this one; use `undo`. A recording has no list: there it is only taken back."""
        good, (done, undone) = self._apply(edit, back=True), (self.edits.done, self.edits.undone)
        if self.gesture != TAPED:
            self.edits = Edits(done[:-1], (*undone, done[-1]) if good else undone)

    @changes
    def redo_edit(self, edit: Edit) -> None:
        """Do the edit again that was undone last, which is this one; use `redo`."""
        good, (done, undone) = self._apply(edit, back=False), (self.edits.done, self.edits.undone)
        if self.gesture != TAPED:
            self.edits = Edits((*done, undone[-1]) if good else done, undone[:-1])

    # ---- inside

    def _go(self, count: int, back: bool) -> None:
        for _ in range(int(count)):
            self.settle()
            waiting = self.edits.done if back else self.edits.undone
            if not waiting:
                raise BadInput(f"there is nothing to {'undo' if back else 'redo'}")
            if isinstance(waiting[-1].change, Whole):
                self._exchange(back)
            elif back:
                self.undo_edit(waiting[-1])
            else:
                self.redo_edit(waiting[-1])

    def _apply(self, edit: Edit, back: bool) -> bool:
        """Whether it could be done; else it is told why, and the edit is forgotten."""
        self.drag_end()
        before = self.world.snapshot() if self.gesture == TAPED else None
        try:
            edits.apply(self, edit.change, back)
            if before is not None:      # records of somebody else's
                validity.check(self.world.snapshot(), before)
        except (BadInput, AttributeError, LookupError, TypeError, ValueError) as error:
            if before is None and not isinstance(error, BadInput):
                raise
            if before is not None:
                self.world.restore(before)
            self.warn(f"{edit.text}: {error}")
            return False
        return True

    def _as_edit(self, method: Callable, args: tuple, kwargs: dict[str, Any]) -> Any:
        name = method.__name__
        if name in NO_EDITS or self._within or self.gesture == TAPED:
            return method(self, *args, **kwargs)
        before = edits.state_of(self)
        result = method(self, *args, **kwargs)
        after = edits.state_of(self)
        self._note_edit(name, edits.difference(before, after), before, after)
        return result

    def _note_edit(self, name: str, change: edits.Change, before: edits.State, after: edits.State) -> None:
        last = self.edits.done[-1] if self.edits.done else None
        same = last is not None and self.gesture > 0 and (last.command, last.gesture) == (name, self.gesture)
        if same and isinstance(last.change, edits.Change) and not _structural(last.change) and not _structural(change):
            change = edits.merged(last.change, change)
            self.edits = Edits(self.edits.done[:-1]).with_new(replace(last, change=change, text=change.text(before, after)))
        elif change:
            self.edits = self.edits.with_new(Edit(change.text(before, after), self.world.time, name, self.gesture, change))

    # ---- what builds the scene anew

    @contextmanager
    def _whole_edit(self, command: str, text: Callable[[Whole], str]) -> Iterator[None]:
        """What is done within is one edit, and undone by bringing back all. text: in words, from what was before."""
        if self._within:
            yield
            return
        self.settle()
        self.drag_end()
        before, known, self._within = self._whole(), self.edits, True
        try:
            yield
        finally:
            self._within = False
        last = known.done[-1] if known.done else None
        if last is not None and self.gesture > 0 and (last.command, last.gesture) == (command, self.gesture):
            known, before = Edits(known.done[:-1]), last.change
        self.edits = known.with_new(Edit(text(before), before.moment.snapshot.time, command, self.gesture, before))
        self.history.keep(self._moment)

    def _exchange(self, back: bool) -> None:
        """Bring back all that an edit replaced; what is there now waits to be brought back in turn."""
        done, undone = self.edits.done, self.edits.undone
        edit = (done if back else undone)[-1]
        present, wanted = replace(edit, change=self._whole()), edit.change
        self.drag_end()
        self.world.restore(wanted.moment.snapshot)
        for name, value in wanted.moment.settings.items():
            if name != "edits":
                setattr(self, name, dict(value) if isinstance(value, dict) else value)
        self.parameters, self.own_gravity = wanted.parameters, wanted.own_gravity
        self.edits = Edits(done[:-1], (*undone, present)) if back else Edits((*done, present), undone[:-1])
        self.traces.clear()
        self.traces.record(self.world)
        self._begin_history()

    def _whole(self) -> Whole:
        return Whole(self._moment(0), self.parameters, self.own_gravity)


def _structural(change: edits.Change) -> bool:
    return bool(change.names or any(change.came.values()) or any(change.went.values()))


def parameter_edit(field: Field, now: Any, before: Whole) -> str:
    """The change of a scene's parameter, in words."""
    values = [getattr(parameters, field.name) for parameters in (before.parameters, now)]
    unit = f" {field.metadata['unit']}" if field.metadata["unit"] else ""
    return f"{field.name.replace('_', ' ')} of the scene: {' -> '.join(map(plain, values))}{unit}"
