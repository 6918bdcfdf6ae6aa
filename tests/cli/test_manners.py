"""kallima fft as somebody who knows NumPy and SciPy would call it, and what it says to somebody who mistypes."""
import unittest

from support import CliTest, main, np, random_array, relative_error, run

try:
    import scipy.fft as scipy_fft
except ImportError:
    scipy_fft = None


def orthonormal(name, kind, n):
    """SciPy's matrix; of sines with the right edge, which older versions of SciPy miss (its issue 18452)."""
    one = np.eye(n)
    if name == "dct":
        return scipy_fft.dct(one, type=kind, norm="ortho", axis=0)
    matrix = scipy_fft.dst(one, type=kind, norm="ortho", axis=0, orthogonalize=False)
    if kind == 2:
        matrix[-1] /= np.sqrt(2)
    if kind == 3:
        matrix[:, -1] *= np.sqrt(2)
    assert np.allclose(matrix @ matrix.T, one)
    return matrix


class Manners(CliTest):
    def test_norms_have_numpys_names(self):
        x = random_array((8, 9))
        for norm in ("backward", "ortho", "forward"):
            result, _ = self.transform(x, "--norm", norm, "--ranks", 2)
            self.assert_close(result, np.fft.fftn(x, norm=norm), x.size, norm)
            result, _ = self.transform(x, "--norm", norm, "--inverse", "--ranks", 2)
            self.assert_close(result, np.fft.ifftn(x, norm=norm), x.size, norm)

    @unittest.skipUnless(scipy_fft, "SciPy is not there")
    def test_orthonormal_cosines_and_sines_are_scipys(self):
        x = random_array((6, 10), "float64")
        for name in ("dct", "dst"):
            for kind in (1, 2, 3, 4):
                rows, columns = (orthonormal(name, kind, n) for n in x.shape)
                for ranks in (1, 3):
                    flags = ("--kind", f"{name}{kind}", "--norm", "ortho", "--ranks", ranks)
                    result, _ = self.transform(x, *flags)
                    self.assertLess(relative_error(result, rows @ x @ columns.T), 1e-14, flags)
                    result, _ = self.transform(x, *flags, "--inverse")
                    self.assertLess(relative_error(result, rows.T @ x @ columns), 1e-14, flags)
                result, _ = self.transform(x, *flags, "--orthogonalize", "no")
                plain = getattr(scipy_fft, name + "n")(x, type=kind, norm="ortho", orthogonalize=False)
                self.assertLess(relative_error(result, plain), 1e-14, flags)
        y = np.asfortranarray(random_array((4, 6, 5), "complex128"))
        result, _ = self.transform(y, "--kind", "dct2", "--axes", "0,2", "--norm", "ortho", "--ranks", 2)
        expected = scipy_fft.dctn(y.real, axes=(0, 2), norm="ortho") + 1j * scipy_fft.dctn(y.imag, axes=(0, 2), norm="ortho")
        self.assertLess(relative_error(result, expected), 1e-14)

    def test_names_of_files_need_no_flags(self):
        x = random_array((8, 4))
        np.save(self.path("x.npy"), x)
        done = run("fft", self.path("x.npy"), self.path("X.npy"), "--ranks", 2)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assert_close(np.load(self.path("X.npy")), np.fft.fftn(x), x.size, "positional")
        self.assert_fails(run("fft", self.path("x.npy")), 2, "out is required")
        self.assert_fails(run("fft", "a.npy", "b.npy", "c.npy"), 2, "c.npy is not understood")

    def test_a_mistyped_word_gets_a_hint(self):
        for wrong, right in ((("ftt", "x"), "fft"), (("bnech",), "bench"), (("fft", "--rank", "2"), "--ranks"),
                             (("fft", "--invers"), "--inverse"), (("bench", "--sahpe=4x4"), "--shape"),
                             (("theory", "sahy"), "sahay")):
            self.assert_fails(run(*wrong), 2, f"(did you mean {right}?)")
        self.assertNotIn("did you mean", run("fft", "--quicksort").stderr)

    def test_sync_brings_the_result_to_the_disk_and_nothing_else_waits(self):
        """Where strace is there to see it."""
        np.save(self.path("x.npy"), random_array((8,)))
        try:
            strace = run("-f", "-e", "trace=fsync,fdatasync", "true", program="strace").returncode == 0
        except FileNotFoundError:
            strace = False
        for sync in (False, True):
            prefix = ("strace", "-f", "-e", "trace=fsync") if strace else ()
            done = run("fft", self.path("x.npy"), self.path("X.npy"), *(["--sync"] if sync else []), prefix=prefix)
            self.assertEqual(done.returncode, 0, done.stderr)
            if strace:
                self.assertEqual("fsync(" in done.stderr, sync)


if __name__ == "__main__":
    main()
