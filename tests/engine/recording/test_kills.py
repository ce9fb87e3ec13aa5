"""What a killed program leaves: whole files, nothing unfinished, a journal of its last second. Many kills: tests/kills.py."""

import pytest

from tests.kills import kill


@pytest.mark.parametrize("seed", range(1, 4))
def test_files_of_a_killed_program_are_complete(seed):
    assert "lost" in (said := kill(seed)) or said == "nothing was done yet"
