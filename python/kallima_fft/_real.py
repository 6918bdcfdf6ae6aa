"""Cosine and sine transforms of types 1 to 4 with the signatures, types and results of scipy.fft. They are unscaled as
SciPy's and FFTW's are; an orthogonal one, of norm "ortho" unless the caller says otherwise, has its first or last
coefficient weighed before or after."""

import numpy as np

from ._arguments import float_array, norm_index, one_axis, resized, shape_and_axes, worker_count
from ._plans import run

__all__ = ["dct", "idct", "dst", "idst", "dctn", "idctn", "dstn", "idstn"]

# What an orthogonal transform weighs with sqrt(2) before, and with its inverse after: indices along the axis.
_BEFORE = {"dct1": (0, -1), "dct3": (0,), "dst3": (-1,)}
_AFTER = {"dct1": (0, -1), "dct2": (0,), "dst2": (-1,)}


def _weighed(x, axes, indices, factor):
    for axis in axes:
        for index in indices:
            x[(slice(None),) * axis + (index,)] *= x.dtype.type(factor)
    return x


def _transform(family, backward, x, type, lengths_and_axes, s, axes, norm, workers, orthogonalize):
    if type not in (1, 2, 3, 4):
        raise ValueError(f"invalid type {type!r}: there are 1, 2, 3 and 4")
    if backward and type in (2, 3):
        type = 5 - type
    kind = f"{family}{type}"
    index = norm_index(norm, backward)
    workers = worker_count(workers)
    given, x = x, float_array(x)
    lengths, axes = lengths_and_axes(x, s, axes)
    if not axes:
        return given
    x = resized(x, lengths, axes)
    orthogonal = norm == "ortho" if orthogonalize is None else orthogonalize
    if orthogonal and kind in _BEFORE:
        x = _weighed(x.copy(), axes, _BEFORE[kind], np.sqrt(np.longdouble(2)))
    out = run(x, np.empty(x.shape, x.dtype), x.shape, axes, (kind,) * len(axes), False, index, workers)
    if orthogonal and kind in _AFTER:
        _weighed(out, axes, _AFTER[kind], np.sqrt(np.longdouble(0.5)))
    return out


def dct(x, type=2, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, orthogonalize=None):
    """The discrete cosine transform of a type from 1 to 4 along an axis. Complex numbers are two reals each."""
    return _transform("dct", False, x, type, one_axis, n, axis, norm, workers, orthogonalize)


def idct(x, type=2, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, orthogonalize=None):
    """The inverse of dct() of that type."""
    return _transform("dct", True, x, type, one_axis, n, axis, norm, workers, orthogonalize)


def dst(x, type=2, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, orthogonalize=None):
    """The discrete sine transform of a type from 1 to 4 along an axis. Complex numbers are two reals each."""
    return _transform("dst", False, x, type, one_axis, n, axis, norm, workers, orthogonalize)


def idst(x, type=2, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, orthogonalize=None):
    """The inverse of dst() of that type."""
    return _transform("dst", True, x, type, one_axis, n, axis, norm, workers, orthogonalize)


def dctn(x, type=2, s=None, axes=None, norm=None, overwrite_x=False, workers=None, *, orthogonalize=None):
    """dct() along several axes, all of them by default."""
    return _transform("dct", False, x, type, shape_and_axes, s, axes, norm, workers, orthogonalize)


def idctn(x, type=2, s=None, axes=None, norm=None, overwrite_x=False, workers=None, *, orthogonalize=None):
    """The inverse of dctn()."""
    return _transform("dct", True, x, type, shape_and_axes, s, axes, norm, workers, orthogonalize)


def dstn(x, type=2, s=None, axes=None, norm=None, overwrite_x=False, workers=None, *, orthogonalize=None):
    """dst() along several axes, all of them by default."""
    return _transform("dst", False, x, type, shape_and_axes, s, axes, norm, workers, orthogonalize)


def idstn(x, type=2, s=None, axes=None, norm=None, overwrite_x=False, workers=None, *, orthogonalize=None):
    """The inverse of dstn()."""
    return _transform("dst", True, x, type, shape_and_axes, s, axes, norm, workers, orthogonalize)
