"""Chains of comparisons that choose a function by a number, written here so that no file lists the functions.

numba compiles a call of a function only where it is known which one. An unrolled loop over a tuple of functions
(constraints/joint_system.py) asks one after the other in a loop at run time; the chain

    if x.kind == 3: return f(x, ..)
    if x.kind == 5: return g(x, ..)
    return h(x, ..)

becomes one jump, with the functions inlined, as if it had been written by hand.
"""

from collections.abc import Callable, Mapping


def by_kind(name: str, module: str, parameters: tuple[str, ...], arms: Mapping[int, Callable],
            other: Callable | None = None) -> Callable:
    """A function `name` of a module, to be compiled: calls the arm of the kind of its first parameter; `other`: of all other
    kinds, without it there is none.

    It must be stored in the module under its name: stored code is found by both (compile/compiling.py). All arms return the same
    types. The module must import what lists the arms, so that it is compiled anew when one changes (compile/sources.py).
    """
    called = ", ".join(parameters)
    last = other or arms[max(arms)]
    lines = [f"def {name}({called}):"]
    for kind in arms if other else sorted(arms)[:-1]:
        lines += [f"    if {parameters[0]}.kind == {kind}:", f"        return arm_{kind}({called})"]
    lines.append(f"    return last({called})")
    names = {"__name__": module, "last": last, **{f"arm_{kind}": arm for kind, arm in arms.items()}}
    exec(compile("\n".join(lines), f"<{module}.{name}>", "exec"), names)
    return names[name]
