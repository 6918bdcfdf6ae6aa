"""Fast Fourier transforms by Kallima: those of scipy.fft on one machine, and distributed ones.

    import kallima_fft
    y = kallima_fft.fftn(x, workers=2)                    # as scipy.fft.fftn

    with scipy.fft.set_backend(kallima_fft): ...          # scipy.fft itself goes through Kallima

    plan = kallima_fft.Plan((256, 256, 256), comm=MPI.COMM_WORLD)    # mpi4py's communicator
    u = plan.empty()                                      # this rank's part, which knows its global indices
    v = plan.forward(u)
"""

from . import _fourier, _real
from ._arguments import get_workers, set_workers
from ._fourier import *
from ._core import Prediction, Trace
from ._laboratory import Machine, Schedule, predict, schedule
from ._plan import DistributedArray, Pending, Plan
from ._plans import clear_plans
from ._real import *

__version__ = "0.1.0"
__all__ = _fourier.__all__ + _real.__all__ + [
    "DistributedArray", "Machine", "Pending", "Plan", "Prediction", "Schedule", "Trace", "clear_plans", "get_workers",
    "predict", "schedule", "set_workers"]

__ua_domain__ = "numpy.scipy.fft"
_functions = {name: globals()[name] for name in _fourier.__all__ + _real.__all__}


def __ua_function__(method, args, kwargs):
    """How scipy.fft calls a backend (uarray's protocol). What is not ours, such as fht, is SciPy's own."""
    import scipy.fft

    function = _functions.get(method.__name__)
    if function is None:
        with scipy.fft.set_backend("scipy", only=True):
            return method(*args, **kwargs)
    if kwargs.get("workers") is None:
        kwargs = {**kwargs, "workers": scipy.fft.get_workers()}
    return function(*args, **kwargs)
