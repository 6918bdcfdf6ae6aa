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


def rivals(name, x, shape, workers):
    """Name and call of each that there is, Kallima's first."""
    axes = tuple(range(x.ndim))
    sizes = {"s": shape} if name == "irfftn" else {}
    yield "kallima", lambda: getattr(kallima_fft, name)(x, workers=workers, **sizes)
    try:
        import scipy.fft

        yield "scipy", lambda: getattr(scipy.fft, name)(x, workers=workers, **sizes)
    except ImportError:
        pass
    try:
        import pyfftw

        plan = getattr(pyfftw.builders, name)(x.copy(), threads=workers, planner_effort="FFTW_MEASURE", **sizes)
        yield "pyfftw", lambda: plan(x)
    except ImportError:
        pass
    try:
        import ducc0

        if name == "irfftn":
            scale = {"lastsize": shape[-1], "forward": False, "inorm": 2}
            yield "ducc0", lambda: ducc0.fft.c2r(x, axes=axes, nthreads=workers, **scale)
        else:
            function = ducc0.fft.r2c if name == "rfftn" else ducc0.fft.c2c
            yield "ducc0", lambda: function(x, axes=axes, nthreads=workers)
    except ImportError:
        pass


def medians(name, x, shape, workers, seconds=2):
    calls, times = dict(rivals(name, x, shape, workers)), {}
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
    for words in shapes or [*SHAPES, "16"]:
        shape = [int(n) for n in words.split("x")]
        reals = random.standard_normal(shape)
        inputs = {"fftn": reals + 1j * reals[::-1], "rfftn": reals, "irfftn": kallima_fft.rfftn(reals)}
        for name, x in inputs.items():
            found = medians(name, x, shape, int(workers))
            ours = found.pop("kallima")
            ratios = "  ".join(f"{rival} {t / ours:.2f}" for rival, t in found.items())
            print(f"{words:12s} {name:6s} {ours * 1e3:10.4f} ms  {ratios}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
