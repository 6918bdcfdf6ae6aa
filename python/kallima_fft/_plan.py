"""Distributed transforms: a plan on an mpi4py communicator, and arrays of which every rank has a part."""

import atexit
import contextlib
import weakref

import numpy as np

from . import _core
from ._arguments import norm_index
from ._plans import COMPLEX, REALS

_living = weakref.WeakSet()


def _release_all():
    for plan in list(_living):
        plan._plan = plan._comm_handle = None


def _kinds(kind, axes):
    """Whether the input is real, and a kind for each axis."""
    if kind in ("c2c", "r2c"):
        return kind == "r2c", []
    kinds = [kind] * axes if isinstance(kind, str) else list(kind)
    return True, kinds


def plan_arguments(shape, kind="c2c", axes=None, dtype=np.float64, layout_in=None, layout_out=None, output="same",
                   effort="measure", route="auto", wire="same"):
    """Plan's arguments as the extension modules take them."""
    shape = [int(n) for n in np.atleast_1d(shape)]
    axes = list(range(len(shape))) if axes is None else [int(a) for a in np.atleast_1d(axes)]
    real, kinds = _kinds(kind, len(axes))
    precision = np.dtype(dtype).char if np.dtype(dtype).kind == "f" else REALS[np.dtype(dtype).char]
    return {"shape": shape, "axes": axes, "kinds": kinds, "real": real, "precision": precision,
            "layout_in": layout_in or "", "layout_out": layout_out or "", "output": output, "effort": effort,
            "route": route, "wire": wire or "same"}


def _module_and_comm(comm):
    """The extension module for a communicator, and that as its own."""
    if comm is None:
        return _core, _core.Comm()
    from mpi4py import MPI  # which initialises MPI, and has registered how to finalise it

    try:
        from . import _core_mpi
    except ImportError as error:
        raise RuntimeError(f"this kallima_fft was built without MPI ({error})") from None
    atexit.unregister(_release_all)
    atexit.register(_release_all)  # before MPI is finalised
    return _core_mpi, _core_mpi.mpi_comm(MPI._addressof(comm))


class DistributedArray:
    """One rank's part of an array. `local` is a NumPy array, no copy of anything; `indices` are the global indices of
    its elements, one array for each dimension that broadcast against each other, as numpy.ogrid's do."""

    def __init__(self, local, owned, global_shape, comm, layout):
        self.local = local
        self.global_shape = tuple(global_shape)
        self.comm = comm
        self.layout = layout
        self._owned = owned

    @property
    def indices(self):
        lines = [first + step * np.arange(count) for first, step, count in self._owned]
        return np.ix_(*lines)

    @property
    def slices(self):
        """Where the part stands in the whole: whole[array.slices] has the elements of array.local."""
        return tuple(slice(first, first + step * count, step) for first, step, count in self._owned)

    @property
    def dtype(self):
        return self.local.dtype

    def fill_with(self, function):
        """Sets every element to function(j0, j1, ...) of its global indices. Returns the array."""
        self.local[...] = function(*self.indices)
        return self

    def gather(self, root=0):
        """The whole array on one rank, None on the others. Collective."""
        if self.comm is None:
            return self.local.copy()
        parts = self.comm.gather((self.slices, self.local), root=root)
        if parts is None:
            return None
        whole = np.empty(self.global_shape, self.dtype)
        for slices, local in parts:
            if local.size:
                whole[slices] = local
        return whole

    def __array__(self, dtype=None, copy=None):
        if copy or (dtype is not None and np.dtype(dtype) != self.dtype):
            return np.array(self.local, dtype=dtype)
        return self.local

    def __getitem__(self, key):
        return self.local[key]

    def __setitem__(self, key, value):
        self.local[key] = value

    def __repr__(self):
        return f"DistributedArray({self.local.shape} of {self.global_shape}, {self.dtype}, layout {self.layout!r})"


class Pending:
    """A transform that has begun. The exchange goes on in test() and wait(); both arrays are left alone until then."""

    def __init__(self, running, result):
        self._running = running
        self._result = result

    def test(self):
        """Moves on a little; True when the result is there."""
        return self._running.test()

    def wait(self):
        """The result, when it is there. Every rank waits for what it has begun in the same order."""
        self._running.wait()
        return self._result


