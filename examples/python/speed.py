"""How fast kallima_fft is beside scipy.fft, pyFFTW and ducc0, as far as these are there:

    ./kallima python examples/python/speed.py [workers [shape ...]]

Medians of runs in turn. pyFFTW is planned with FFTW_MEASURE and writes to an array of its own each time; the others
give a new one. The last lines are what a call of 16 points takes in all."""

import statistics
import sys
import time

import numpy as np

import kallima_fft

SHAPES = ["64x64x64", "128x128x128", "256x256x256", "65536", "262144", "1048576", "4194304", "16777216"]


def rivals(x, workers):
    """Name and call of each that there is, Kallima's first."""
    real, axes = x.dtype.kind == "f", tuple(range(x.ndim))
    name = "rfftn" if real else "fftn"
    yield "kallima", lambda: getattr(kallima_fft, name)(x, workers=workers)
    try:
        import scipy.fft

        yield "scipy", lambda: getattr(scipy.fft, name)(x, workers=workers)
    except ImportError:
        pass
    try:
        import pyfftw

        plan = getattr(pyfftw.builders, name)(x.copy(), threads=workers, planner_effort="FFTW_MEASURE")
        yield "pyfftw", lambda: plan(x)
    except ImportError:
        pass
    try:
        import ducc0

        function = ducc0.fft.r2c if real else ducc0.fft.c2c
        yield "ducc0", lambda: function(x, axes=axes, nthreads=workers)
    except ImportError:
        pass


def medians(x, workers, seconds=2):
    calls, times = dict(rivals(x, workers)), {}
    repeat = max(1, 200_000 // x.size)
    for call in calls.values():
        call()
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or len(times["kallima"]) < 5:
        for name, call in calls.items():
            begin = time.perf_counter()
            for _ in range(repeat):
                call()
            times.setdefault(name, []).append((time.perf_counter() - begin) / repeat)
    return {name: statistics.median(t) for name, t in times.items()}


def main(workers=2, *shapes):
    random = np.random.default_rng(0)
    print(f"{int(workers)} workers; times of others over Kallima's")
    for shape in shapes or [*SHAPES, "16"]:
        reals = random.standard_normal([int(n) for n in shape.split("x")])
        for x in (reals + 1j * reals[::-1], reals):
            found = medians(x, int(workers))
            ours = found.pop("kallima")
            ratios = "  ".join(f"{name} {t / ours:.2f}" for name, t in found.items())
            kind = "complex" if x.dtype.kind == "c" else "real   "
            print(f"{shape:12s} {kind} {ours * 1e3:10.4f} ms  {ratios}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
