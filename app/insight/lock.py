"""A window that is locked for a class: what is left within reach, and the code that opens it. No window."""

import hmac
from dataclasses import dataclass

from scenes.lessons import Lesson

PANELS = {"transport", "status", "lesson", "exercises", "plot", "lock", "locked"}
"""What stays in sight, by the panels' files."""

ACTIONS = {"run", "step", "step_back", "reset", "slower", "faster", "frame", "larger", "smaller", "own_size", "lock", "quit"}
"""Whose keys live on, by the names of app/gui/actions.py."""

REQUESTS = {"do", "larger", "smaller", "own size", "quit"}
"""What else may be asked of the window; panels are looked up."""

LONGEST = 32
"""Of a code, letters."""


@dataclass
class Lock:
    """on: locked; code: what opens it, "" if anybody may."""

    on: bool = False
    code: str = ""

    def close(self, code: str = "") -> None:
        """Lock the window. A code longer than LONGEST is cut there, as the field does."""
        self.on, self.code = True, code[:LONGEST]

    def open(self, code: str) -> bool:
        """Whether this was the code; if so all is as before."""
        if not hmac.compare_digest(code.encode(), self.code.encode()):
            return False
        self.on, self.code = False, ""
        return True

    def allows_action(self, name: str) -> bool:
        return not self.on or name in ACTIONS

    def allows_panel(self, name: str, lesson: Lesson | None) -> bool:
        """Those of the class, and those that a step of the lesson opens."""
        if not self.on or name in PANELS:
            return True
        return lesson is not None and any(s.action and s.action.kind == "panel" and s.action.name == name for s in lesson.steps)

    def allows_request(self, what: str, name: str, lesson: Lesson | None) -> bool:
        """Of Session.request, split at its colon."""
        if not self.on:
            return True
        if what in ("panel", "open", "show"):
            return self.allows_panel(name, lesson)
        return what in REQUESTS and (what != "do" or name in ACTIONS)

    def hidden_parameters(self, names: tuple[str, ...], lesson: Lesson | None) -> tuple[str, ...]:
        """Those of the scene's parameters that the lesson does not list."""
        if not self.on or lesson is None or lesson.allowed is None:
            return ()
        return tuple(name for name in names if name not in lesson.allowed)
