"""Window requests: handled in order before the next picture, each by its method."""

import inspect
from unittest.mock import call, create_autospec

import pytest

from app.requests import RequestHandler, WindowRequests
from app.session import Session


def methods(kind):
    """The public methods that a class defines itself, by name, with their parameters."""
    return {name: list(inspect.signature(method).parameters) for name, method in vars(kind).items()
            if inspect.isfunction(method) and not name.startswith("_")}


def test_each_request_has_its_method_in_the_window():
    pytest.importorskip("pyglet")
    from app.gui.shell.request_handler import WindowRequestHandler

    wanted = methods(RequestHandler)
    assert methods(WindowRequestHandler) == wanted
    assert {name: given for name, given in methods(WindowRequests).items() if name != "handle"} == wanted


def test_each_request_reaches_the_method_of_its_name():
    for name, (_, *given) in methods(RequestHandler).items():
        requests, handler = WindowRequests(), create_autospec(RequestHandler, instance=True)
        getattr(requests, name)(*given)
        assert not handler.mock_calls, "it waits"
        requests.handle(handler)
        requests.handle(handler)
        assert handler.mock_calls == [getattr(call, name)(*given)]


def test_requests_are_handled_in_order_with_those_made_meanwhile():
    requests, handler = WindowRequests(), create_autospec(RequestHandler, instance=True)
    handler.run_action.side_effect = requests.open_panel
    requests.run_action("lock")
    requests.zoom(1)
    requests.handle(handler)
    assert handler.mock_calls == [call.run_action("lock"), call.zoom(1), call.open_panel("lock")]


def test_a_failing_request_does_not_stop_the_others():
    requests, handler = WindowRequests(), create_autospec(RequestHandler, instance=True)
    handler.run_action.side_effect = KeyError
    requests.run_action("none")
    requests.zoom(1)
    with pytest.raises(KeyError):
        requests.handle(handler)
    requests.handle(handler)
    handler.zoom.assert_called_once_with(1)


def test_without_a_window_requests_are_queued():
    pytest.importorskip("pyglet")
    from app.gui.commands.actions import actions

    session = Session.open("incline")
    try:
        handler = create_autospec(RequestHandler, instance=True)
        for name in ("open_recording", "larger", "quit"):
            actions()[name].do(session, None)
        session.window.handle(handler)
        assert handler.mock_calls == [call.open_panel("recordings"), call.zoom(1), call.quit()]
    finally:
        session.thread.stop()


def test_a_panel_that_does_not_exist_changes_nothing(person):
    panels = person.window.gui.panels
    before = {name: panel.open for name, panel in panels.all.items()}
    for ask in (person.session.window.open_panel, person.session.window.toggle_panel, person.session.window.show_panel):
        ask("no such panel")
    person.look(2)
    assert {name: panel.open for name, panel in panels.all.items()} == before and not person.session.messages


def test_the_panel_is_open_in_the_next_picture(person):
    panel = person.window.gui.panels.all["help"]
    person.session.window.open_panel("help")
    assert not panel.open
    person.look()
    assert panel.open
    person.session.window.toggle_panel("help")
    person.look()
    assert not panel.open
