"""Commands of the timeline: undo and redo, steps back, seeking, playback, loops."""

from app.engine.command import command, undoable
from app.engine.simulation import Simulation
from app.engine.timeline.history import FROM_RECORDING
from app.engine.undo.edit_list import Edit, EditList, WholeStateEdit
from app.i18n.message import message
from physics import BadInput


@command
def undo(simulation: Simulation, count: int = 1) -> None:
    """Undo the newest edits.

    Raises:
        BadInput: there is none.
    """
    _undo_or_redo(simulation, count, back=True)


@command
def redo(simulation: Simulation, count: int = 1) -> None:
    """Redo the edits undone last; raises as `undo`."""
    _undo_or_redo(simulation, count, back=False)


@undoable
def undo_edit(simulation: Simulation, edit: Edit) -> None:
    """Undo this edit, the newest of the list; called by `undo`. A recording has no edit list: there the edit is only reverted."""
    done, undone = simulation.edits.done, simulation.edits.undone
    good = simulation.undo.apply(edit, back=True)
    if simulation.timeline.gesture != FROM_RECORDING:
        simulation.edits = EditList(done[:-1], (*undone, done[-1]) if good else undone)


@undoable
def redo_edit(simulation: Simulation, edit: Edit) -> None:
    """Redo this edit, the one undone last; called by `redo`."""
    done, undone = simulation.edits.done, simulation.edits.undone
    good = simulation.undo.apply(edit, back=False)
    if simulation.timeline.gesture != FROM_RECORDING:
        simulation.edits = EditList((*done, undone[-1]) if good else done, undone[:-1])


def _undo_or_redo(simulation: Simulation, count: int, back: bool) -> None:
    for _ in range(int(count)):
        simulation.timeline.go_to_goal()
        waiting = simulation.edits.done if back else simulation.edits.undone
        if not waiting:
            raise BadInput(message("nothing to {back}", back="undo" if back else "redo"))
        if isinstance(waiting[-1].change, WholeStateEdit):
            simulation.undo.swap_state(back)
        else:
            (undo_edit if back else redo_edit)(simulation, waiting[-1])


@command
def set_gesture(simulation: Simulation, gesture: int) -> None:
    """Set the number of the gesture from now on, while a control is held, 0: none; its equal commands are one edit."""
    simulation.timeline.gesture = int(gesture)


@command
def step_back(simulation: Simulation, count: int = 1) -> None:
    """Pause and go back by `count` steps."""
    go_to_step(simulation, simulation.timeline.place - int(count))


@command
def go_to_step(simulation: Simulation, step: int) -> None:
    """Pause and go to a recorded step; a step outside the history is clamped to its ends."""
    simulation.paused = True
    simulation.timeline.seek(int(step))


@command
def go_to_time(simulation: Simulation, now: float) -> None:
    """Pause and go to the step nearest to a time [s]."""
    go_to_step(simulation, simulation.history.at(now))


@command
def replay(simulation: Simulation) -> None:
    """Play the recorded steps ahead, or all of them, in real time; discards nothing. Called again: pause."""
    player = simulation.player
    if player.playing and not simulation.paused and not player.backwards:
        player.end()
        return
    simulation.timeline.go_to_goal()
    player.play()


@command
def play_back(simulation: Simulation) -> None:
    """Play backwards in real time, to the oldest step or through the loop. Called again: pause."""
    if simulation.player.is_reversed:
        simulation.player.end()
        return
    simulation.timeline.go_to_goal()
    simulation.player.play_backwards()


@command
def set_loop(simulation: Simulation, begin: float, end: float) -> None:
    """Loop playback between two times [s]; no loop if there is no step between them."""
    simulation.player.set_loop(begin, end)


@command
def set_time_share(simulation: Simulation, share: float) -> None:
    """Set the share of a step's real time that a solver without a budget of its own may use; 0: no limit."""
    simulation.budget.set_time_share(share)
