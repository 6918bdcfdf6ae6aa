"""Fourier transforms with the signatures, types and results of scipy.fft."""

import numpy as np

from ._arguments import complex_array, float_array, norm_index, one_axis, resized, shape_and_axes, worker_count
from ._core import Whole, again
from ._dask import is_dask, over_chunks
from ._plans import COMPLEX, REALS, run

__all__ = ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft", "fft2", "ifft2", "rfft2", "irfft2", "hfft2", "ihfft2",
           "fftn", "ifftn", "rfftn", "irfftn", "hfftn", "ihfftn"]


# ---- what all are made of -------------------------------------------------------------------------------------------


def _c2c(x, axes, backward, norm, workers, call):
    """Of complex numbers, or of reals, of which half of the spectrum tells the rest."""
    if x.dtype.kind == "c":
        return run(x, np.empty(x.shape, x.dtype), x.shape, axes, (), backward, norm, workers, call)
    whole = Whole.conjugated if backward else Whole.yes
    out = np.empty(x.shape, COMPLEX[x.dtype.char])
    return run(x, out, x.shape, axes, (), False, norm, workers, call, whole)


def _r2c(x, axes, norm, workers, call):
    """The half of the spectrum along the last axis that determines the rest."""
    shape = list(x.shape)
    shape[axes[-1]] = shape[axes[-1]] // 2 + 1
    return run(x, np.empty(shape, COMPLEX[x.dtype.char]), x.shape, axes, (), False, norm, workers, call)


def _c2r(x, length, axes, norm, workers, call):
    """Back to reals, so many along the last axis."""
    shape = list(x.shape)
    shape[axes[-1]] = length
    return run(x, np.empty(shape, REALS[x.dtype.char]), shape, axes, (), True, norm, workers, call)


def _real_array(x):
    x = float_array(x)
    if x.dtype.kind == "c":
        raise TypeError("x must be a real sequence")
    return x


def _to_reals(x, given, lengths, axes):
    """Lengths of a result that is real: where the caller does not say, the last is even."""
    if not given:
        lengths[-1] = (x.shape[axes[-1]] - 1) * 2
        if lengths[-1] < 1:
            raise ValueError(f"Invalid number of data points ({lengths[-1]}) specified")
    return lengths


def _prepared(kind, x):
    if kind == "r2c":
        return _real_array(x)
    return float_array(x) if kind == "c2c" else complex_array(x)


FFT, IFFT, RFFT, IRFFT, HFFT, IHFFT = range(6)
_KINDS = [("c2c", False), ("c2c", True), ("r2c", False), ("c2r", True), ("c2r", False), ("r2c", True)]
_OTHER_WAY = {None: "forward", "backward": "forward", "ortho": "ortho", "forward": "backward"}


def _long_way(code, x, lengths_and_axes, s, axes, norm, workers, plan):
    """Any of them, the first time, or of what is no array of floats yet."""
    if plan is not None:
        raise NotImplementedError("a precomputed plan is not taken here; kallima_fft.Plan stands by itself")
    kind, backward = _KINDS[code]
    if is_dask(x):
        lengths, axes = lengths_and_axes(x, s, axes)
        lengths = [None] * len(axes) if s is None else lengths
        return over_chunks(kind, backward, globals(), x, lengths, axes, norm, worker_count(workers))
    norm_index(norm, backward)
    given, x = x, _prepared(kind, x)
    if code == HFFT:
        return _array(IRFFT, np.conj(x), lengths_and_axes, s, axes, _OTHER_WAY[norm], workers, None)
    if code == IHFFT:
        out = _array(RFFT, x, lengths_and_axes, s, axes, _OTHER_WAY[norm], workers, None)
        return np.conj(out, out=out)
    return _array(code, x, lengths_and_axes, s, axes, norm, workers, given)


