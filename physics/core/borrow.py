"""Arrays without a count of who uses them.

numba counts the users of every array, with an atomic instruction wherever one is passed on or a row of it is taken: 5 ns each,
which is more than the arithmetic of a small matrix. `borrow` gives the same array without a count. The lender must outlive it:
numba frees an array after the last line that names it, so name it again after the last use of what was borrowed. A routine cannot
see that what it is handed is not counted: where it matters it borrows once more.
"""

import numba
from numba.core import cgutils
from numba.extending import intrinsic


@intrinsic
def _borrow(typing, array):
    def generate(context, builder, sig, args):
        struct = context.make_array(sig.args[0])(context, builder, args[0])
        struct.meminfo = cgutils.get_null_value(struct.meminfo.type)
        struct.parent = cgutils.get_null_value(struct.parent.type)
        return struct._getvalue()
    return array(array), generate


borrow = (lambda array: array) if numba.config.DISABLE_JIT else _borrow     # (array) -> the same numbers, not counted