class Plan:
    """A transform of distributed arrays, planned by all ranks of `comm` together and run many times.

    shape       of the whole array that forward() takes
    comm        mpi4py's communicator; None: this process alone
    kind        "c2c", "r2c" (n/2+1 along the last axis), "dct1" to "dct4", "dst1" to "dst4", or one of the latter and
                "fourier" for each axis
    axes        that are transformed; None: all
    dtype       of the reals: float64, float32 or longdouble
    layout_in, layout_out   texts such as "slab", "pencil:0", "block:4x2x1", "cyclic:4x1x1", "fftw"; None: the planner
                chooses, which is how one comes by a single exchange
    output      "same": the result is laid out as the input was; "any": as is cheapest
    effort      "estimate", "measure" or "patient"
    route, wire by name, as of the command line
    """

    def __init__(self, shape, comm=None, *, kind="c2c", axes=None, dtype=np.float64, layout_in=None, layout_out=None,
                 output="same", effort="measure", route="auto", wire="same"):
        given = plan_arguments(shape, kind, axes, dtype, layout_in, layout_out, output, effort, route, wire)
        self.comm = comm
        self._real = given["precision"]
        module, self._comm_handle = _module_and_comm(comm)
        self._plan = module.Distributed(given, self._comm_handle)
        _living.add(self)

    # ---- arrays ----

    def _dtype(self, out):
        return np.dtype(self._real) if self._plan.is_real(out) else COMPLEX[self._real]

    def _array(self, out, local=None):
        owned = self._plan.owned(out)
        shape = tuple(count for _, _, count in owned)
        if local is None:
            local = np.zeros(shape, self._dtype(out))
        return DistributedArray(local, owned, self._plan.global_shape(out), self.comm, self._plan.layout(out))

    def empty(self, side="in"):
        """A distributed array of zeros for the input of forward(), or for its output ("out")."""
        if side not in ("in", "out"):
            raise ValueError(f"there is no side {side!r}: use 'in' or 'out'")
        return self._array(side == "out")

    def _taken(self, array, out):
        local = array.local if isinstance(array, DistributedArray) else np.asarray(array)
        want = tuple(count for _, _, count in self._plan.owned(out))
        if local.shape != want or local.dtype != self._dtype(out):
            raise ValueError(f"an array is {local.dtype} of {local.shape}, but this rank's part is {self._dtype(out)} "
                             f"of {want}: make it with plan.empty('{'out' if out else 'in'}')")
        return np.ascontiguousarray(local)

    # ---- running ----

    def _run(self, backward, x, out, norm):
        x = self._taken(x, backward)
        result = self._array(not backward, None if out is None else self._taken(out, not backward))
        self._plan.run(backward, x, result.local, norm_index(norm, backward))
        return result if out is None else out

    def forward(self, x, out=None, norm=None):
        """The transform of `x`, a DistributedArray or this rank's part as a NumPy array. Collective."""
        return self._run(False, x, out, norm)

    def backward(self, x, out=None, norm=None):
        """The inverse transform, divided by N unless `norm` says otherwise. Collective."""
        return self._run(True, x, out, norm)

    def _start(self, backward, x, out, norm):
        x = self._taken(x, backward)
        result = self._array(not backward) if out is None else out
        local = self._taken(result, not backward)
        return Pending(self._plan.start(backward, x, local, norm_index(norm, backward)), result)

    def start_forward(self, x, out=None, norm=None):
        """The same without waiting: a Pending, whose blocks are on their way. Collective."""
        return self._start(False, x, out, norm)

    def start_backward(self, x, out=None, norm=None):
        """backward() without waiting. Collective."""
        return self._start(True, x, out, norm)

    def _many(self, backward, arrays, norm):
        results = [self._array(not backward) for _ in arrays]
        self._plan.run_many(backward, [self._taken(x, backward) for x in arrays], [r.local for r in results],
                            norm_index(norm, backward))
        return results

    def forward_many(self, arrays, norm=None):
        """Several arrays (a vector field) through one pipeline: one travels while the next is computed. Collective."""
        return self._many(False, list(arrays), norm)

    def backward_many(self, arrays, norm=None):
        """The inverse of forward_many(). Collective."""
        return self._many(True, list(arrays), norm)

    # ---- what it is ----

    def explain(self):
        """Which way the transform goes, and why."""
        return self._plan.explanation()

    @property
    def route(self):
        return self._plan.route()

    @property
    def exchanges(self):
        """How often data is exchanged."""
        return self._plan.exchanges()

    @property
    def workspace_bytes(self):
        return self._plan.workspace_bytes()

    @contextlib.contextmanager
    def recorded(self, result):
        """Within this context what every rank does is recorded; then `result`, a list, gets a Trace of all ranks, which
        is a picture in a notebook. Collective at its end."""
        self._plan.record()
        yield
        result.append(self._plan.stop_recording())

    def __repr__(self):
        shape = "x".join(map(str, self._plan.global_shape(False)))
        ranks = 1 if self.comm is None else self.comm.size
        return f"Plan({shape} on {ranks} ranks: {self.route}, {self.exchanges} exchanges)"
