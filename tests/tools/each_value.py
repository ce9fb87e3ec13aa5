"""Tests with many parameters: of all combinations those in which each value occurs; STICTION_ALL_TESTS=1 runs all of them."""

from collections import Counter
from collections.abc import Hashable

import pytest

from tests.helpers import ALL_TESTS


def each_value(times: int = 1, **always):
    """Mark a test of which a run needs each value of each parameter so many times, and all cases with the values `always`."""
    return pytest.mark.each_value(times, **always)


def skip_repetitions(items: list[pytest.Item]) -> None:
    """Skip those combinations of marked tests whose values others have; the same ones in every run."""
    functions: dict[str, list[pytest.Item]] = {}
    for item in items:
        if not ALL_TESTS and item.get_closest_marker("each_value"):
            functions.setdefault(item.nodeid.partition("[")[0], []).append(item)
    for cases in functions.values():
        for case in _repetitions(cases):
            case.add_marker(pytest.mark.skip(reason="each value occurs in another case: STICTION_ALL_TESTS=1 runs all"))


def _repetitions(cases: list[pytest.Item]) -> list[pytest.Item]:
    """All but the needed ones: next is always the case with the most values that are still missing, of these the one whose values
    have occurred the least."""
    mark = cases[0].get_closest_marker("each_value")
    times, always = mark.args[0], mark.kwargs.items()
    values = {case: {(name, value if isinstance(value, Hashable) else id(value)) for name, value in case.callspec.params.items()}
              for case in cases}
    seen: Counter = Counter()
    kept = [case for case in cases if always and always <= case.callspec.params.items()]
    left = [case for case in cases if case not in kept]
    for case in kept:
        seen.update(values[case])
    while left:
        case = max(left, key=lambda case: (sum(seen[value] < times for value in values[case]),
                                           -sum(seen[value] for value in values[case])))
        if all(seen[value] >= times for value in values[case]):
            break
        seen.update(values[case])
        left.remove(case)
    return left
