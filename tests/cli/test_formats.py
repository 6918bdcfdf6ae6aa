"""kallima fft on files of all formats and numbers of all types, beside NumPy and, where it is there, h5py."""
import unittest

from support import TRANSPORTS, CliTest, main, np, random_array, relative_error, run

try:
    import h5py
except ImportError:
    h5py = None
HAS_HDF5 = ".h5" in run("--version").stdout


class Formats(CliTest):
    def fft(self, *arguments):
        done = run("fft", *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def test_numbers_of_any_type_are_taken(self):
        generator = np.random.default_rng(3)
        for dtype in ("i1", "<i2", ">i4", "<i8", "u1", ">u2", "<u4", "<u8", "?", "<f2", ">f2", ">f4", ">c8", ">c16"):
            kind = np.dtype(dtype).kind
            low = 0 if kind in "u?b" else -90
            x = generator.integers(low, 2 if kind == "b" else 100, (6, 10)).astype(dtype)
            if kind == "f":
                x = x / np.dtype(dtype).type(7)
            single = np.dtype(dtype).newbyteorder("=") in (np.float16, np.float32, np.complex64)
            result, _ = self.transform(x, "--ranks", 3)
            self.assertEqual(result.dtype, np.complex64 if single else np.complex128, dtype)
            self.assertLess(relative_error(result, np.fft.fftn(x.astype("f8") if kind != "c" else x)), 1e-6 if single else 1e-14, dtype)
            if kind != "c":
                result, _ = self.transform(x, "--kind", "r2c", "--ranks", 2)
                self.assertLess(relative_error(result, np.fft.rfftn(x.astype("f8"))), 1e-6 if single else 1e-14, dtype)
        x = np.array([0.0, -0.0, 6e-8, 6.1e-5, 65504, -1.5, 1 / 3], "f2")  # zeros, the least, the last below normal, the largest
        result, _ = self.transform(x, "--axes", "0")
        self.assertLess(relative_error(result, np.fft.fftn(x.astype("f8"))), 1e-6)

    def test_members_of_npz_packed_or_not(self):
        x, y = random_array((12, 9, 5)), np.asfortranarray(random_array((7, 8), "float32"))
        np.savez(self.path("plain.npz"), x=x, y=y)
        np.savez_compressed(self.path("packed.npz"), x=x, y=y, zeros=np.zeros((300, 1000), "i2"))
        np.savez_compressed(self.path("one.npz"), x)
        for transport in TRANSPORTS:
            for name, array in (("plain.npz:x", x), ("packed.npz:x", x), ("packed.npz:y.npy", y), ("one.npz", x),
                                ("packed.npz:zeros", np.zeros((300, 1000)))):
                self.fft(self.path(name), self.path("out.npy"), "--ranks", 3, "--transport", transport)
                result = np.load(self.path("out.npy"))
                self.assertEqual(result.shape, array.shape)
                self.assertLess(relative_error(result, np.fft.fftn(array)), 1e-6, (name, transport))
        self.assert_fails(run("fft", self.path("plain.npz"), "out.npy"), 1, "several arrays", "x, y")
        self.assert_fails(run("fft", self.path("plain.npz:z"), "out.npy"), 1, "no array 'z'", "x, y")
        whole = self.path("packed.npz").read_bytes()
        for cut in (0, 10, len(whole) // 2, len(whole) - 5):
            self.path("cut.npz").write_bytes(whole[:cut])
            self.assert_fails(run("fft", self.path("cut.npz:x"), "out.npy"), 1, "cut.npz")
        self.path("cut.npz").write_bytes(whole[:300] + bytes(200) + whole[500:])
        self.assert_fails(run("fft", self.path("cut.npz:x"), "out.npy"), 1, "damaged")

    def test_npz_is_written_as_numpy_reads_it(self):
        x, real = random_array((12, 9, 5)), random_array((8, 6), "float32")
        np.savez(self.path("in.npz"), x=x, real=real)
        for transport in TRANSPORTS:
            out = self.path(f"{transport}.npz")
            for _ in range(2):  # the only array of a file is replaced
                self.fft(self.path("in.npz:x"), out, "--ranks", 3, "--transport", transport)
            self.fft(self.path("in.npz:real"), f"{out}:hälfte", "--kind", "r2c", "--ranks", 2, "--transport", transport)
            with np.load(out) as found:  # which compares checksums
                self.assertEqual(sorted(found), ["arr_0", "hälfte"])
                self.assertLess(relative_error(found["arr_0"], np.fft.fftn(x)), 1e-14)
                self.assertLess(relative_error(found["hälfte"], np.fft.rfftn(real)), 1e-6)
        self.fft(f"{out}:hälfte", f"{out}:back", "--kind", "c2r", "--memory", "1k", "--ranks", 2)  # into the same file
        before = out.read_bytes()
        self.assert_fails(run("fft", f"{out}:back", f"{out}:hälfte"), 1, "has an array 'hälfte.npy' already")
        self.assertEqual(out.read_bytes(), before)
        with np.load(out) as found:
            self.assertLess(relative_error(found["back"], real), 1e-6)
        np.savez_compressed(self.path("packed.npz"), **{f"a{i}": real for i in range(3)})
        self.fft(self.path("packed.npz:a1"), f"{self.path('packed.npz')}:A")
        with np.load(self.path("packed.npz")) as found:
            self.assertTrue((found["a2"] == real).all() and found["A"].shape == real.shape)

    def test_raw_files_are_what_the_name_says(self):
        x = random_array((6, 8), "float32")
        self.path("x.raw").write_bytes(b"head" + x.tobytes())
        self.fft(f"{self.path('x.raw')}:f4:6x8:4", self.path("X.raw"), "--ranks", 2)
        result = np.fromfile(self.path("X.raw"), "complex64").reshape(6, 8)
        self.assertLess(relative_error(result, np.fft.fftn(x)), 1e-6)
        np.save(self.path("f.npy"), np.asfortranarray(x))  # files that know C's order only get it
        self.fft(self.path("f.npy"), self.path("F.raw"), "--kind", "r2c", "--ranks", 3)
        result = np.fromfile(self.path("F.raw"), "complex64").reshape(6, 5)
        self.assertLess(relative_error(result, np.fft.rfftn(x)), 1e-6)
        self.assert_fails(run("fft", self.path("f.npy"), self.path("F.raw"), "--memory", "1k"), 1, "Fortran's order")
        self.assert_fails(run("fft", self.path("f.npy"), self.path("F.raw"), "--compress", 3), 2, "--compress is for .h5")
        for wrong in ("", ":f4", ":f4:6xx8", ":f4:600x800", ":g4:6x8", ":f4:6x8:x"):
            self.assert_fails(run("fft", f"{self.path('x.raw')}{wrong}", "out.npy"), 1, "x.raw")

    @unittest.skipUnless(HAS_HDF5 and h5py, "built without HDF5, or h5py is not there")
    def test_hdf5_is_read_and_written_as_by_h5py(self):
        arrays = {"complex": random_array((12, 9, 5)), "single": random_array((8, 8), "complex64"),
                  "real": random_array((10, 6), "float64"), "group/ints": np.arange(60, dtype=">i2").reshape(4, 15),
                  "half": random_array((9,), "float16"), "flags": np.arange(12) % 3 == 0}
        with h5py.File(self.path("a.h5"), "w") as file:
            for name, array in arrays.items():
                file[name] = array
            file.create_dataset("chunked", data=arrays["complex"], chunks=(5, 4, 5), compression="gzip")
            file.create_dataset("empty", shape=(4, 6), dtype="f8")  # which takes no place in the file
        arrays.update(chunked=arrays["complex"], empty=np.zeros((4, 6)))
        for transport in TRANSPORTS:
            out = f"{transport}.h5"
            some = arrays if transport == "threads" else {name: arrays[name] for name in ("complex", "chunked")}
            for name in some:
                self.fft(f"{self.path('a.h5')}:{name}", f"{self.path(out)}:of/{name}", "--ranks", 3, "--transport", transport)
            with h5py.File(self.path(out)) as file:
                for name, array in some.items():
                    result, expected = file["of/" + name][()], np.fft.fftn(array)
                    self.assertEqual(result.dtype.kind, "c")
                    self.assertLess(np.linalg.norm(result - expected), 1e-6 * (np.linalg.norm(expected) or 1), name)
            packed = f"{self.path(out)}:packed"
            self.fft(f"{self.path('a.h5')}:complex", packed, "--compress", 3, "--ranks", 3, "--transport", transport)
            with h5py.File(self.path(out)) as file:
                self.assertEqual(file["packed"].compression, "gzip")
                self.assertTrue((file["packed"][()] == file["of/complex"][()]).all())
        self.fft(f"{self.path('a.h5')}:real", f"{self.path('a.h5')}:spectrum", "--kind", "r2c")  # into the same file
        self.fft(f"{self.path('a.h5')}:spectrum", self.path("back.hdf5"), "--kind", "c2r")
        with h5py.File(self.path("back.hdf5")) as file:
            self.assertLess(relative_error(file["data"][()], arrays["real"]), 1e-14)

    @unittest.skipUnless(HAS_HDF5 and h5py, "built without HDF5, or h5py is not there")
    def test_what_is_wrong_with_hdf5_is_told(self):
        with h5py.File(self.path("a.h5"), "w") as file:
            file["x"], file["y"], file["text"] = random_array((4,)), random_array((4,)), "words"
        at = self.path("a.h5")
        for name, part in ((":z", "no dataset 'z' (text, x, y)"), ("", "several datasets"), (":text", "holds no numbers")):
            self.assert_fails(run("fft", f"{at}{name}", self.path("o.npy")), 1, part)
        self.assert_fails(run("fft", f"{at}:x", f"{at}:y"), 1, "make y in")
        self.assert_fails(run("fft", self.path("missing.h5:x"), self.path("o.npy")), 1, "no such file")
        np.save(self.path("o.npy"), np.zeros(3))
        self.path("o.npy").rename(self.path("not.h5"))
        self.assert_fails(run("fft", self.path("not.h5:x"), self.path("o.npy")), 1, "not.h5")

    def test_pieces_give_what_the_whole_gives(self):
        x = random_array((14, 9, 10), "float64")
        z, half = random_array(x.shape), np.fft.rfftn(x)
        f = np.asfortranarray
        for ranks, memory in ((1, "1k"), (3, "20k"), (2, "10M")):
            for array, expected, *flags in (
                    (z, np.fft.fftn(z)), (z, np.fft.ifftn(z), "--inverse"), (x, half, "--kind", "r2c"),
                    (half, x, "--kind", "c2r"), (f(x), half, "--kind", "r2c"), (f(half), x, "--kind", "c2r"),
                    (z, np.fft.fft(z, axis=0), "--axes", "0"), ((100 * x).astype("i2"), np.fft.fftn((100 * x).astype("i2"))),
                    (z, np.fft.fftn(z, axes=(1, 2), norm="forward"), "--axes", "1,2", "--norm", "forward")):
                result, _ = self.transform(array, *flags, "--ranks", ranks, "--memory", memory)
                self.assertEqual(result.shape, expected.shape)
                self.assertLess(relative_error(result, expected), 1e-14, (ranks, memory, flags))
            whole, _ = self.transform(x, "--kind", "dct2", "--norm", "ortho", "--ranks", 1)
            result, _ = self.transform(x, "--kind", "dct2", "--norm", "ortho", "--ranks", ranks, "--memory", memory)
            self.assertLess(relative_error(result, whole), 1e-14, (ranks, memory))
        if "mpi" in TRANSPORTS:
            result, _ = self.transform(half, "--kind", "c2r", "--ranks", 3, "--memory", "8k", "--transport", "mpi")
            self.assertLess(relative_error(result, x), 1e-14)
        np.save(self.path("line.npy"), random_array((64,)))
        self.assert_fails(run("fft", self.path("line.npy"), self.path("o.npy"), "--memory", "1k"), 1, "two dimensions")
        self.assert_fails(run("fft", self.path("line.npy"), self.path("o.npy"), "--memory", "much"), 2, "--memory much")

    @unittest.skipIf(HAS_HDF5, "built with HDF5")
    def test_without_hdf5_it_says_so(self):
        self.assert_fails(run("fft", "a.h5:x", self.path("o.npy")), 1, "built without HDF5")


if __name__ == "__main__":
    main()
