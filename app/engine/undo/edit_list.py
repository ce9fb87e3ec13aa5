"""Undo and redo of edits; the edit list of the step shown.

Undo reverts an EDIT, never time: the friction is again what it was, while the simulation runs on. What was deleted returns as it
was when deleted, what was moved by hand goes to where it was, what was thrown or added is removed. Only an edit that rebuilds
the scene (a reset, a parameter of the scene, another scene, return to a bookmark) is undone by restoring the whole previous
state, its time included.

The commands that a control sends while held are one edit (`set_gesture`). Dragging with the mouse is motion and no edit. The list
belongs to the step: going back in the history (history.py) shows the edits made until then, and undo there is a recorded command,
which is repeated when steps are recomputed.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import Field, dataclass, replace
from typing import TYPE_CHECKING, Any

from app.engine.mouse_spring import drag_end
from app.engine.timeline.history import FROM_RECORDING, Keyframe
from app.engine.undo import difference
from app.engine.undo.describe_edit import plain_name
from app.i18n.message import message
from physics import BadInput
from physics.world import validate

if TYPE_CHECKING:
    from app.engine.simulation import Simulation

MAX_UNDO_STEPS = 200
"""Largest number of edits that can be undone."""

MAX_UNDO_BYTES = 64_000_000
"""Largest memory of the edits [bytes]; the oldest are dropped first."""

MAX_WHOLE_STATES = 50
"""Largest number of edits that keep a whole simulation. Their objects take as much again as their tables, which are counted."""

NO_EDITS = frozenset(("drag_begin", "drag_move", "drag_end", "set_input", "undo_edit", "redo_edit"))
"""Commands that are motion, or navigate the list itself."""


@dataclass(frozen=True)
class WholeStateEdit:
    """A whole simulation, before its scene was rebuilt. loaded: the scene, by `Simulation.loaded`."""

    moment: Keyframe
    parameters: Any
    own_gravity: tuple[float, ...]
    loaded: Any

    @property
    def size(self) -> int:
        """Memory used [bytes]."""
        return self.moment.size


@dataclass(frozen=True)
class Edit:
    """A line of the list. text: description; time: of the world at its end [s]; edits of one command and gesture are merged."""

    text: str
    time: float
    command: str
    gesture: int
    change: difference.EditDifference | WholeStateEdit


@dataclass(frozen=True)
class EditList:
    """Edits that can be undone, the oldest first, and edits that can be redone, the next one last."""

    done: tuple[Edit, ...] = ()
    undone: tuple[Edit, ...] = ()

    def with_new(self, edit: Edit) -> "EditList":
        """Append an edit; those undone are discarded, and the oldest beyond the limits."""
        done = (*self.done, edit)[-MAX_UNDO_STEPS:]
        total = whole = 0
        for kept, one in enumerate(reversed(done)):
            total += one.change.size
            whole += isinstance(one.change, WholeStateEdit)
            if (total > MAX_UNDO_BYTES and kept) or whole > MAX_WHOLE_STATES:
                return EditList(done[len(done) - kept:])
        return EditList(done)


class UndoList:
    """Appends edits to `simulation.edits`, undoes and redoes them."""

    def __init__(self, simulation: "Simulation") -> None:
        self.simulation = simulation
        self._within = False    # inside an edit made of several commands

    def apply(self, edit: Edit, back: bool) -> bool:
        """Apply or revert an edit. Returns False if it is impossible: the reason is reported and the caller drops the edit."""
        simulation = self.simulation
        drag_end(simulation)
        before = simulation.world.snapshot() if simulation.timeline.gesture == FROM_RECORDING else None
        try:
            difference.apply(simulation, edit.change, back)
            if before is not None:      # an edit from a recording is validated
                validate.check(simulation.world.snapshot(), before)
        except (BadInput, AttributeError, LookupError, TypeError, ValueError) as error:
            if before is None and not isinstance(error, BadInput):
                raise
            if before is not None:
                simulation.world.restore(before)
            simulation.warn(f"{edit.text}: {error}")
            return False
        return True

    def run(self, function: Callable, args: tuple, kwargs: dict[str, Any]) -> Any:
        """Run a command and append its changes to the list."""
        simulation, name = self.simulation, function.__name__
        if name in NO_EDITS or self._within or simulation.timeline.gesture == FROM_RECORDING:
            return function(simulation, *args, **kwargs)
        before = difference.state_of(simulation)
        result = function(simulation, *args, **kwargs)
        self._list_edit(name, before, difference.state_of(simulation))
        return result

    def _list_edit(self, name: str, before: difference.AuthoredState, after: difference.AuthoredState) -> None:
        simulation, gesture, change = self.simulation, self.simulation.timeline.gesture, difference.difference(before, after)
        done = simulation.edits.done
        last = self._of_this_gesture(name, done)
        if last is not None and _is_of_fields(last.change) and _is_of_fields(change):
            change = difference.merge(last.change, change)
            simulation.edits = EditList(done[:-1]).with_new(replace(last, change=change, text=change.text(before, after)))
        elif change:
            text = change.text(before, after)
            simulation.edits = simulation.edits.with_new(Edit(text, simulation.world.time, name, gesture, change))

    def _of_this_gesture(self, name: str, done: tuple[Edit, ...]) -> Edit | None:
        """Return the newest edit if the same control made it by the same command, without a release in between."""
        gesture = self.simulation.timeline.gesture
        return done[-1] if done and gesture > 0 and (done[-1].command, done[-1].gesture) == (name, gesture) else None

    # ---- edits that rebuild the scene

    @contextmanager
    def whole_edit(self, name: str, text: Callable[[WholeStateEdit], str]) -> Iterator[None]:
        """Combine the commands of the block into one edit, undone by restoring the whole state before it. text: describes it,
        given that state."""
        simulation = self.simulation
        if self._within:
            yield
            return
        simulation.timeline.go_to_goal()
        drag_end(simulation)
        before, known, self._within = self._whole(), simulation.edits, True
        try:
            yield
        finally:
            self._within = False
        if (last := self._of_this_gesture(name, known.done)) is not None:
            known, before = EditList(known.done[:-1]), last.change
        at, gesture = before.moment.snapshot.time, simulation.timeline.gesture
        simulation.edits = known.with_new(Edit(text(before), at, name, gesture, before))
        simulation.history.store_keyframe(simulation.moment)

    def swap_state(self, back: bool) -> None:
        """Exchange the present and the state that an edit replaced."""
        simulation = self.simulation
        done, undone = simulation.edits.done, simulation.edits.undone
        edit = (done if back else undone)[-1]
        present, wanted = replace(edit, change=self._whole()), edit.change
        drag_end(simulation)
        simulation.world.restore(wanted.moment.snapshot)
        simulation.restore_settings(wanted.moment.settings)
        simulation.parameters, simulation.own_gravity = wanted.parameters, wanted.own_gravity
        simulation.return_to(wanted.loaded)
        simulation.edits = EditList(done[:-1], (*undone, present)) if back else EditList((*done, present), undone[:-1])
        simulation.traces.clear()
        simulation.traces.record(simulation.world)
        simulation.timeline.begin()

    def _whole(self) -> WholeStateEdit:
        simulation, moment = self.simulation, self.simulation.moment(0)
        del moment.settings["edits"]        # which hold former states: no edit would ever be freed
        return WholeStateEdit(moment, simulation.parameters, simulation.own_gravity, simulation.loaded())


def _is_of_fields(change: difference.EditDifference | WholeStateEdit) -> bool:
    """Return whether only numbers changed: such edits of one gesture are merged."""
    return isinstance(change, difference.EditDifference) and not (
        change.names or any(change.added.values()) or any(change.removed.values()))


def parameter_edit(field: Field, now: Any, before: WholeStateEdit) -> str:
    """Describe the change of a scene's parameter."""
    values = [getattr(parameters, field.name) for parameters in (before.parameters, now)]
    unit = f" {field.metadata['unit']}" if field.metadata["unit"] else ""
    return message("{field} of the scene: {values}{unit}", field=field.name.replace("_", " "),
                   values=" -> ".join(map(plain_name, values)), unit=unit)
