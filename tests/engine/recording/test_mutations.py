"""A hundred of the damaged and forged recordings of `mutations.py`, in processes of their own."""

from tests import mutations


def test_damaged_and_forged_recordings_are_refused_or_stay_finite(tmp_path):
    counts, bad, _ = mutations.tried(120, 20, 1, tmp_path)
    assert bad == [] and sum(counts.values()) == 120
    assert counts["refused"] > 40 and counts["accepted"] > 10
