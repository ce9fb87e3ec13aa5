"""Inner loops over contiguous arrays, in the same order on every machine.

Sums run in interleaved parts, so that they can be vectorised without changing a bit. Loops start at zero: only then does the
compiler know that no index is negative, and vectorise.
"""

from physics.core import lanes
from physics.core.jit import inline, routine


@inline
def add(factor, x, y, n):
    """y += factor x, the first n elements."""
    for i in range(n):
        y[i] += factor * x[i]


@inline
def largest(x, n):
    """max |x_i| of the first n, not nan."""
    zero, whole = lanes.fill(0.0), n - n % 4
    most = zero
    for i in range(0, whole, 4):
        value = lanes.load4(x, i)
        size = lanes.greater(value, zero, value, zero - value)
        most = lanes.greater(size, most, size, most)
    result = lanes.highest(most)
    for i in range(whole, n):
        result = max(result, abs(x[i]))
    return result


@routine
def dot(x, y, n):
    """x.y of the first n elements."""
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
def multiply(A, x, y, rows, n):
    """y = A x, the first rows and n columns, four rows at a time; y is contiguous."""
    column, whole = y.reshape((len(y), 1)), n - n % 4
    for i in range(0, rows - rows % 4, 4):
        four = (i, i + 1, i + 2, i + 3)
        a, b = lanes.fill(0.0), lanes.fill(0.0)
        for j in range(0, whole, 4):
            p, q, r, s = lanes.gather4(A, four, j)
            a = a + (p * lanes.fill(x[j]) + q * lanes.fill(x[j + 1]))
            b = b + (r * lanes.fill(x[j + 2]) + s * lanes.fill(x[j + 3]))
        lanes.scatter(column, four, 0, a + b)
        for k in range(i, i + 4):
            for j in range(whole, n):
                y[k] += A[k, j] * x[j]
    for i in range(rows - rows % 4, rows):
        y[i] = dot(A[i], x, n)


@routine
def combine(rows, which, factors, y, m, n):
    """y += the sum of factors[k] rows[which[k]], m rows of n elements, four at a time."""
    whole = m - m % 4
    for k in range(0, whole, 4):
        a, b, c, d = factors[k], factors[k + 1], factors[k + 2], factors[k + 3]
        p, q, r, s = which[k], which[k + 1], which[k + 2], which[k + 3]
        for i in range(n):
            y[i] += (a * rows[p, i] + b * rows[q, i]) + (c * rows[r, i] + d * rows[s, i])
    if m - whole == 1:
        a, p = factors[whole], which[whole]
        for i in range(n):
            y[i] += a * rows[p, i]
    elif m > whole:                     # one pass, with the same bits as one row after the other
        a, b, c = factors[whole], factors[whole + 1], factors[m - 1] if m - whole == 3 else 0.0
        p, q, r = which[whole], which[whole + 1], which[m - 1]
        for i in range(n):
            y[i] = ((y[i] + a * rows[p, i]) + b * rows[q, i]) + c * rows[r, i]


@routine
def transpose(source, target, rows, columns):
    """target = source^T, in tiles that fit the cache."""
    for top in range(0, rows, 16):
        for left in range(0, columns, 16):
            for i in range(top, min(top + 16, rows)):
                for j in range(left, min(left + 16, columns)):
                    target[j, i] = source[i, j]
