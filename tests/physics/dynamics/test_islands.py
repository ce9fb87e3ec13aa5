"""Islands: against scipy's connected components, and the order of their contents."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from physics.core.records import BODY, CONTACT, JOINT, Kind
from physics.dynamics import islands


def tables(rng, count, contacts, joints):
    """Random bodies of all kinds, empty slots among them, tied at random."""
    bodies, touching, tied = np.zeros(count, BODY), np.zeros(contacts, CONTACT), np.zeros(joints, JOINT)
    bodies["kind"] = rng.choice(list(Kind), size=count, p=[0.1, 0.1, 0.1, 0.7])
    for table in (touching, tied):
        table["body_a"], table["body_b"] = rng.integers(0, count, (2, len(table)))
    tied["kind"] = rng.choice([-1, 0, 1], size=joints)
    return bodies, touching, tied


def components(bodies, contacts, joints):
    """(count, island of each body or -1) by scipy, numbered by the lowest body."""
    moves = bodies["kind"] == Kind.DYNAMIC
    pairs = [(e["body_a"], e["body_b"]) for e in [*contacts, *joints[joints["kind"] >= 0]]
             if moves[e["body_a"]] and moves[e["body_b"]]]
    a, b = np.array(pairs, int).reshape(-1, 2).T
    _, label = connected_components(coo_array((np.ones(len(a)), (a, b)), shape=(len(bodies),) * 2), directed=False)
    names = list(dict.fromkeys(label[moves].tolist()))
    return len(names), np.array([names.index(k) if m else -1 for k, m in zip(label, moves)])


@settings(max_examples=60, derandomize=True, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), count=st.integers(1, 60), contacts=st.integers(0, 80), joints=st.integers(0, 12))
def test_islands_are_the_connected_components(seed, count, contacts, joints):
    """The same classes as scipy's, numbered by their lowest body; every item in its own island, in ascending order."""
    bodies, touching, tied = tables(np.random.default_rng(seed), count, contacts, joints)
    found = islands.find_islands(bodies, touching, tied)
    wanted, of_body = components(bodies, touching, tied)
    assert found.count == wanted
    assert np.array_equal(found.of_body, of_body)
    live = tied["kind"] >= 0
    of_contact = np.maximum(of_body[touching["body_a"]], of_body[touching["body_b"]])
    of_joint = np.where(live, np.maximum(of_body[tied["body_a"]], of_body[tied["body_b"]]), -1)
    for of_item, order, first in ((of_body, found.bodies, found.first_body), (of_contact, found.contacts, found.first_contact),
                                  (of_joint, found.joints, found.first_joint)):
        assert first[0] == 0 and first[-1] == len(order) and len(first) == wanted + 1
        for i in range(wanted):
            assert np.array_equal(order[first[i]: first[i + 1]], np.flatnonzero(of_item == i))


def test_the_order_of_the_contacts_does_not_matter():
    """The same bits for the numbers of the bodies, however the contacts are shuffled and turned round."""
    rng = np.random.default_rng(3)
    bodies, touching, tied = tables(rng, 500, 400, 20)
    one = islands.find_islands(bodies, touching, tied)
    turned = rng.permutation(touching)
    turned["body_a"], turned["body_b"] = turned["body_b"].copy(), turned["body_a"].copy()
    two = islands.find_islands(bodies, turned, tied)
    assert 1 < one.count < 500
    assert one.of_body.tobytes() == two.of_body.tobytes() and one.bodies.tobytes() == two.bodies.tobytes()


@pytest.mark.parametrize("order", ["up", "down", "outwards"])
def test_a_long_chain_is_one_island(order):
    """The worst orders for the trees: each link hung under or over the last."""
    n = 20_000
    bodies, touching = np.zeros(n, BODY), np.zeros(n - 1, CONTACT)
    bodies["kind"] = Kind.DYNAMIC
    low = np.arange(n - 1)
    low = {"up": low, "down": low[::-1], "outwards": low[np.argsort(abs(low - n // 2), kind="stable")]}[order]
    touching["body_a"], touching["body_b"] = low, low + 1
    found = islands.find_islands(bodies, touching, np.zeros(0, JOINT))
    assert found.count == 1 and (found.of_body == 0).all()


def test_static_and_kinematic_bodies_do_not_connect_islands():
    """Two boxes on one static floor, two more on one kinematic lift, one alone: five islands; a joint makes one of two."""
    bodies = np.zeros(7, BODY)
    bodies["kind"] = [Kind.STATIC, *[Kind.DYNAMIC] * 2, Kind.KINEMATIC, *[Kind.DYNAMIC] * 3]
    touching, tied = np.zeros(4, CONTACT), np.zeros(1, JOINT)
    touching["body_a"], touching["body_b"] = [0, 0, 3, 5], [1, 2, 4, 3]
    tied["kind"] = -1
    assert islands.find_islands(bodies, touching, tied).of_body.tolist() == [-1, 0, 1, -1, 2, 3, 4]
    tied["kind"], tied["body_a"], tied["body_b"] = 0, 5, 1
    found = islands.find_islands(bodies, touching, tied)
    assert found.of_body.tolist() == [-1, 0, 1, -1, 2, 0, 3]
    assert found.contacts.tolist() == [0, 3, 1, 2] and found.joints.tolist() == [0]
