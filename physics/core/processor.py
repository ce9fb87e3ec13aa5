"""For which processor code is compiled: a plain one of its kind, with AVX2 where there is such a thing.

The lanes (core/lanes.py) are four float64 wide: with AVX2 a register holds them, and piles cost a fifth less. Fused multiply-add,
which would change roundings, is not asked for; so every machine computes the same bits (tests/test_determinism.py).

STICTION_CPU=generic in the environment leaves AVX2 out, STICTION_CPU=native takes all that this machine has: for looking into
doubts.
"""

import os

from llvmlite import binding


def target() -> tuple[str | None, str | None]:
    """(name, features) as the compiler calls them; None: those of this machine."""
    wanted = os.environ.get("STICTION_CPU")
    if wanted == "native":
        return None, None
    return "generic", "+avx2" if wanted != "generic" and _host().get("avx2", False) else ""


def described() -> str:
    """What of the processor compiled code depends on."""
    name, features = target()
    if features is None:
        return f"{binding.get_host_cpu_name()} {sorted(_host().items())}"
    return f"{name} {features}"


def _host() -> dict[str, bool]:
    """What this machine has; nothing where the compiler cannot tell."""
    try:
        return dict(binding.get_host_cpu_features())
    except RuntimeError:
        return {}
