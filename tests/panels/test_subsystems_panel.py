"""The picture of the tree of subsystems: its cells, and that a click selects their bodies."""

import itertools

from app.analysis.subsystem_tree import cells
from app.engine import commands
from app.session import Selection
from physics import step
from scenes import chain, four_bars, make_world
from tests.helpers import still_frame
from tests.tools.person import fresh_spots


def test_children_share_the_width_of_their_parent():
    world = make_world(chain.SCENE)
    world.use_solver("subsystems")
    world.solver.options.bodies = 2
    found = cells(still_frame(world))
    assert (found[0].left, found[0].right, found[0].depth) == (0.0, 1.0, 0) and len(found[0].bodies) == 8
    for depth in range(1, 4):
        row = [cell for cell in found if cell.depth == depth]
        assert sum(cell.right - cell.left for cell in row) <= 1.0 + 1e-12
        assert all(a.right <= b.left + 1e-12 for a, b in itertools.pairwise(row)), "side by side"
    assert sorted(joint for cell in found for joint in cell.joints) == list(range(8)), "each joint once"


def test_groups_by_hand_are_shown():
    world = make_world(four_bars.SCENE)
    world.solver.groups = (("bar 1", "bar 2", "bar 3"), "bar 4")
    step(world, 0.01)
    assert [len(cell.bodies) for cell in cells(still_frame(world))] == [4, 3, 1, 1, 1, 1]


def test_a_click_selects_the_bodies_of_a_subsystem(person):
    person.load("four_bars")
    person.session.post(commands.set_option, "bodies", 2)
    person.session.selection = Selection()
    person.session.window.open_panel("subsystems")
    assert person.wait(lambda: person.session.frame.solver_state.options.bodies == 2)
    person.look(4)
    drawn = [spot for spot in fresh_spots(person) if spot.startswith("subsystems/subsystem")]
    assert len(drawn) == 7, "the whole, two halves, four bars"
    person.click("subsystems/subsystem 1")
    names = person.session.frame.body_names
    assert sorted(names[i] for i in person.session.selection.bodies) in (["bar 1", "bar 2"], ["bar 3", "bar 4"])
