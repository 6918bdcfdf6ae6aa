"""kallima fft and bench with kinds and layouts, beside NumPy and, where it is there, SciPy."""
import json
import unittest

from support import HAS_FFTW, TRANSPORTS, CliTest, main, np, random_array, relative_error, run

try:
    import scipy.fft as scipy_fft
except ImportError:
    scipy_fft = None


class Kinds(CliTest):
    def same(self, result, expected, what):
        self.assertEqual(result.shape, expected.shape, what)
        self.assertEqual(np.iscomplexobj(result), np.iscomplexobj(expected), what)
        self.assertLess(relative_error(result, expected), 1e-13 if result.real.dtype == "float64" else 1e-5, what)

    def test_r2c_is_rfftn_and_c2r_its_inverse_for_even_and_odd_extents(self):
        for transport in TRANSPORTS:
            for shape in ((12,), (9, 15), (8, 6, 10), (4, 5, 7)):
                for dtype in ("float64", "float32"):
                    array = random_array(shape, dtype)
                    what = f"{transport} {shape} {dtype}"
                    on = ("--ranks", 3, "--transport", transport)
                    half, _ = self.transform(array, "--kind", "r2c", *on)
                    self.same(half, np.fft.rfftn(array), what)
                    back, _ = self.transform(half, "--kind", "c2r", "--last-extent", shape[-1], *on)
                    self.same(back, array, what)

    def test_without_last_extent_the_even_one_is_meant_as_in_numpy(self):
        half = np.fft.rfftn(random_array((6, 9), "float64"))
        back, _ = self.transform(half, "--kind", "r2c", "--inverse")
        self.same(back, np.fft.irfftn(half), "irfftn")

    def test_some_axes_and_fortran_order(self):
        array = random_array((6, 5, 8), "float64")
        for axes in ((0, 1), (2, 0), (1,)):
            text = ",".join(map(str, axes))
            half, _ = self.transform(array, "--kind", "r2c", "--axes", text, "--ranks", 2)
            self.same(half, np.fft.rfftn(array, axes=axes), axes)
            half, _ = self.transform(np.asfortranarray(array), "--kind", "r2c", "--axes", text, "--ranks", 2)
            self.same(half, np.fft.rfftn(array, axes=axes), f"Fortran {axes}")
        half, _ = self.transform(np.asfortranarray(array), "--kind", "r2c", "--ranks", 2)
        self.same(half, np.fft.rfftn(array), "Fortran")

    @unittest.skipUnless(scipy_fft, "SciPy is not there")
    def test_cosines_and_sines_are_scipys(self):
        array = random_array((7, 10), "float64")
        for name, there, back in (("dct", scipy_fft.dctn, scipy_fft.idctn), ("dst", scipy_fft.dstn, scipy_fft.idstn)):
            for kind in (1, 2, 3, 4):
                result, _ = self.transform(array, "--kind", f"{name}{kind}", "--ranks", 3)
                self.same(result, there(array, type=kind), f"{name}{kind}")
                result, _ = self.transform(result, "--kind", f"{name}{kind}", "--inverse", "--ranks", 3)
                self.same(result, array, f"inverse {name}{kind}")

    def test_layouts_do_not_change_the_result(self):
        array = random_array((8, 6, 10))
        for layouts in (("slab", "pencil:0"), ("brick", "any"), ("cyclic:2x1x2", "block:1x4x1")):
            result, _ = self.transform(array, "--in-layout", layouts[0], "--out-layout", layouts[1], "--ranks", 4)
            self.same(result, np.fft.fftn(array), layouts)

    def test_files_that_do_not_fit_the_kind_are_named(self):
        np.save(self.path("c.npy"), random_array((4, 4)))
        np.save(self.path("r.npy"), random_array((4, 4), "float64"))
        out = ("--out", self.path("o.npy"))
        self.assert_fails(run("fft", "--in", self.path("c.npy"), *out, "--kind", "r2c"), 1, "c2c")
        self.assert_fails(run("fft", "--in", self.path("r.npy"), *out, "--kind", "c2r"), 1, "complex")
        self.assert_fails(run("fft", "--in", self.path("c.npy"), *out, "--kind", "c2r", "--last-extent", 9), 1, "9")


class BenchKinds(CliTest):
    def bench(self, *arguments):
        done = run("bench", "--json", "--reps", 3, "--effort", "estimate", *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_reals_send_about_half_the_words(self):
        report = self.bench("--shape", "32x32x32", "--kind", "r2c", "--against", "c2c", "--ranks", 4, "--messages")
        self.assertLess(report["kallima"]["error"], 1e-13)
        self.assertTrue(0.3 < report["words_ratio"] < 0.8, report["words_ratio"])
        self.assertGreater(report["time_ratio"], 0)

    @unittest.skipUnless(HAS_FFTW, "FFTW is not in this build")
    def test_fftw_has_the_same_answer(self):
        for kind in ("r2c", "dct2", "dst4", "c2c"):
            report = self.bench("--shape", "16x18", "--kind", kind, "--against", "fftw", "--ranks", 2, "--in-layout",
                                "slab")
            self.assertLess(report["fftw"]["error"], 1e-13, kind)
            self.assertLess(report["kallima"]["error"], 1e-13, kind)


if __name__ == "__main__":
    main()
