"""Inner loops over contiguous numbers, in one order on every machine.

Sums run in four interleaved parts, so that LLVM may do four at once without changing a bit.
"""

from physics.core.jit import inline, routine


@inline
def add(factor, x, y, n):
    """y += factor x, the first n numbers."""
    for i in range(n):
        y[i] += factor * x[i]


@routine
def dot(x, y, n):
    """x.y of the first n numbers."""
    a, b, c, d = 0.0, 0.0, 0.0, 0.0
    whole = n - n % 4
    for i in range(0, whole, 4):
        a += x[i] * y[i]
        b += x[i + 1] * y[i + 1]
        c += x[i + 2] * y[i + 2]
        d += x[i + 3] * y[i + 3]
    for i in range(whole, n):
        a += x[i] * y[i]
    return (a + b) + (c + d)


@routine
def transpose(source, target, rows, columns):
    """target = source^T, in tiles that fit the cache."""
    for top in range(0, rows, 16):
        for left in range(0, columns, 16):
            for i in range(top, min(top + 16, rows)):
                for j in range(left, min(left + 16, columns)):
                    target[j, i] = source[i, j]
