"""Cosine and sine transforms of types 1 to 4 with the signatures, types and results of scipy.fft. They are unscaled as
SciPy's and FFTW's are; an orthogonal one, of norm "ortho" unless the caller says otherwise, has its first or last
coefficient weighed before or after."""

import itertools

import numpy as np

from ._arguments import float_array, norm_index, one_axis, resized, shape_and_axes, stays, worker_count
from ._core import again
from ._dask import cosines_over_chunks, is_dask
from ._plans import run

__all__ = ["dct", "idct", "dst", "idst", "dctn", "idctn", "dstn", "idstn"]

_WEIGH_INPUT = {"dct1", "dct3", "dst3"}  # where they are orthogonal
_CODES = {key: code for code, key in
          enumerate(itertools.product(("dct", "dst"), (False, True), (1, 2, 3, 4), (False, True)), 16)}


def _transform(family, backward, x, type, lengths_and_axes, s, axes, norm, workers, orthogonalize):
    if type not in (1, 2, 3, 4):
        raise ValueError(f"invalid type {type!r}: there are 1, 2, 3 and 4")
    if is_dask(x):
        function = globals()[f"i{family}" if backward else family]
        lengths, axes = lengths_and_axes(x, s, axes)
        return cosines_over_chunks(function, x, [None] * len(axes) if s is None else lengths, axes, norm,
                                   worker_count(workers), type=type, orthogonalize=orthogonalize)
    orthogonal = type != 4 and bool(norm == "ortho" if orthogonalize is None else orthogonalize)
    x = float_array(x)
    call = (_CODES[family, backward, type, orthogonal], x, s, axes, norm, workers)
    out = again(*call)
    if out is not None:
        return out
    index = norm_index(norm, backward)
    workers = worker_count(workers)
    lengths, axes = lengths_and_axes(x, s, axes)
    if not axes:
        return x
    kind = f"{family}{5 - type if backward and type in (2, 3) else type}"
    fit = resized(x, lengths, axes)
    if orthogonal and kind in _WEIGH_INPUT and stays(fit, x):
        fit = fit.copy()
    out = np.empty(fit.shape, fit.dtype)
    return run(fit, out, fit.shape, axes, (kind,) * len(axes), False, index, workers, call, orthogonal=orthogonal)


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
