#!/usr/bin/env python3
"""kallima_fft's functions against SciPy's, or NumPy's where there is no SciPy: all kinds, axes, lengths, norms and
types, arrays that are not contiguous, threads; and the errors of callers."""

import itertools
import threading
import unittest

import numpy as np

import kallima_fft as kf

try:
    import scipy.fft as reference
except ImportError:
    reference = None

FOURIER = ["fft", "ifft", "hfft", "irfft", "fftn", "ifftn", "hfftn", "irfftn"]
OF_REALS = ["rfft", "ihfft", "rfftn", "ihfftn"]
COSINES = ["dct", "idct", "dst", "idst", "dctn", "idctn", "dstn", "idstn"]
SHAPES = [(8,), (15,), (1,), (4, 6), (5, 7, 9), (16, 3, 8)]
random = np.random.default_rng(3)


def array(shape, dtype):
    x = random.standard_normal(shape) * 10
    return (x + 1j * random.standard_normal(shape)).astype(dtype) if dtype in "FDG" else x.astype(dtype)


class Functions(unittest.TestCase):
    def same(self, name, *args, expected=None, **kwargs):
        ours = getattr(kf, name)(*args, workers=2, **kwargs)
        again = getattr(kf, name)(*args, workers=2, **kwargs)  # a call that was made before goes a shorter way
        self.assertTrue((again == ours).all() and again.dtype == ours.dtype, (name, kwargs))
        theirs = getattr(reference or np.fft, name)(*args, **kwargs) if expected is None else expected
        theirs = np.asarray(theirs)
        self.assertEqual((ours.dtype, ours.shape), (theirs.dtype, theirs.shape), (name, kwargs))
        eps = np.finfo(theirs.dtype).eps if theirs.dtype.char not in "gG" else np.finfo(np.float64).eps
        scale = np.abs(theirs).max(initial=1e-30)
        self.assertLessEqual(np.abs(ours - theirs).max(initial=0), 60 * eps * scale, (name, args[0].shape, kwargs))

    def dtypes(self, real):
        if reference is None:
            return "d" if real else "dD"
        return "fdgei" if real else "fdgeiFDG"

    def test_fourier_transforms_of_every_type_norm_and_axis(self):
        for name, shape, norm in itertools.product(FOURIER + OF_REALS, SHAPES, [None, "ortho", "forward"]):
            if reference is None and name in ("hfftn", "ihfftn"):
                continue
            for dtype in self.dtypes(name in OF_REALS):
                x = array(shape, dtype)
                if shape == (1,) and name in ("irfft", "hfft", "irfftn", "hfftn"):
                    continue
                self.same(name, x, norm=norm)
                if name.endswith("n") and len(shape) > 1:
                    self.same(name, x, axes=(1, 0), norm=norm)
                    self.same(name, x, s=(6, 5), axes=(0, 1), norm=norm)
                elif not name.endswith("n"):
                    self.same(name, x, axis=0, norm=norm)
                    self.same(name, x, n=7, norm=norm)

    @unittest.skipIf(reference is None, "SciPy is what cosine transforms are compared with")
    def test_cosine_and_sine_transforms_of_every_type(self):
        norms = [None, "ortho", "forward"]
        for name, shape, norm, kind in itertools.product(COSINES, SHAPES[3:] + [(9,)], norms, (1, 2, 3, 4)):
            if "dst" in name and norm == "ortho":
                continue
            for dtype in "fdiD":
                x = array(shape, dtype)
                self.same(name, x, type=kind, norm=norm)
                if dtype != "D" and "dct" in name:  # SciPy before 1.12 weighs the wrong end of sines
                    self.same(name, x, type=kind, norm=norm, orthogonalize=norm is None)
                if len(shape) > 1 and name.endswith("n"):
                    self.same(name, x, type=kind, s=(6, 5), axes=(1, 0), norm=norm)

    def test_orthogonal_transforms_are_orthogonal(self):
        for name, kind, n in itertools.product(("dct", "dst", "idct", "idst"), (1, 2, 3, 4), (2, 7, 12)):
            matrix = getattr(kf, name)(np.eye(n), type=kind, norm="ortho")
            self.assertLess(np.abs(matrix @ matrix.T - np.eye(n)).max(), 1e-14, (name, kind, n))

    def test_two_axes(self):
        x = array((3, 12, 10), "d")
        for name in ("fft2", "ifft2", "rfft2"):
            self.same(name, x)
        self.same("irfft2", x.astype("D"))

    def test_arrays_wherever_they_stand(self):
        base = array((12, 20, 9), "D")
        views = [base.T, base[::-1, ::2], base[:, :, 3], np.asfortranarray(base), np.broadcast_to(base[0], (4, 20, 9)),
                 base.real, base[..., ::-1].imag, base.astype(">c16"),
                 np.frombuffer(b"\0" + base.tobytes(), np.uint8)[1:].view("D").reshape(base.shape)]
        for x in views:
            before = x.copy()
            self.same("fftn", x)
            self.same("fft", x, axis=0)
            self.same("fft", x, n=7, axis=0)  # a part of it, or filled up
            self.same("fftn", x, s=(15, 4))
            if reference is not None and x.dtype.kind == "f":
                self.same("dctn", x, type=3, norm="ortho")
                self.same("dctn", x, type=1, s=(15, 4), norm="ortho")
            self.assertTrue((x == before).all())

    def test_calls_that_were_made_before_see_what_has_changed(self):
        x = array((6, 8), "D")
        for _ in range(2):
            for norm, axis, y in itertools.product((None, "ortho"), (0, 1, -1), (x, x.T, x.astype("F"), x[:, ::2])):
                self.same("fft", y, norm=norm, axis=axis)
                self.same("ifft", y, norm=norm, axis=axis)
                for n in (3, 5, 9):
                    self.same("fft", y, n=n, norm=norm, axis=axis)
                    self.same("ifft", y.real, n=n, norm=norm, axis=axis)
                    self.same("irfft", y, n=n, norm=norm, axis=axis)
                    self.same("hfft", y, n=n, norm=norm, axis=axis)
                    self.same("ihfft", y.real, n=n, norm=norm, axis=axis)
                    if reference is not None:
                        self.same("dct", y, n=n, norm=norm, axis=axis)
                        self.same("idct", y, type=3, n=n, norm=norm, axis=axis)
        kf.clear_plans()
        self.same("fft", x)

    def test_large_arrays_on_threads(self):
        for shape in ((64, 64, 64), (70, 500), (1 << 16,), (3, 40000)):
            self.same("fftn", array(shape, "D"))
            self.same("ifftn", array(shape, "d"))
            self.same("rfftn", array(shape, "d"))
        x, results = array((64, 64, 16), "D"), []
        callers = [threading.Thread(target=lambda: results.append(kf.fftn(x, workers=2))) for _ in range(4)]
        for caller in callers:
            caller.start()
        for caller in callers:
            caller.join()
        self.assertTrue(len(results) == 4 and all((r == results[0]).all() for r in results))

    def test_batches_of_nothing(self):
        self.assertEqual(kf.fft(np.zeros((0, 4))).shape, (0, 4))
        self.assertEqual(kf.rfftn(np.zeros((0, 4)), axes=(1,)).shape, (0, 3))

    def test_errors_are_those_that_scipy_raises(self):
        x = np.ones((4, 4))
        for error, call in [(ValueError, lambda: kf.fft(x, norm="backwards")), (ValueError, lambda: kf.fft(x, n=0)),
                            (ValueError, lambda: kf.fftn(x, axes=(0, 0))), (ValueError, lambda: kf.fftn(x, axes=(2,))),
                            (ValueError, lambda: kf.fftn(x, s=(4,), axes=(0, 1))), (IndexError, lambda: kf.fft(x, axis=5)),
                            (TypeError, lambda: kf.rfft(x * 1j)), (ValueError, lambda: kf.fft(np.ones((4, 0)))),
                            (ValueError, lambda: kf.irfft(np.ones(1))), (ValueError, lambda: kf.dct(x, type=5)),
                            (ValueError, lambda: kf.fft(x, workers=0)), (NotImplementedError, lambda: kf.fft(x, plan=1))]:
            self.assertRaises(error, call)

    def test_workers_of_a_context(self):
        self.assertEqual(kf.get_workers(), 1)
        with kf.set_workers(2):
            self.assertEqual(kf.get_workers(), 2)
        self.assertEqual(kf.get_workers(), 1)

    @unittest.skipIf(reference is None, "there is no SciPy to be a backend of")
    def test_is_a_backend_of_scipy(self):
        x = array((6, 8), "D")
        with reference.set_backend(kf, only=True):
            self.assertTrue((reference.fftn(x) == kf.fftn(x)).all())
            self.assertTrue((reference.dct(x.real) == kf.dct(x.real)).all())
            reference.fht(x.real, 0.1, 0.0)  # which is SciPy's own


if __name__ == "__main__":
    unittest.main()
