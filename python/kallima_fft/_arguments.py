"""What callers give, as transforms want it: arrays of floats in native byte order, axes from the front, lengths.

Errors are those of scipy.fft: ValueError with the number that is wrong.
"""

import contextlib
import operator
import os

import numpy as np

from . import _core

NORMS = {None: 0, "backward": 0, "ortho": 1, "forward": 2}  # 1, 1/sqrt(N), 1/N, of a forward transform


def norm_index(norm, backward):
    """Which of 1, 1/sqrt(N), 1/N the result is multiplied by."""
    try:
        index = NORMS[norm]
    except (KeyError, TypeError):
        raise ValueError(f'Invalid norm value {norm!r}, should be "backward", "ortho" or "forward"') from None
    return 2 - index if backward else index


def get_workers():
    """How many threads a transform of this thread may use where `workers` is not given."""
    return _core.default_workers()


@contextlib.contextmanager
def set_workers(workers):
    """Within this context, transforms use so many threads where `workers` is not given."""
    before = get_workers()
    _core.set_default_workers(worker_count(operator.index(workers)))
    try:
        yield
    finally:
        _core.set_default_workers(before)


def worker_count(workers):
    if workers is None:
        return get_workers()
    cores = os.cpu_count() or 1
    count = workers + 1 + cores if workers < 0 else workers
    if workers == 0:
        raise ValueError("workers must not be zero")
    if count < 1:
        raise ValueError(f"workers value out of range; got {workers}, must not be less than {-cores}")
    return count


def float_array(x):
    """An array of float or complex numbers: integers become float64, float16 becomes float32."""
    if not hasattr(x, "dtype"):
        x = np.asarray(x)
    if x.dtype == np.float16:
        return np.asarray(x, np.float32)
    if x.dtype.kind not in "fc":
        return np.asarray(x, np.float64)
    if type(x) is not np.ndarray or not x.dtype.isnative:
        x = np.asarray(x, x.dtype.newbyteorder("="))
    return x if x.flags.aligned else x.copy()


def complex_array(x):
    x = float_array(x)
    return x if x.dtype.kind == "c" else x.astype(np.result_type(x.dtype, np.complex64))


def _integers(values, name):
    try:
        return [operator.index(values)]
    except TypeError:
        pass
    try:
        return [operator.index(v) for v in values]
    except TypeError:
        raise ValueError(f"{name} must be a scalar or iterable of integers") from None


def shape_and_axes(x, shape, axes):
    """Lengths of the transformed axes, and these, counted from the front."""
    if axes is not None:
        axes = [a + x.ndim if a < 0 else a for a in _integers(axes, "axes")]
        if any(not 0 <= a < x.ndim for a in axes):
            raise ValueError("axes exceeds dimensionality of input")
        if len(set(axes)) != len(axes):
            raise ValueError("all axes must be unique")
    if shape is not None:
        shape = _integers(shape, "shape")
        if axes and len(axes) != len(shape):
            raise ValueError("when given, axes and shape arguments have to be of the same length")
        if axes is None:
            if len(shape) > x.ndim:
                raise ValueError("shape requires more axes than are present")
            axes = list(range(x.ndim - len(shape), x.ndim))
        shape = [x.shape[a] if n == -1 else n for n, a in zip(shape, axes)]
    else:
        axes = list(range(x.ndim)) if axes is None else axes
        shape = [x.shape[a] for a in axes]
    check_lengths(shape)
    return shape, axes


def check_lengths(lengths):
    if any(n < 1 for n in lengths):
        raise ValueError(f"invalid number of data points ({list(lengths)}) specified")


def one_axis(x, n, axis):
    """The same of a transform along one axis."""
    axis = operator.index(axis)
    if not -x.ndim <= axis < x.ndim:
        raise IndexError(f"axis {axis} does not exist: the array has {x.ndim} dimensions")
    lengths = [x.shape[axis] if n is None else operator.index(n)]
    check_lengths(lengths)
    return lengths, [axis % x.ndim]


def resized(x, lengths, axes):
    """Cut off, or filled up with zeros, to these lengths; a view where nothing is added."""
    if all(x.shape[axis] == n for n, axis in zip(lengths, axes)):
        return x
    keep, shape = [slice(None)] * x.ndim, list(x.shape)
    for n, axis in zip(lengths, axes):
        keep[axis], shape[axis] = slice(0, min(n, shape[axis])), n
    part = x[tuple(keep)]
    if part.shape == tuple(shape):
        return part
    whole = np.zeros(shape, x.dtype)
    whole[tuple(keep)] = part
    return whole


def stays(x, given):
    """Whether a resized array is the one that was given, or a part of it: then nothing was filled in."""
    return x is given or x.base is not None