def _array(code, x, lengths_and_axes, s, axes, norm, workers, asked):
    """Of an array of floats. `asked` has been asked for already."""
    call = (code, x, s, axes, norm, workers)
    out = again(*call) if x is not asked else None
    if out is not None:
        return out
    kind, backward = _KINDS[code]
    workers = worker_count(workers)
    index = norm_index(norm, backward)
    lengths, axes = lengths_and_axes(x, s, axes)
    if not axes:
        if kind == "c2c":
            return x
        raise ValueError("at least 1 axis must be transformed")
    if kind == "c2r":
        lengths = _to_reals(x, s is not None, lengths, axes)
    half = lengths[:-1] + [lengths[-1] // 2 + 1]
    fit = resized(x, half if kind == "c2r" else lengths, axes)
    if kind == "c2c":
        return _c2c(fit, axes, backward, index, workers, call)
    if kind == "c2r":
        return _c2r(fit, lengths[-1], axes, index, workers, call)
    return _r2c(fit, axes, index, workers, call)


# ---- along one axis -------------------------------------------------------------------------------------------------


def fft(x, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, *, plan=None):
    """The discrete Fourier transform along an axis: y[k] = sum_j x[j] exp(-2 pi i jk/n).

    `n` cuts `x` off or fills it up with zeros; `norm` is "backward" (None), "ortho" or "forward", as in scipy.fft;
    `workers` threads share the work. `x` is left as it is: `overwrite_x` is taken as leave, not as order."""
    if plan is None:
        out = again(FFT, x, n, axis, norm, workers)
        if out is not None:
            return out
    return _long_way(FFT, x, one_axis, n, axis, norm, workers, plan)


def ifft(x, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, *, plan=None):
    """The inverse of fft(), divided by n unless `norm` says otherwise."""
    if plan is None:
        out = again(IFFT, x, n, axis, norm, workers)
        if out is not None:
            return out
    return _long_way(IFFT, x, one_axis, n, axis, norm, workers, plan)


def rfft(x, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, *, plan=None):
    """The transform of reals: the n/2+1 complex numbers that determine the rest."""
    if plan is None:
        out = again(RFFT, x, n, axis, norm, workers)
        if out is not None:
            return out
    return _long_way(RFFT, x, one_axis, n, axis, norm, workers, plan)


def irfft(x, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, *, plan=None):
    """The inverse of rfft(); `n` reals, or 2(m-1) where x has m numbers."""
    if plan is None:
        out = again(IRFFT, x, n, axis, norm, workers)
        if out is not None:
            return out
    return _long_way(IRFFT, x, one_axis, n, axis, norm, workers, plan)


def hfft(x, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, *, plan=None):
    """fft() of a Hermitian sequence, given by its first half: `n` reals."""
    if plan is None:
        out = again(HFFT, x, n, axis, norm, workers)
        if out is not None:
            return out
    return _long_way(HFFT, x, one_axis, n, axis, norm, workers, plan)


def ihfft(x, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, *, plan=None):
    """The inverse of hfft(): the first half of a Hermitian sequence."""
    if plan is None:
        out = again(IHFFT, x, n, axis, norm, workers)
        if out is not None:
            return out
    return _long_way(IHFFT, x, one_axis, n, axis, norm, workers, plan)


# ---- along several --------------------------------------------------------------------------------------------------


def fftn(x, s=None, axes=None, norm=None, overwrite_x=False, workers=None, *, plan=None):
    """fft() along several axes, all of them by default, to lengths `s`."""
    if plan is None:
        out = again(FFT, x, s, axes, norm, workers)
        if out is not None:
            return out
    return _long_way(FFT, x, shape_and_axes, s, axes, norm, workers, plan)


def ifftn(x, s=None, axes=None, norm=None, overwrite_x=False, workers=None, *, plan=None):
    """The inverse of fftn()."""
    if plan is None:
        out = again(IFFT, x, s, axes, norm, workers)
        if out is not None:
            return out
    return _long_way(IFFT, x, shape_and_axes, s, axes, norm, workers, plan)


def rfftn(x, s=None, axes=None, norm=None, overwrite_x=False, workers=None, *, plan=None):
    """fftn() of reals: n/2+1 numbers along the last of the axes."""
    if plan is None:
        out = again(RFFT, x, s, axes, norm, workers)
        if out is not None:
            return out
    return _long_way(RFFT, x, shape_and_axes, s, axes, norm, workers, plan)


def irfftn(x, s=None, axes=None, norm=None, overwrite_x=False, workers=None, *, plan=None):
    """The inverse of rfftn(); `s` are the lengths of the result."""
    if plan is None:
        out = again(IRFFT, x, s, axes, norm, workers)
        if out is not None:
            return out
    return _long_way(IRFFT, x, shape_and_axes, s, axes, norm, workers, plan)


def hfftn(x, s=None, axes=None, norm=None, overwrite_x=False, workers=None, *, plan=None):
    """fftn() of a Hermitian array, given by half of its last axis: an array of reals."""
    if plan is None:
        out = again(HFFT, x, s, axes, norm, workers)
        if out is not None:
            return out
    return _long_way(HFFT, x, shape_and_axes, s, axes, norm, workers, plan)


def ihfftn(x, s=None, axes=None, norm=None, overwrite_x=False, workers=None, *, plan=None):
    """The inverse of hfftn()."""
    if plan is None:
        out = again(IHFFT, x, s, axes, norm, workers)
        if out is not None:
            return out
    return _long_way(IHFFT, x, shape_and_axes, s, axes, norm, workers, plan)


def fft2(x, s=None, axes=(-2, -1), norm=None, overwrite_x=False, workers=None, *, plan=None):
    """fftn() along the last two axes."""
    return fftn(x, s, axes, norm, overwrite_x, workers, plan=plan)


def ifft2(x, s=None, axes=(-2, -1), norm=None, overwrite_x=False, workers=None, *, plan=None):
    """The inverse of fft2()."""
    return ifftn(x, s, axes, norm, overwrite_x, workers, plan=plan)


def rfft2(x, s=None, axes=(-2, -1), norm=None, overwrite_x=False, workers=None, *, plan=None):
    """rfftn() along the last two axes."""
    return rfftn(x, s, axes, norm, overwrite_x, workers, plan=plan)


def irfft2(x, s=None, axes=(-2, -1), norm=None, overwrite_x=False, workers=None, *, plan=None):
    """The inverse of rfft2()."""
    return irfftn(x, s, axes, norm, overwrite_x, workers, plan=plan)


def hfft2(x, s=None, axes=(-2, -1), norm=None, overwrite_x=False, workers=None, *, plan=None):
    """hfftn() along the last two axes."""
    return hfftn(x, s, axes, norm, overwrite_x, workers, plan=plan)


def ihfft2(x, s=None, axes=(-2, -1), norm=None, overwrite_x=False, workers=None, *, plan=None):
    """The inverse of hfft2()."""
    return ihfftn(x, s, axes, norm, overwrite_x, workers, plan=plan)
