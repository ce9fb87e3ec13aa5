"""The tree of subsystems of a frame's mechanism as a picture: cells side by side, children below their parents."""

from dataclasses import dataclass

from app.engine.frame import Frame
from physics.articulated.subsystems.partition import Groups, Subsystem, divide
from physics.core.records import Kind
from physics.solvers.subsystems import SOLVER, Options


@dataclass(frozen=True)
class Cell:
    """One subsystem. left, right: share of the picture's width, 0 .. 1; depth: its row from the top, 0 for the root.

    bodies, joints: those inside, and those that it eliminates. outer: bodies that joints connect to others.
    """

    left: float
    right: float
    depth: int
    bodies: tuple[int, ...]
    joints: tuple[int, ...]
    outer: tuple[int, ...]


def division(frame: Frame) -> tuple[bool, Groups | None, int]:
    """(whether the frame's solver is the subsystem method, its groups by hand, most bodies of its smallest subsystems)."""
    solver = frame.solver_state
    return (True, solver.groups, solver.options.bodies) if isinstance(solver, SOLVER) else (False, None, Options().bodies)


def cells(frame: Frame) -> list[Cell]:
    """Cells of all subsystems, parents first."""
    _, groups, most = division(frame)
    moves = frame.bodies["kind"] == Kind.DYNAMIC
    if not moves.any():
        return []
    out: list[Cell] = []

    def place(one: Subsystem, left: float, width: float) -> None:
        out.append(Cell(left, left + width * len(one.bodies), one.depth, one.bodies, one.joints, one.outer))
        for child in one.children:
            place(child, left, width)
            left += width * len(child.bodies)
    place(divide(frame.joints, moves, frame.body_names, groups, most), 0.0, 1.0 / int(moves.sum()))
    return out
