"""What goes wrong, in one sentence: what, where, what is allowed, what to do."""


class BadInput(ValueError):
    """A value that the physics cannot accept; nothing was changed."""


class Diverged(ArithmeticError):
    """A step gave a non-finite or absurd state; the state before the step was kept."""

    def __init__(self, message: str, body: int) -> None:
        super().__init__(message)
        self.body = body
