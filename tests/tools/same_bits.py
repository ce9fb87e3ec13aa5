"""Whether two worlds, and the reports of their steps, are the same to the last bit."""

from physics import World


def state(world: World) -> dict:
    """Everything that later steps and people read, as bytes where it is a table without unused ones."""
    named = {f"{table}.{name}": getattr(world, table)[name].tobytes()
             for table in ("bodies", "shapes", "joints", "contacts") for name in getattr(world, table).dtype.names}
    arrays = {"pairs": world.pairs, "kept manifolds": world.kept_manifolds, "memory": world.audit.memory,
              "motion": world.step_start.motion, "force": world.step_start.force, "torque": world.step_start.torque}
    plain = ("time", "steps", "last_dt", "last_part_dt", "impulse_duration", "sweeps_stalled", "energy_totals", "step_control")
    return named | {name: array.tobytes() for name, array in arrays.items()} | {name: getattr(world, name) for name in plain}


def told(report) -> tuple:
    """What a report says, without wall times."""
    return tuple(getattr(report, name) for name in report.__slots__ if name not in ("times", "impact_records"))


def assert_same(a: World, b: World) -> None:
    one, other = state(a), state(b)
    assert [name for name in one if one[name] != other[name]] == []
