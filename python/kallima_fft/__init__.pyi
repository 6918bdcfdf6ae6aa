from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from typing import Any, Literal, Optional, Union

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

_Norm = Optional[Literal["backward", "ortho", "forward"]]
_Axes = Union[None, int, Sequence[int]]
_Array = NDArray[Any]

__version__: str
__ua_domain__: str

def __ua_function__(method: Any, args: Any, kwargs: Any) -> Any: ...

def fft(
    x: ArrayLike, n: Optional[int] = None, axis: int = -1, norm: _Norm = None, overwrite_x: bool = False,
    workers: Optional[int] = None, *, plan: None = None
) -> _Array: ...
def ifft(
    x: ArrayLike, n: Optional[int] = None, axis: int = -1, norm: _Norm = None, overwrite_x: bool = False,
    workers: Optional[int] = None, *, plan: None = None
) -> _Array: ...
def rfft(
    x: ArrayLike, n: Optional[int] = None, axis: int = -1, norm: _Norm = None, overwrite_x: bool = False,
    workers: Optional[int] = None, *, plan: None = None
) -> _Array: ...
def irfft(
    x: ArrayLike, n: Optional[int] = None, axis: int = -1, norm: _Norm = None, overwrite_x: bool = False,
    workers: Optional[int] = None, *, plan: None = None
) -> _Array: ...
def hfft(
    x: ArrayLike, n: Optional[int] = None, axis: int = -1, norm: _Norm = None, overwrite_x: bool = False,
    workers: Optional[int] = None, *, plan: None = None
) -> _Array: ...
def ihfft(
    x: ArrayLike, n: Optional[int] = None, axis: int = -1, norm: _Norm = None, overwrite_x: bool = False,
    workers: Optional[int] = None, *, plan: None = None
) -> _Array: ...
def fft2(
    x: ArrayLike, s: _Axes = None, axes: _Axes = (-2, -1), norm: _Norm = None, overwrite_x: bool = False,
    workers: Optional[int] = None, *, plan: None = None
) -> _Array: ...
def ifft2(
    x: ArrayLike, s: _Axes = None, axes: _Axes = (-2, -1), norm: _Norm = None, overwrite_x: bool = False,
    workers: Optional[int] = None, *, plan: None = None
) -> _Array: ...
def rfft2(
    x: ArrayLike, s: _Axes = None, axes: _Axes = (-2, -1), norm: _Norm = None, overwrite_x: bool = False,
    workers: Optional[int] = None, *, plan: None = None
) -> _Array: ...
def irfft2(
    x: ArrayLike, s: _Axes = None, axes: _Axes = (-2, -1), norm: _Norm = None, overwrite_x: bool = False,
    workers: Optional[int] = None, *, plan: None = None
) -> _Array: ...
def hfft2(
    x: ArrayLike, s: _Axes = None, axes: _Axes = (-2, -1), norm: _Norm = None, overwrite_x: bool = False,
    workers: Optional[int] = None, *, plan: None = None
) -> _Array: ...
def ihfft2(
    x: ArrayLike, s: _Axes = None, axes: _Axes = (-2, -1), norm: _Norm = None, overwrite_x: bool = False,
    workers: Optional[int] = None, *, plan: None = None
) -> _Array: ...
def fftn(
    x: ArrayLike, s: _Axes = None, axes: _Axes = None, norm: _Norm = None, overwrite_x: bool = False,
    workers: Optional[int] = None, *, plan: None = None
) -> _Array: ...
def ifftn(
    x: ArrayLike, s: _Axes = None, axes: _Axes = None, norm: _Norm = None, overwrite_x: bool = False,
    workers: Optional[int] = None, *, plan: None = None
) -> _Array: ...
def rfftn(
    x: ArrayLike, s: _Axes = None, axes: _Axes = None, norm: _Norm = None, overwrite_x: bool = False,
    workers: Optional[int] = None, *, plan: None = None
) -> _Array: ...
def irfftn(
    x: ArrayLike, s: _Axes = None, axes: _Axes = None, norm: _Norm = None, overwrite_x: bool = False,
    workers: Optional[int] = None, *, plan: None = None
) -> _Array: ...
def hfftn(
    x: ArrayLike, s: _Axes = None, axes: _Axes = None, norm: _Norm = None, overwrite_x: bool = False,
    workers: Optional[int] = None, *, plan: None = None
) -> _Array: ...
def ihfftn(
    x: ArrayLike, s: _Axes = None, axes: _Axes = None, norm: _Norm = None, overwrite_x: bool = False,
    workers: Optional[int] = None, *, plan: None = None
) -> _Array: ...
def dct(
    x: ArrayLike, type: Literal[1, 2, 3, 4] = 2, n: Optional[int] = None, axis: int = -1, norm: _Norm = None,
    overwrite_x: bool = False, workers: Optional[int] = None, orthogonalize: Optional[bool] = None
) -> _Array: ...
def idct(
    x: ArrayLike, type: Literal[1, 2, 3, 4] = 2, n: Optional[int] = None, axis: int = -1, norm: _Norm = None,
    overwrite_x: bool = False, workers: Optional[int] = None, orthogonalize: Optional[bool] = None
) -> _Array: ...
def dst(
    x: ArrayLike, type: Literal[1, 2, 3, 4] = 2, n: Optional[int] = None, axis: int = -1, norm: _Norm = None,
    overwrite_x: bool = False, workers: Optional[int] = None, orthogonalize: Optional[bool] = None
) -> _Array: ...
def idst(
    x: ArrayLike, type: Literal[1, 2, 3, 4] = 2, n: Optional[int] = None, axis: int = -1, norm: _Norm = None,
    overwrite_x: bool = False, workers: Optional[int] = None, orthogonalize: Optional[bool] = None
) -> _Array: ...
def dctn(
    x: ArrayLike, type: Literal[1, 2, 3, 4] = 2, s: _Axes = None, axes: _Axes = None, norm: _Norm = None,
    overwrite_x: bool = False, workers: Optional[int] = None, *, orthogonalize: Optional[bool] = None
) -> _Array: ...
def idctn(
    x: ArrayLike, type: Literal[1, 2, 3, 4] = 2, s: _Axes = None, axes: _Axes = None, norm: _Norm = None,
    overwrite_x: bool = False, workers: Optional[int] = None, *, orthogonalize: Optional[bool] = None
) -> _Array: ...
def dstn(
    x: ArrayLike, type: Literal[1, 2, 3, 4] = 2, s: _Axes = None, axes: _Axes = None, norm: _Norm = None,
    overwrite_x: bool = False, workers: Optional[int] = None, *, orthogonalize: Optional[bool] = None
) -> _Array: ...
def idstn(
    x: ArrayLike, type: Literal[1, 2, 3, 4] = 2, s: _Axes = None, axes: _Axes = None, norm: _Norm = None,
    overwrite_x: bool = False, workers: Optional[int] = None, *, orthogonalize: Optional[bool] = None
) -> _Array: ...

