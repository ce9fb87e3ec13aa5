"""One command done to several things at once, as one edit; what `Simulation` inherits."""

from collections.abc import Sequence
from typing import Any

from app.engine import edits
from app.engine.pairing import Pairing
from app.engine.rewinding import changes
from physics import BadInput

COMMANDS = frozenset((
    "set_pose", "set_velocity", "duplicate", "resize", "set_kind", "set_material", "set_filter", "set_sensor", "set_friction",
    "set_restitution", "set_mass", "stretch", "remove_body"))
"""Those that can be done to several bodies."""


class Together(Pairing):
    """What a person does to all that is selected."""

    @changes
    def together(self, command: str, calls: Sequence[Sequence[Any]], **same: Any) -> None:
        """Do a command once for each list of arguments. same: arguments by name, of all calls.

        Raises:
            BadInput: no command of COMMANDS, or one of the calls was refused. Then none of them has been done.
        """
        if command not in COMMANDS:
            raise BadInput(f"'{command}' cannot be done to several bodies at once; possible: {', '.join(sorted(COMMANDS))}")
        before = edits.state_of(self)
        try:
            for call in calls:
                getattr(self, command)(*call, **same)
        except BadInput:
            edits.apply(self, edits.difference(before, edits.state_of(self)), back=True)
            raise
