"""Console: it collects messages of every thread, which also go to stderr; the panel and the status bar show it."""

import gc
import logging
import sys
import threading
import warnings

import pytest
from pyglet.window import key

from app.console import MAX_LINES, MESSAGE_LEVELS, Console, as_text, capture, console
from app.engine import commands
from app.panels import messages
from app.session import Session
from tests.tools.person import fresh_spots


@pytest.fixture
def capturing(monkeypatch):
    """With everything captured; what is done with it otherwise is kept in a list. A window that a test started captures, too."""
    root = logging.getLogger()
    monkeypatch.setattr(root, "handlers", [one for one in root.handlers if not type(one).__module__.startswith("app.")])
    before = {name: [] for name in ("excepthook", "thread", "unraisable", "warning")}
    monkeypatch.setattr(sys, "excepthook", lambda *args: before["excepthook"].append(args[0]))
    monkeypatch.setattr(threading, "excepthook", lambda args: before["thread"].append(args.exc_type))
    monkeypatch.setattr(sys, "unraisablehook", lambda args: before["unraisable"].append(args.exc_type))
    monkeypatch.setattr(warnings, "showwarning", lambda *args: before["warning"].append(args[1]))
    console().clear()
    with capture():
        yield before
    console().clear()


def newest():
    return console().lines[-1]


def test_logs_warnings_and_exceptions_of_every_thread_arrive(capturing):
    logging.getLogger("here").warning("a %s", "word")
    assert (newest().level, newest().text, newest().source) == ("warning", "a word", "here")
    try:
        raise ValueError("on purpose")
    except ValueError:
        logging.getLogger("here").exception("it failed")
    assert newest().level == "error" and "on purpose" in newest().detail

    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.showwarning(UserWarning("careful"), UserWarning, "file.py", 3)
    assert newest().text == "UserWarning: careful" and capturing["warning"] == [UserWarning]

    thread = threading.Thread(target=lambda: 1 / 0, name="worker")
    thread.start()
    thread.join()
    assert newest().text.startswith("ZeroDivisionError") and newest().source == "worker"
    assert "1 / 0" in newest().detail and capturing["thread"] == [ZeroDivisionError]

    sys.excepthook(KeyError, KeyError("x"), None)
    assert newest().source == "main thread" and capturing["excepthook"] == [KeyError]

    class Odd:
        def __del__(self):
            raise OSError("while cleaning up")

    Odd()
    gc.collect()
    assert "while cleaning up" in newest().text and capturing["unraisable"] == [OSError]
    assert console().counts == {"error": 4, "warning": 2, "note": 0}


def test_hooks_are_restored():
    hooks = sys.excepthook, threading.excepthook, sys.unraisablehook, warnings.showwarning
    with capture():
        assert sys.excepthook is not hooks[0]
    assert (sys.excepthook, threading.excepthook, sys.unraisablehook, warnings.showwarning) == hooks


def test_a_message_that_is_also_logged_is_one_line(capturing):
    logging.getLogger("physics").warning("the rail is rusty")
    console().add_message("the rail is rusty")
    console().add_message("kept the moment")
    got = [(line.level, line.text) for line in console().lines]
    assert got == [("warning", "the rail is rusty"), ("note", "kept the moment")]


def test_repeated_refusals_are_one_line(person):
    for _ in range(3):
        person.hit(key.Y, key.MOD_CTRL)
    assert person.wait(lambda: console().lines and console().lines[-1].count >= 1, 5.0)
    person.look(20)
    assert [message.text for message in person.session.messages] == ["nothing to redo"]
    assert console().counts["warning"] == 0


def test_success_is_no_warning(capturing):
    """The number of warnings is shown in the status bar: a bookmarked state must not be among them."""
    session = Session.open("pyramid")
    commands.bookmark_state(session.simulation)
    commands.start_recording(session.simulation)
    session.simulation.world.warnings.add("the rail is rusty")
    session.simulation.step()
    session.update(0.0)
    assert {line.text[:12]: line.level for line in console().lines} == {
        "state at t =": "note", "recording st": "note", "the rail is ": "warning"}


def test_repeated_lines_are_counted_and_old_ones_dropped():
    mine = Console()
    for _ in range(5):
        mine.add("error", "again", detail="where")
    assert len(mine.lines) == 1 and mine.lines[0].count == 5 and mine.counts["error"] == 5
    assert as_text(mine.matching(set(MESSAGE_LEVELS), "")) == "error (5 times): again\nwhere"
    for i in range(2 * MAX_LINES):
        mine.add("note", str(i))
    assert len(mine.lines) == MAX_LINES


def test_lines_are_found_by_level_and_words():
    mine = Console()
    mine.add("error", "Broken Door", "a")
    mine.add("note", "a door")
    assert [line.text for line in mine.matching({"error", "note"}, "door")] == ["a door", "Broken Door"]
    assert [line.text for line in mine.matching({"error"}, "DOOR broken")] == ["Broken Door"]
    assert not mine.matching({"warning"}, "")


def test_concurrent_threads():
    mine = Console()
    threads = [threading.Thread(target=lambda k=k: [mine.add("note", f"{k} {i}") for i in range(200)]) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert mine.counts["note"] == 800 and len({line.number for line in mine.lines}) == 800


def test_the_status_bar_counts_and_a_click_opens_the_console(person):
    person.window.gui.panels.all["messages"].open = False
    person.look(2)
    assert "status/errors" not in fresh_spots(person)
    console().add("error", "something broke", "here", "Traceback: the long story")
    person.click("status/errors")
    person.look(4)
    panel = person.window.gui.panels.all["messages"]
    assert panel.open and not panel.error
    number = console().lines[-1].number
    person.click(next(spot for spot in fresh_spots(person) if spot.endswith(f"/details {number}")))
    assert person.session.state(messages.MessagesState).opened == {number}
    copied = []
    person.window.set_clipboard_text = copied.append
    person.click("messages/copy")
    assert "the long story" in copied[-1]
    person.click("messages/clear")
    assert not console().lines and "status/errors" not in fresh_spots(person)
