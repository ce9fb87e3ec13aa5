"""What all tests share."""

import os
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

ROOT = Path(__file__).resolve().parents[1]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))  # `pytest` finds the packages like `python -m pytest` does

os.environ["STICTION_DATA_DIR"] = tempfile.mkdtemp(prefix="stiction-tests-")     # nobody's own progress is touched

# What a person set must not reach a test, nor a test's window what a person set.
os.environ["STICTION_STATE_DIR"] = tempfile.mkdtemp(prefix="stiction-tests-")
os.environ["STICTION_CONFIG_DIR"] = tempfile.mkdtemp(prefix="stiction-tests-")

# The same examples in every run, and no deadline: a first call may compile. STICTION_FUZZ=1 looks for new examples.
settings.register_profile("steady", derandomize=True, deadline=None, print_blob=True,
                          suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("fuzz", deadline=None, max_examples=2000, print_blob=True,
                          suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("fuzz" if os.environ.get("STICTION_FUZZ") else "steady")


@pytest.fixture(scope="module")
def window():
    """The real window, open for the tests of a module."""
    from person import opened

    yield from opened()


@pytest.fixture
def person(window):
    """Someone at it."""
    from person import at

    yield from at(window)
