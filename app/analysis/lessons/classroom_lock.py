"""Classroom lock of the window: what stays accessible, and the code that unlocks it. No window."""

import hmac
from dataclasses import dataclass

from scenes.lessons import Lesson

UNLOCKED_PANELS = {"transport", "status", "lesson", "exercises", "plot", "lock", "locked"}
"""Panels that stay visible, by their files."""

ACTIONS = {"run", "step", "step_back", "reset", "slower", "faster", "frame", "larger", "smaller", "own_size", "present", "lock",
           "quit"}
"""Actions whose keys stay active, by the names of app/gui/commands/actions.py."""

MAX_CODE_LENGTH = 32
"""Largest length of a code, in characters."""


@dataclass
class Lock:
    """on: locked; code: unlocks the window, "" if none is needed."""

    on: bool = False
    code: str = ""

    def close(self, code: str = "") -> None:
        """Lock the window. A code longer than LONGEST is truncated, as in the input field."""
        self.on, self.code = True, code[:MAX_CODE_LENGTH]

    def open(self, code: str) -> bool:
        """Unlock the window if the code is right; return whether it was."""
        if not hmac.compare_digest(code.encode(), self.code.encode()):
            return False
        self.on, self.code = False, ""
        return True

    def allows_action(self, name: str) -> bool:
        return not self.on or name in ACTIONS

    def allows_panel(self, name: str, lesson: Lesson | None) -> bool:
        """Whether a panel is shown: those of the class, and those that a step of the lesson opens."""
        if not self.on or name in UNLOCKED_PANELS:
            return True
        return lesson is not None and any(s.action and s.action.kind == "panel" and s.action.name == name for s in lesson.steps)

    def hidden_parameters(self, names: tuple[str, ...], lesson: Lesson | None) -> tuple[str, ...]:
        """Scene parameters that the lesson does not list."""
        if not self.on or lesson is None or lesson.allowed is None:
            return ()
        return tuple(name for name in names if name not in lesson.allowed)
