"""kallima sort: as numpy.sort, on any ranks and transports, by both methods."""
import json

from support import TRANSPORTS, CliTest, main, np, run


class Sort(CliTest):
    def sorted_by(self, array, *arguments):
        np.save(self.path("x.npy"), array)
        done = run("sort", "--in", self.path("x.npy"), "--out", self.path("y.npy"), *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return np.load(self.path("y.npy")), done

    def test_files_come_out_as_numpy_sorts_them(self):
        generator = np.random.default_rng(1)
        floats = generator.standard_normal(5003)
        floats[::7] = np.nan
        floats[::11] = np.inf
        for array in (floats, generator.integers(-9, 9, 4001).astype("int32"), np.full(100, 7, "int64"),
                      np.arange(1000)[::-1].copy(), floats.astype("float32"), np.array([5], "uint64")):
            for transport in TRANSPORTS:
                for method, ranks in (("sample", 3), ("bitonic", 2)):
                    if transport == "mpi" and len(array) < 5000:
                        continue
                    result, _ = self.sorted_by(array, "--ranks", ranks, "--transport", transport, "--method", method)
                    self.assertEqual(result.dtype, array.dtype)
                    self.assertTrue(np.array_equal(result, np.sort(array), equal_nan=array.dtype.kind == "f"), method)

    def test_what_travels_is_counted(self):
        array = np.random.default_rng(2).standard_normal(4096)
        _, done = self.sorted_by(array, "--ranks", 4, "--method", "bitonic", "--json")
        self.assertEqual(json.loads(done.stdout)["sent_per_rank"], 1024 * 3)
        _, done = self.sorted_by(array, "--ranks", 4, "--json")
        self.assertLessEqual(json.loads(done.stdout)["sent_per_rank"], 1024)

    def test_what_cannot_be_sorted_is_refused(self):
        for array, why in ((np.zeros((3, 4)), "ravel"), (np.zeros(4, "complex128"), "c16"), (np.zeros(0), "shape")):
            np.save(self.path("x.npy"), array)
            self.assert_fails(run("sort", "--in", self.path("x.npy"), "--out", self.path("y.npy")), 1, why)
        self.path("x.npy").write_text("no file of numbers")
        self.assert_fails(run("sort", "--in", self.path("x.npy"), "--out", self.path("y.npy")), 1, "numpy.save")
        self.assert_fails(run("sort", "--in", self.path("none.npy"), "--out", self.path("y.npy")), 1, "none.npy")
        self.assertFalse(self.path("y.npy").exists())


if __name__ == "__main__":
    main()