def get_workers() -> int: ...
def set_workers(workers: int) -> AbstractContextManager[None]: ...
def clear_plans() -> None: ...

class DistributedArray:
    local: _Array
    global_shape: tuple[int, ...]
    comm: Any
    layout: str
    @property
    def indices(self) -> tuple[NDArray[np.int64], ...]: ...
    @property
    def slices(self) -> tuple[slice, ...]: ...
    @property
    def dtype(self) -> np.dtype[Any]: ...
    def fill_with(self, function: Callable[..., ArrayLike]) -> DistributedArray: ...
    def gather(self, root: int = 0) -> Optional[_Array]: ...
    def __array__(self, dtype: Optional[DTypeLike] = None, copy: Optional[bool] = None) -> _Array: ...
    def __getitem__(self, key: Any) -> Any: ...
    def __setitem__(self, key: Any, value: Any) -> None: ...

class Pending:
    def test(self) -> bool: ...
    def wait(self) -> DistributedArray: ...

_Part = Union[DistributedArray, _Array]

class Plan:
    comm: Any
    def __init__(
        self, shape: Union[int, Sequence[int]], comm: Any = None, *, kind: Union[str, Sequence[str]] = "c2c",
        axes: _Axes = None, dtype: DTypeLike = ..., layout_in: Optional[str] = None, layout_out: Optional[str] = None,
        output: Literal["same", "any"] = "same", effort: Literal["estimate", "measure", "patient"] = "measure",
        route: str = "auto", wire: str = "same"
    ) -> None: ...
    def empty(self, side: Literal["in", "out"] = "in") -> DistributedArray: ...
    def forward(self, x: _Part, out: Optional[_Part] = None, norm: _Norm = None) -> DistributedArray: ...
    def backward(self, x: _Part, out: Optional[_Part] = None, norm: _Norm = None) -> DistributedArray: ...
    def start_forward(self, x: _Part, out: Optional[_Part] = None, norm: _Norm = None) -> Pending: ...
    def start_backward(self, x: _Part, out: Optional[_Part] = None, norm: _Norm = None) -> Pending: ...
    def forward_many(self, arrays: Iterable[_Part], norm: _Norm = None) -> list[DistributedArray]: ...
    def backward_many(self, arrays: Iterable[_Part], norm: _Norm = None) -> list[DistributedArray]: ...
    def explain(self) -> str: ...
    def recorded(self, result: list[Trace]) -> AbstractContextManager[None]: ...
    @property
    def route(self) -> str: ...
    @property
    def exchanges(self) -> int: ...
    @property
    def workspace_bytes(self) -> int: ...

class Trace:
    ranks: int
    unit: str
    duration: float
    hidden: float
    events: list[tuple[int, str, float, float, int, int]]
    def perfetto(self) -> str: ...
    def svg(self, title: str = "") -> str: ...

class Prediction:
    time: float
    unit: str
    messages: int
    words: int
    hidden: float
    trace: Trace
    machine: str
    explanation: str
    exchanges: int

class Machine:
    text: str
    numbers: dict[str, Any]
    def __init__(self, text: str) -> None: ...

class Schedule:
    text: str
    json: dict[str, Any]
    @property
    def ranks(self) -> int: ...
    def tasks(self, rank: int) -> list[dict[str, Any]]: ...
    def save(self, path: str) -> None: ...

def schedule(
    shape: Union[int, Sequence[int]], ranks: int, *, backward: bool = False, **arguments: Any
) -> Schedule: ...
def predict(
    shape: Union[int, Sequence[int]], ranks: int, machine: Union[str, Machine], *, backward: bool = False,
    **arguments: Any
) -> Prediction: ...
