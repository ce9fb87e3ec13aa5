"""Processors: how many there are, and the target of compiled code.

The target is the generic one of its architecture, with AVX2 where available.

Lanes (core/lanes.py) are four float64 wide: with AVX2 one register holds them, and piles cost a fifth less. Fused multiply-add
would change roundings and is not enabled, so every machine computes the same bits (tests/physics/test_determinism.py).

For debugging, environment variable STICTION_CPU: "generic" disables AVX2, "native" enables all features of this machine.
"""

import os

from llvmlite import binding


def available() -> int:
    """Number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def target() -> tuple[str | None, str | None]:
    """(name, features) as the compiler spells them; None: those of this machine."""
    wanted = os.environ.get("STICTION_CPU")
    if wanted == "native":
        return None, None
    return "generic", "+avx2" if wanted != "generic" and _host().get("avx2", False) else ""


def described() -> str:
    """Processor properties that compiled code depends on."""
    name, features = target()
    if features is None:
        return f"{binding.get_host_cpu_name()} {sorted(_host().items())}"
    return f"{name} {features}"


def _host() -> dict[str, bool]:
    """Features of this machine; empty if the compiler cannot determine them."""
    try:
        return dict(binding.get_host_cpu_features())
    except RuntimeError:
        return {}
