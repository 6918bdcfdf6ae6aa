"""Plans of whole arrays, kept. A plan depends on shapes, strides and types: a dictionary finds it. Calls that were made
before with an array of the same make are found by what the caller gave, before anything is looked at (_core.again):
then about a microsecond stands between the call and the transform."""

import numpy as np

from . import _core
from ._arguments import stays

MOST = 256  # plans that are kept; the oldest go
REALS = {"F": "f", "D": "d", "G": "g", "f": "f", "d": "d", "g": "g"}
COMPLEX = {"f": np.dtype("F"), "d": np.dtype("D"), "g": np.dtype("G")}

_plans = {}


def clear_plans():
    """Forget the plans that are kept, and what they hold."""
    _core.forget_calls()
    _plans.clear()


def _items(array):
    """Strides in items; None where they are no multiples of these."""
    size = array.itemsize
    return None if any(s % size for s in array.strides) else [s // size for s in array.strides]


def run(x, out, shape, axes, kinds, backward, norm, workers, call=None, whole=_core.Whole.no,
        orthogonal=False):
    """From `x` to `out`, whose types say what they hold; `shape` is that of the forward transform's input. `call` is
    what the caller gave, for _core.again(); `x` is that array, a part of it, or what it was filled up to with zeros.
    `whole` is for reals whose whole spectrum is to be in `out`; what is `orthogonal` may change `x`."""
    if out.size == 0:
        return out
    if _items(x) is None:
        x, call = x.copy(), None
    real = (out if backward else x).dtype.kind == "f"
    key = (x.shape, x.strides, out.strides, x.dtype.char, out.dtype.char, tuple(shape), tuple(axes), kinds, backward,
           workers, whole, orthogonal)
    plan = _plans.get(key)
    if plan is None:
        plan = _core.Transform(list(shape), list(axes), list(kinds), real, REALS[x.dtype.char], backward, _items(x),
                               _items(out), workers, whole, orthogonal)
        while len(_plans) >= MOST:
            _plans.pop(next(iter(_plans)), None)
        _plans[key] = plan
    if not plan.run(x, out, norm):
        plan.run(x.copy(), out, norm)
    elif call is not None:
        _core.remember(*call, plan, out, norm, () if stays(x, call[1]) else x.shape)
    return out
