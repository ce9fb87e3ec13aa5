"""Transport bar in narrow windows with large text: everything fits, and seeking works."""

import pytest

pytest.importorskip("pyglet")

from app.gui.controls import widgets
from app.i18n import translate
from tests.tools.person import fresh_spots


@pytest.fixture
def sized(window, person):
    size = window.get_size()
    yield person
    translate.set_language("en")
    window.set_size(*size)
    window.gui.zoom(0)
    person.look(6)


@pytest.mark.parametrize("steps", [0, 4])
@pytest.mark.parametrize("width", [800, 1024, 1280])
@pytest.mark.parametrize("code", list(translate.LANGUAGES))
def test_all_transport_controls_fit(window, sized, code, width, steps):
    translate.set_language(code)
    window.set_size(width, 700)

    def arrived() -> bool:
        window.dispatch_events()    # what the size was before may be told of late
        return window.get_size() == (width, 700)

    assert sized.wait(arrived)
    window.gui.zoom(0)
    if steps:
        window.gui.zoom(steps)
    sized.look(6)
    boxes = {name: box for name, box in fresh_spots(sized).items() if name.startswith("top/")}
    assert {"top/past", "top/speed", "top/step size", "top/reset", "top/play past"} <= boxes.keys()
    assert boxes["top/past"][2] - boxes["top/past"][0] >= widgets.scaled(100.0)
    assert max(box[2] for box in boxes.values()) <= width
    placed = list(boxes.values())
    for i, a in enumerate(placed):
        for b in placed[:i]:
            assert a[2] <= b[0] + 0.5 or b[2] <= a[0] + 0.5 or a[3] <= b[1] + 0.5 or b[3] <= a[1] + 0.5, "two lie over each other"
    top = window.gui.panels.centre[1]
    assert max(box[3] for box in placed) <= top, "the scene and the docks begin below"
