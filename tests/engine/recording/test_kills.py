"""What a killed program leaves: whole files, nothing unfinished, a journal of its last second. Many kills: tests/kills.py."""

import pytest

from tests.kills import kill


@pytest.mark.parametrize("seed", range(1, 7))
def test_what_is_left_of_a_program_that_was_killed_is_whole(seed):
    assert "lost" in (said := kill(seed)) or said == "nothing was done yet"
