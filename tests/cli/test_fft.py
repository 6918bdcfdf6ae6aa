"""kallima fft against numpy.fft: every shape on every number of ranks, and every kind of file NumPy can hand over."""
import json

from support import ALL, BIN, PROGRAMS_WITH_MPI, TRANSPORTS, CliTest, main, np, random_array, run

SHAPES = [(4096,), (1000,), (97,), (64, 48), (31, 33, 35), (128, 64, 96), (16, 16, 16, 16), (1, 7, 1)]
RANKS = [1, 2, 3, 4, 6, 7, 8]

# Starting an MPI job takes a while: each shape and each number of ranks is met at least once.
MPI_CASES = [(shape, RANKS[2 * i % len(RANKS)]) for i, shape in enumerate(SHAPES)]
if ALL:
    MPI_CASES = [(shape, ranks) for shape in SHAPES for ranks in RANKS]


class Fft(CliTest):
    def compare(self, shape, ranks, dtype, *arguments, program=BIN):
        x = random_array(shape, dtype)
        for inverse, expected in ((False, np.fft.fftn(x)), (True, np.fft.ifftn(x))):
            flags = ["--ranks", ranks, *arguments] + (["--inverse"] if inverse else [])
            result, _ = self.transform(x, *flags, program=program)
            self.assertEqual(result.dtype, np.complex64 if x.dtype.itemsize < 16 else np.complex128)
            self.assert_close(result, expected, x.size, f"{shape} {dtype} {flags}")

    def test_every_shape_on_every_rank_count_equals_numpy_in_double(self):
        for i, shape in enumerate(SHAPES):
            for ranks in RANKS if ALL else RANKS[i % 2 :: 2]:
                self.compare(shape, ranks, "complex128")

    def test_every_shape_equals_numpy_in_single(self):
        for i, shape in enumerate(SHAPES):
            for ranks in RANKS if ALL else RANKS[i % 3 :: 3]:
                self.compare(shape, ranks, "complex64")

    def test_mpi_equals_numpy(self):
        for program in PROGRAMS_WITH_MPI:
            for i, (shape, ranks) in enumerate(MPI_CASES if program == BIN or ALL else MPI_CASES[::4]):
                x = random_array(shape, "complex64" if i % 4 == 3 else "complex128")
                inverse = i % 2 == 1
                flags = ["--transport", "mpi", "--ranks", ranks] + (["--inverse"] if inverse else [])
                result, done = self.transform(x, *flags, program=program)
                expected = np.fft.ifftn(x) if inverse else np.fft.fftn(x)
                self.assert_close(result, expected, x.size, f"{program} {shape} {flags}")
                self.assertIn("transport mpi", done.stdout)

    def test_every_route_that_applies_equals_numpy(self):
        x = random_array((16, 36, 8))
        for route in ("auto", "cyclic", "slab", "local"):
            for ranks in (2, 4) if route in ("cyclic", "slab") else (1, 2, 4):
                result, _ = self.transform(x, "--route", route, "--ranks", ranks)
                self.assert_close(result, np.fft.fftn(x), x.size, f"{route} {ranks}")

    def test_group_cyclic_takes_more_ranks_than_the_root_of_the_points(self):
        x = random_array((32,))
        for transport in TRANSPORTS:
            result, done = self.transform(x, "--route", "group-cyclic", "--ranks", 8, "--transport", transport)
            self.assert_close(result, np.fft.fft(x), x.size, f"group-cyclic over {transport}")
            self.assertIn("route group-cyclic: 2 exchanges", done.stdout)

    def test_grids_chunks_and_orders_do_not_change_the_answer(self):
        x = random_array((16, 64, 32))
        for flags in (["--grid", "1x2x2"], ["--grid", "4x1x1"], ["--chunks", 4], ["--order", "destination"]):
            result, _ = self.transform(x, "--route", "cyclic", "--ranks", 4, *flags)
            self.assert_close(result, np.fft.fftn(x), x.size, str(flags))

    def test_every_alltoall_equals_numpy(self):
        x = random_array((64, 6))
        for transport in TRANSPORTS:
            for how in ("direct", "pairwise", "bruck"):
                flags = ["--route", "cyclic", "--alltoall", how, "--ranks", 4, "--transport", transport]
                result, done = self.transform(x, *flags)
                self.assert_close(result, np.fft.fftn(x), x.size, str(flags))
                self.assertIn(f"all-to-all {how}", done.stdout)

    def test_axes_are_numpys(self):
        x = random_array((12, 16, 18, 4))
        for axes in ((0,), (3,), (1, 2), (0, 2), (-1,), (-1, 0), (3, 2, 1, 0)):
            for ranks in (1, 2, 3, 4):
                text = ",".join(map(str, axes))
                result, _ = self.transform(x, "--axes", text, "--ranks", ranks)
                points = np.prod([x.shape[a] for a in axes])
                self.assert_close(result, np.fft.fftn(x, axes=axes), points, f"axes {text} on {ranks} ranks")

    def test_norms_are_numpys(self):
        x = random_array((8, 12))
        names = {"none": ("backward", "forward"), "ortho": ("ortho", "ortho"), "full": ("forward", "backward")}
        for name, (forward, backward) in names.items():
            result, _ = self.transform(x, "--norm", name, "--ranks", 2)
            self.assert_close(result, np.fft.fftn(x, norm=forward), x.size, name)
            result, _ = self.transform(x, "--norm", name, "--inverse", "--ranks", 2)
            self.assert_close(result, np.fft.ifftn(x, norm=backward), x.size, name)

    def test_norm_counts_transformed_points_only(self):
        x = random_array((8, 12))
        result, _ = self.transform(x, "--axes", 1, "--norm", "ortho", "--ranks", 2)
        self.assert_close(result, np.fft.fftn(x, axes=[1], norm="ortho"), 12, "ortho along one axis")

    def test_fortran_order_stays_fortran_order(self):
        x = np.asfortranarray(random_array((16, 9, 4)))
        for axes in (None, (0,), (2,), (0, 1)):
            flags = [] if axes is None else ["--axes", ",".join(map(str, axes))]
            for ranks in (1, 2, 3):
                result, _ = self.transform(x, "--ranks", ranks, *flags)
                self.assertTrue(result.flags.f_contiguous)
                self.assert_close(result, np.fft.fftn(x, axes=axes), x.size, f"axes {axes}")

    def test_a_grid_is_given_in_the_order_of_the_shape_in_fortran_order_as_well(self):
        x = np.asfortranarray(random_array((5, 4, 16)))
        result, _ = self.transform(x, "--ranks", 4, "--route", "cyclic", "--grid", "1x1x4")
        self.assert_close(result, np.fft.fftn(x), x.size, "grid 1x1x4")

    def test_real_and_big_endian_files_are_understood(self):
        for dtype in ("<f4", "<f8", ">f4", ">f8", ">c8", ">c16"):
            for shape in ((97,), (16, 12, 5)):
                for ranks in (1, 2, 3):
                    x = random_array(shape, dtype)
                    result, _ = self.transform(x, "--ranks", ranks)
                    self.assertEqual(result.dtype, np.complex64 if dtype[1:] in ("f4", "c8") else np.complex128)
                    self.assert_close(result, np.fft.fftn(x), x.size, f"{dtype} {shape} {ranks}")

    def test_mpi_reads_axes_real_big_endian_and_fortran_files_too(self):
        cases = ((random_array((16, 12, 5), ">f8"), None), (np.asfortranarray(random_array((8, 6, 7), "<f4")), (0, 2)))
        for program in PROGRAMS_WITH_MPI:
            for x, axes in cases:
                flags = [] if axes is None else ["--axes", ",".join(map(str, axes))]
                result, _ = self.transform(x, "--transport", "mpi", "--ranks", 3, *flags, program=program)
                self.assert_close(result, np.fft.fftn(x, axes=axes), x.size, f"{x.dtype} {axes}")

    def test_a_0_dimensional_array_is_one_element_and_the_program_says_so(self):
        result, done = self.transform(np.array(3 + 4j), "--ranks", 2)
        self.assertEqual(result.shape, ())
        self.assertEqual(result[()], 3 + 4j)
        self.assertIn("0-dimensional", done.stdout)

    def test_input_and_output_may_be_the_same_file(self):
        x = random_array((32, 12))
        np.save(self.path("x.npy"), x)
        for extra in ([], ["--inverse"]):
            done = run("fft", "--in", self.path("x.npy"), "--out", self.path("x.npy"), "--ranks", 3, *extra)
            self.assertEqual(done.returncode, 0, done.stderr)
        self.assert_close(np.load(self.path("x.npy")), x, x.size, "there and back")

    def test_a_shape_no_route_can_split_says_how_it_is_done(self):
        _, done = self.transform(random_array((97,)), "--ranks", 6)
        self.assertRegex(done.stdout, r"\d+ of 6 ranks")

    def test_json_goes_to_standard_output_alone(self):
        _, done = self.transform(random_array((64, 48)), "--ranks", 2, "--json")
        report = json.loads(done.stdout)
        self.assertEqual(report["shape"], [64, 48])
        self.assertEqual(report["ranks"], 2)
        for key in ("route", "explanation", "read_s", "transform_s", "write_s", "words_sent_per_rank"):
            self.assertIn(key, report)

    def test_trace_and_overlap_report_of_a_transform(self):
        np.save(self.path("in.npy"), random_array((32, 48)))
        for transport in TRANSPORTS:
            done = run("fft", "--in", self.path("in.npy"), "--out", self.path("out.npy"), "--ranks", 2, "--transport",
                       transport, "--report", "--trace", self.path("t.json"), "--json", self.path("r.json"))
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("limiter: ", done.stdout)
            self.assertIn("estimated from this run", done.stdout)
            self.assertIn("losses", json.loads(self.path("r.json").read_text())["overlap"])
            trace = json.loads(self.path("t.json").read_text())
            settings = dict(trace["kallima"]["settings"])
            self.assertEqual(settings["transport"], transport)
            self.assertEqual(settings["shape"], trace["otherData"]["shape"])
            self.assertRegex(settings["clock error"], r"^\d+\.\d us$")


if __name__ == "__main__":
    main()
