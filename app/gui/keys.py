"""Keys of the window: what each does. The GUI types first; these act only when it does not."""

from collections.abc import Callable

from pyglet.window import key

import scenes
from app.gui.viewport import Viewport
from app.panels.transport import faster, slower
from app.session import Selection, Session

FLY = (key.W, key.A, key.S, key.D, key.Q, key.E)

TOGGLES = {key.C: "contacts", key.J: "joints", key.N: "normals", key.K: "cones", key.V: "velocities"}


def act(symbol: int, modifiers: int, session: Session, viewport: Viewport) -> bool:
    """Do what the key means; False if it means nothing."""
    control = bool(modifiers & (key.MOD_CTRL | key.MOD_COMMAND))
    if control:
        return _do(CONTROL.get(symbol), session, viewport)
    if modifiers & key.MOD_ALT:
        if symbol == key.W:
            session.view.wireframe = not session.view.wireframe
        return symbol == key.W
    if symbol == key.SLASH and not modifiers & key.MOD_SHIFT:
        return False
    if symbol in TOGGLES:
        name = TOGGLES[symbol]
        setattr(session.view, name, not getattr(session.view, name))
        return True
    if symbol in FLY:
        viewport.fly_key(symbol, True)
        return True
    return _do(PLAIN.get(symbol), session, viewport)


def _do(action: Callable[[Session, Viewport], None] | None, session: Session, viewport: Viewport) -> bool:
    if action is not None:
        action(session, viewport)
    return action is not None


def _post(command: str) -> Callable[[Session, Viewport], None]:
    return lambda session, viewport: session.post(command)


def _request(what: str) -> Callable[[Session, Viewport], None]:
    return lambda session, viewport: session.request(what)


def _speed(change: Callable[[float], float]) -> Callable[[Session, Viewport], None]:
    return lambda session, viewport: session.post("set_speed", change(session.simulation.speed))


def _neighbour(step: int) -> Callable[[Session, Viewport], None]:
    def load(session: Session, viewport: Viewport) -> None:
        order = [name for _, _, name in sorted((s.category, s.title, name) for name, s in scenes.all_scenes().items())]
        at = order.index(session.frame.scene) if session.frame.scene in order else 0
        session.post("load", order[(at + step) % len(order)])
    return load


def _remove(session: Session, viewport: Viewport) -> None:
    if session.selection.body > 0:
        viewport.let_go()
        session.post("remove_body", session.selection.body)


def _deselect(session: Session, viewport: Viewport) -> None:
    viewport.let_go()
    session.selection = Selection()


PLAIN: dict[int, Callable[[Session, Viewport], None]] = {
    key.SPACE: _post("toggle_pause"), key.P: _post("toggle_pause"), key.PERIOD: _post("single_step"),
    key.RIGHT: _post("single_step"), key.COMMA: _post("step_back"), key.LEFT: _post("step_back"), key.R: _post("reset"),
    key.BRACKETLEFT: _neighbour(-1), key.BRACKETRIGHT: _neighbour(1),
    key.MINUS: _speed(slower), key.NUM_SUBTRACT: _speed(slower), key.EQUAL: _speed(faster), key.PLUS: _speed(faster),
    key.NUM_ADD: _speed(faster),
    key.F: lambda session, viewport: session.frame_all(), key.HOME: lambda session, viewport: session.frame_all(),
    key.B: lambda session, viewport: viewport.throw(), key.DELETE: _remove, key.ESCAPE: _deselect,
    key.TAB: _request("hide"), key.F1: _request("panel:help"), key.SLASH: _request("panel:help"),
    key.QUESTION: _request("panel:help"), key.F5: _post("keep_state"), key.F9: _post("return_to_state"),
    key.F12: _request("screenshot"),
}

CONTROL: dict[int, Callable[[Session, Viewport], None]] = {
    key.Q: _request("quit"), key.EQUAL: _request("larger"), key.PLUS: _request("larger"),
    key.NUM_ADD: _request("larger"), key.MINUS: _request("smaller"), key.NUM_SUBTRACT: _request("smaller"),
    key._0: _request("own size"), key.NUM_0: _request("own size"),
}
