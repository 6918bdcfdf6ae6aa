"""Cosine and sine transforms of types 1 to 4 with the signatures, types and results of scipy.fft. They are unscaled as
SciPy's and FFTW's are; an orthogonal one, of norm "ortho" unless the caller says otherwise, has its first or last
coefficient weighed before or after."""

import itertools

import numpy as np

from ._arguments import float_array, norm_index, one_axis, resized, shape_and_axes, stays, worker_count
from ._core import again
from ._plans import run

__all__ = ["dct", "idct", "dst", "idst", "dctn", "idctn", "dstn", "idstn"]

# What an orthogonal transform weighs with sqrt(2) before, and with its inverse after: indices along the axis.
_BEFORE = {"dct1": (0, -1), "dct3": (0,), "dst3": (-1,)}
_AFTER = {"dct1": (0, -1), "dct2": (0,), "dst2": (-1,)}


_ROOTS = {char: (np.dtype(char).type(np.sqrt(np.longdouble(2))), np.dtype(char).type(np.sqrt(np.longdouble(0.5))))
          for char in "fdgFDG"}
_CODES = {key: code for code, key in enumerate(itertools.product(("dct", "dst"), (False, True), (1, 2, 3, 4)), 16)}


def _weighed(x, axes, indices, factor):
    for axis in axes:
        for index in indices:
            x[(slice(None),) * axis + (index,)] *= factor
    return x


def _transform(family, backward, x, type, lengths_and_axes, s, axes, norm, workers, orthogonalize):
    if type not in (1, 2, 3, 4):
        raise ValueError(f"invalid type {type!r}: there are 1, 2, 3 and 4")
    x = float_array(x)
    if type != 4 and (norm == "ortho" if orthogonalize is None else orthogonalize):
        return _orthogonal(family, backward, x, type, *lengths_and_axes(x, s, axes), norm, workers)
    return _plain(family, backward, x, type, lengths_and_axes, s, axes, norm, workers)


def _of_type(family, backward, type):
    return f"{family}{5 - type if backward and type in (2, 3) else type}"


def _orthogonal(family, backward, x, type, lengths, axes, norm, workers):
    kind = _of_type(family, backward, type)
    x = resized(x, lengths, axes)
    if kind in _BEFORE:
        x = _weighed(x.copy(), axes, _BEFORE[kind], _ROOTS[x.dtype.char][0])
    out = _plain(family, backward, x, type, shape_and_axes, None, tuple(axes), norm, workers)
    return _weighed(out, axes, _AFTER.get(kind, ()), _ROOTS[x.dtype.char][1])


def _plain(family, backward, x, type, lengths_and_axes, s, axes, norm, workers):
    call = (_CODES[family, backward, type], x, s, axes, norm, workers)
    out = again(*call)
    if out is not None:
        return out
    index = norm_index(norm, backward)
    workers = worker_count(workers)
    lengths, axes = lengths_and_axes(x, s, axes)
    if not axes:
        return x
    fit = resized(x, lengths, axes)
    kinds = (_of_type(family, backward, type),) * len(axes)
    out = np.empty(fit.shape, fit.dtype)
    return run(fit, out, fit.shape, axes, kinds, False, index, workers, call if stays(fit, x) else None)


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
