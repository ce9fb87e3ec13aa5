"""Whether the steps of a simulation keep a ledger of energy: what `Simulation` inherits. It changes no bit of the motion."""

LEDGER = "ledger."
"""Quantities that need it begin so (physics/quantities.py)."""


class Auditing:
    """audited: somebody looks at the ledger. It stays on from then: a stretch without it could not be made up for."""

    def __init__(self) -> None:
        super().__init__()
        self.audited = False

    def keep_ledger(self) -> None:
        """From now on steps tell where the energy goes."""
        self.audited = True

    def _tells_of_energy(self, followed: tuple[str, ...]) -> bool:
        """Whether a step is to tell; followed: keys of the quantities that are recorded."""
        return self.audited or any(key.startswith(LEDGER) for key in followed)
