"""Transforms of dask arrays, chunked as they may be: axis after axis is made whole in memory, and the others cut
instead, so that no chunk grows beyond what dask thinks right. Nothing is computed until dask is asked to."""

import numpy as np

_COMPLEX = {"f": np.complex64, "d": np.complex128, "g": np.clongdouble}


def is_dask(x):
    """Without importing dask, which may not be there."""
    return type(x).__module__.startswith("dask.array")


def _result_type(name, dtype):
    real = np.empty(0, dtype).real.dtype
    real = np.dtype(np.float32) if real == np.float16 else real if real.kind == "f" else np.dtype(np.float64)
    is_real = name in ("irfft", "hfft") or (name in ("dct", "idct", "dst", "idst") and np.dtype(dtype).kind != "c")
    return real if is_real else np.dtype(_COMPLEX[real.char])


def _along(function, x, n, axis, norm, workers, **more):
    """One axis, by the function of that name for whole arrays."""
    name = function.__name__
    x = x.rechunk({d: -1 if d == axis else "auto" for d in range(x.ndim)})
    taken = n if n is not None else 2 * (x.shape[axis] - 1) if name in ("irfft", "hfft") else x.shape[axis]
    length = taken // 2 + 1 if name in ("rfft", "ihfft") else taken
    chunks = tuple((length,) if d == axis else c for d, c in enumerate(x.chunks))
    return x.map_blocks(function, n=n, axis=axis, norm=norm, workers=workers, dtype=_result_type(name, x.dtype),
                        chunks=chunks, meta=np.empty((0,) * x.ndim, _result_type(name, x.dtype)), **more)


def over_chunks(kind, backward, functions, x, lengths, axes, norm, workers):
    """`lengths` are None where the caller gave none. Reals become complex along the last axis first, and come back
    along it last."""
    last = {"c2c": None, "r2c": "ihfft" if backward else "rfft", "c2r": "irfft" if backward else "hfft"}[kind]
    other = functions["ifft" if backward else "fft"]
    steps = [(other, n, axis) for n, axis in zip(lengths, axes)]
    if last is not None:
        steps[-1] = (functions[last], lengths[-1], axes[-1])
    for function, n, axis in reversed(steps) if kind == "r2c" else steps:
        x = _along(function, x, n, axis, norm, workers)
    return x


def cosines_over_chunks(function, x, lengths, axes, norm, workers, **more):
    """The same of a cosine or sine transform along one axis."""
    for n, axis in zip(lengths, axes):
        x = _along(function, x, n, axis, norm, workers, **more)
    return x
