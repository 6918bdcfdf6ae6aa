"""kallima bench and demo: what they report, to people and to programs."""
import json
import re
import math
import unittest
from xml.etree import ElementTree

from support import BIN, HAS_FFTW, PROGRAMS_WITH_MPI, TRANSPORTS, CliTest, main, run

KALLIMA_KEYS = {"median_s", "min_s", "max_s", "gflops", "words_sent_per_rank", "exchanges", "hidden_share", "error",
                "peak_bytes_per_rank", "computing_s", "waiting_s"}

AGAINST_FFTW = ["--against", "fftw"] if HAS_FFTW else []
WHO = ["kallima", "fftw"] if HAS_FFTW else ["kallima"]
CURVES = ["FFTW"] if HAS_FFTW else []


class Bench(CliTest):
    def bench(self, shape, *arguments, program=BIN):
        done = run("bench", "--shape", shape, "--json", "--reps", 3, *arguments, program=program)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_every_instruction_set_of_this_processor_is_right_and_others_are_refused(self):
        found = re.search(r"(\w+) of ([\w, ]+);", run("--version").stdout)
        names = found.group(2).split(", ")
        self.assertEqual(found.group(1), names[-1])
        for name in names:
            forced = ["env", f"KALLIMA_ISA={name}"]
            self.assertIn(f"{name} of ", run("--version", prefix=forced).stdout)
            for shape in ["60x77x52", "4096"]:
                result = run("bench", "--shape", shape, "--ranks", 2, "--reps", 1, prefix=forced)
                self.assertIn("correct", result.stdout)
        refused = run("bench", "--shape", "64", prefix=["env", "KALLIMA_ISA=none"])
        self.assertEqual(refused.returncode, 1)
        self.assertIn(f"KALLIMA_ISA is 'none', which this build or processor does not have: choose one of {', '.join(names)}",
                      refused.stderr)

    def test_a_butterfly_stands_beside_memory_bound_passes(self):
        done = run("bench", "butterfly", "--levels", 14, "--ranks", 2, "--reps", 3, "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        report = json.loads(done.stdout)
        self.assertEqual((report["passes"], report["words_sent"]), (4, 2 ** 12))
        median = lambda seconds: sorted(seconds)[1]
        self.assertAlmostEqual(report["ratio"], median(report["seconds"]) / (4 * median(report["copy_seconds"])), 9)

    def test_exact_work_is_checked_and_says_what_it_sends(self):
        def report(*arguments):
            done = run("bench", *arguments, "--reps", 2, "--json")
            self.assertEqual(done.returncode, 0, done.stderr)
            result = json.loads(done.stdout)
            self.assertEqual(result["ranks"], int(arguments[arguments.index("--ranks") + 1]))
            return result

        for digits, modular in ((1, []), (400000, []), (40000, ["--modular"])):
            product = report("multiply", "--digits", digits, "--ranks", 3, *modular)
            self.assertEqual((len(product["seconds"]), product["redone"]), (2, 0))
            self.assertEqual("modulo 3 primes" in product["explanation"], digits == 1 or bool(modular))
        ntt = report("ntt", "--points", 4096, "--ranks", 2, "--rate", "1gbit")
        self.assertEqual((ntt["exchanges"], ntt["words_sent"], ntt["wire_s"]), (1, 1024, 1024 * 64 / 1e9))
        sorts = report("sort", "--count", 5001, "--ranks", 3, "--rate", "500mbit")
        self.assertEqual(sorts["bitonic"]["sent_per_rank"] % 1667, 0)
        for method in ("sample", "bitonic"):
            self.assertEqual(sorts[method]["wire_s"], sorts[method]["sent_per_rank"] * 64 / 5e8)
            self.assertTrue(0 <= sorts[method]["hidden_share"] <= 1)
        self.assertEqual(len(sorts["std"]["seconds"]), 2)
        self.assert_fails(run("bench", "ntt", "--points", 7, "--ranks", 1), 1, "no root of unity of order 7")

    def test_lines_are_about_as_exact_as_fftws_of_every_kind(self):
        for precision, unit in (("double", 2.0 ** -53), ("single", 2.0 ** -24)):
            done = run("bench", "accuracy", "--to", 46, "--every", 3, "--limit", 1.25, "--kind", "all", "--precision",
                       precision, "--json")
            self.assertEqual(done.returncode, 0, done.stderr)
            kinds = json.loads(done.stdout)["kinds"]
            self.assertEqual(len(kinds), 11)
            for kind in kinds:
                self.assertEqual(len(kind["points"]), 15 if kind["kind"] == "dct1" else 16)
                self.assertEqual(kind["above"], [])
                for point in kind["points"]:
                    self.assertLess(point["error"], 3 * unit)
                self.assertGreater(kind["points"][-1]["error"], unit / 4)  # a reference that is the result itself has none

    @unittest.skipUnless(HAS_FFTW, "FFTW is not in this build")
    def test_lines_less_exact_than_asked_for_are_named(self):
        done = run("bench", "accuracy", "--from", 45, "--to", 45, "--limit", 0.1)
        self.assertEqual(done.returncode, 1)
        self.assertIn("1 error is above 0.1 times FFTW's", done.stderr)
        self.assertIn("c2c of 45 points", done.stdout)

    def test_all_keys_are_there_and_make_sense(self):
        report = self.bench("32x32x32", "--ranks", 2)
        self.assertLessEqual({"shape", "ranks", "transport", "route", "precision", "reps", "kallima"}, report.keys())
        ours = report["kallima"]
        self.assertLessEqual(KALLIMA_KEYS, ours.keys())
        self.assertLessEqual(ours["min_s"], ours["median_s"])
        self.assertLessEqual(ours["median_s"], ours["max_s"])
        self.assertAlmostEqual(ours["gflops"], 5 * 32**3 * 15 / ours["median_s"] * 1e-9, places=6)
        self.assertIsNone(ours["hidden_share"])  # threads read blocks in place: nothing is sent
        self.assertLess(ours["error"], 1e-14)

    def test_words_sent_are_the_least_possible_and_sent_once(self):
        for transport in TRANSPORTS:
            for ranks in (2, 4):
                points = 64 * 32 * 16
                report = self.bench("64x32x16", "--ranks", ranks, "--transport", transport, "--route", "cyclic")
                self.assertEqual(report["kallima"]["words_sent_per_rank"], points // ranks * (ranks - 1) // ranks)
                self.assertEqual(report["kallima"]["exchanges"], 1)
                self.assertEqual(report["transport"], transport)

    def test_memory_out_of_place_is_at_most_three_times_the_data(self):
        for transport in TRANSPORTS:
            report = self.bench("64x64x64", "--ranks", 2, "--transport", transport, "--route", "cyclic")
            self.assertLessEqual(report["kallima"]["peak_bytes_per_rank"], 3.05 * 64**3 * 16 / 2)

    @unittest.skipUnless(HAS_FFTW, "FFTW is not in this build")
    def test_fftw_runs_in_turns_and_the_ratio_is_of_the_medians(self):
        report = self.bench("32x48", "--ranks", 2, "--against", "fftw")
        rival = report["fftw"]["threads"]
        self.assertAlmostEqual(rival["ratio"], rival["median_s"] / report["kallima"]["median_s"])
        self.assertEqual(len(rival["seconds"]), 3)
        self.assertLess(rival["error"], 1e-14)

    def test_parts_run_in_turns_and_the_whole_is_still_checked(self):
        for transport in TRANSPORTS:
            report = self.bench("32x32x32", "--ranks", 2, "--transport", transport, "--parts")
            for part in ("kallima_no_overlap", "computation", "communication"):
                self.assertEqual(len(report[part]["seconds"]), 3)
            self.assertLess(report["kallima_no_overlap"]["error"], 1e-14)
            self.assertNotIn("error", report["computation"])
            self.assertGreater(report["half_round_trip_s"], 0)
            self.assertEqual(report["plan"]["route"], report["route"])

    def test_fields_are_all_transformed_and_all_checked(self):
        for transport in TRANSPORTS:
            one, three = (self.bench("32x16x8", "--ranks", 2, "--transport", transport, "--fields", k) for k in (1, 3))
            self.assertEqual(three["fields"], 3)
            self.assertEqual(three["kallima"]["words_sent_per_rank"], 3 * one["kallima"]["words_sent_per_rank"])
            self.assertLess(three["kallima"]["error"], 1e-14)
        report = self.bench("32x32", "--ranks", 2, "--fields", 2, "--in-place", "--parts", *AGAINST_FFTW)
        self.assertLess(report["kallima"]["error"], 1e-14)
        if HAS_FFTW:
            self.assertLess(report["fftw"]["threads"]["error"], 1e-14)

    @unittest.skipUnless(HAS_FFTW, "FFTW is not in this build")
    def test_fftw_mpi_runs_in_the_orders_that_apply(self):
        if "mpi" not in TRANSPORTS:
            return
        for shape, order in (("32x48x8", "transposed"), ("65536", "scrambled")):
            done = run("bench", "--shape", shape, "--json", "--reps", 2, "--ranks", 2, "--transport", "mpi", "--against", "fftw")
            if "FFTW-MPI is not in this build" in done.stderr:
                continue
            rivals = json.loads(done.stdout)["fftw"]
            self.assertEqual(rivals.keys(), {"default", order})
            for rival in rivals.values():
                self.assertLess(rival["error"], 1e-13)

    def test_both_mpi_libraries_give_correct_answers(self):
        for program in PROGRAMS_WITH_MPI:
            report = self.bench("36x20", "--ranks", 3, "--transport", "mpi", program=program)
            self.assertTrue(report["kallima"]["correct"])

    def test_the_analytic_check_holds_at_awkward_sizes_and_in_both_precisions(self):
        for shape in ("1", "2", "97", "1x7x1", "31x33x35", "2x3x4x5x6", "65537"):
            for ranks in (1, 3):
                self.bench(shape, "--ranks", ranks, "--effort", "estimate")
                report = self.bench(shape, "--ranks", ranks, "--precision", "single", "--effort", "estimate")
                self.assertLess(report["kallima"]["error"], 5e-7 * max(1, math.log2(math.prod(report["shape"]))))

    def test_lines_may_be_fftws(self):
        for precision in ("double", "single"):
            done = run("bench", "--shape", "24x35", "--ranks", 2, "--reps", 1, "--precision", precision, "--kernel", "fftw")
            if HAS_FFTW:
                self.assertEqual(done.returncode, 0, done.stderr)
            else:
                self.assert_fails(done, 1, "without FFTW", "KALLIMA_FFTW=OFF")

    @unittest.skipIf(HAS_FFTW, "FFTW is in this build")
    def test_no_fftw_is_said(self):
        for kind in ("c2c", "r2c"):
            self.assert_fails(run("bench", "--shape", "8x8", "--kind", kind, "--against", "fftw"), 1, "FFTW is not in this build")

    def test_in_place_and_any_output_are_correct_too(self):
        self.bench("24x36", "--ranks", 3, "--in-place")
        self.bench("24x36", "--ranks", 2, "--route", "slab", "--output", "any")
        self.bench("24x36", "--ranks", 2, "--in-place", "--precision", "single", "--effort", "estimate", *AGAINST_FFTW)

    @unittest.skipUnless(HAS_FFTW, "FFTW is not in this build")
    def test_json_file_table_and_trace_are_written(self):
        done = run("bench", "--shape", "16x16x16", "--ranks", 2, "--reps", 2, "--json", self.path("r.json"), "--trace",
                   self.path("t.json"), "--draw", "--against", "fftw")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("x as fast as FFTW with 2 threads", done.stdout)
        self.assertEqual(json.loads(self.path("r.json").read_text())["reps"], 2)
        self.assertTrue(json.loads(self.path("t.json").read_text()))

    def test_the_overlap_report_is_printed_and_in_the_json(self):
        for transport in TRANSPORTS:
            done = run("bench", "--shape", "32x32x32", "--ranks", 2, "--reps", 2, "--transport", transport, "--messages",
                       "--report", "--json", self.path("r.json"))
            self.assertEqual(done.returncode, 0, done.stderr)
            for words in ("overlap report", "rank 1", "phase II", "each measured alone", "limiter: "):
                self.assertIn(words, done.stdout)
            overlap = json.loads(self.path("r.json").read_text())["overlap"]
            self.assertTrue(overlap["measured_alone"])
            self.assertAlmostEqual(overlap["bound_s"], max(overlap["computation_s"], overlap["communication_s"]))
            self.assertAlmostEqual(overlap["ratio"], overlap["time_s"] / overlap["bound_s"])
            self.assertEqual(overlap["settings"]["transport"], transport)
            self.assertEqual([r["bytes_sent"] for r in overlap["ranks"]], [32**3 // 4 * 16] * 2)
            for rank in overlap["ranks"]:
                self.assertTrue(0 <= rank["hidden_share"] <= 1)
                self.assertAlmostEqual(sum(s["waiting_s"] for s in rank["stages"].values()), rank["waiting_s"])
        self.assertNotIn("overlap", self.bench("16x16", "--ranks", 2))

    def test_skew_is_reproducible_for_all_who_run_and_has_a_tail(self):
        for transport in TRANSPORTS:
            report = self.bench("32x32x32", "--ranks", 3, "--skew", 20, "--transport", transport)
            self.assertEqual(report["skew_ms"], 20)
            ours = report["kallima"]
            self.assertLessEqual(ours["median_s"], ours["p95_s"])
            self.assertLessEqual(ours["p95_s"], ours["max_s"])
        if HAS_FFTW:
            rival = self.bench("32x48", "--ranks", 2, *AGAINST_FFTW, "--skew", 100)["fftw"]["threads"]
            self.assertTrue(0 < rival["min_s"] < 0.1)  # its delay is not counted
        self.assertNotIn("skew_ms", self.bench("16x16", "--ranks", 2))

    def test_a_late_rank_shows_in_the_report(self):
        report = self.bench("32x32x32", "--ranks", 2, "--route", "cyclic", "--skew", 200, "--report")
        self.assertIn("late rank", [loss["cause"] for loss in report["overlap"]["losses"]])

    @unittest.skipUnless(HAS_FFTW, "FFTW is not in this build")
    def test_the_fftw_compared_with_is_named_with_its_vector_instructions(self):
        for kind in ("c2c", "r2c"):
            done = run("bench", "--shape", "16x16", "--ranks", 1, "--reps", 1, "--kind", kind, "--against", "fftw", "--json",
                       self.path("r.json"), "--trace", self.path(f"{kind}.json"))
            self.assertTrue(json.loads(self.path(f"{kind}.json").read_text())["traceEvents"])
            build = json.loads(self.path("r.json").read_text())["fftw_build"]
            vectors = f"with {build['vectors']}" if build["vectors"] else "without vector instructions"
            self.assertIn(f"FFTW {build['version']} {vectors}\n", done.stdout)
        self.assertNotIn("fftw_build", self.bench("16x16"))

    def test_help_has_examples_everywhere(self):
        for command in ([], ["fft"], ["bench"], ["bench", "kernels"], ["demo"]):
            done = run(*command, "--help")
            self.assertEqual(done.returncode, 0)
            self.assertIn("Examples:", done.stdout)
        self.assertEqual(run().stdout, run("--help").stdout)
        self.assertIn("kallima ", run("--version").stdout)


class Kernels(CliTest):
    def kernels(self, *arguments):
        done = run("bench", "kernels", "--reps", 2, "--memory", "8MiB", "--json", *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_every_instruction_set_is_measured_in_every_way_beside_fftw(self):
        names = re.search(r" of ([\w, ]+);", run("--version").stdout).group(1).split(", ")
        report = self.kernels("--lengths", "60,4")
        self.assertEqual([s["isa"] for s in report["sets"]], names)
        self.assertRegex(report["fftw_build"]["version"], r"^\d+\.\d+" if HAS_FFTW else r"^$")
        for measured in report["sets"]:
            for rate in ("peak_gflops", "cache_gb_per_s", "memory_gb_per_s"):
                self.assertGreater(measured[rate], 0)
            self.assertEqual([(r["length"], r["access"], r["memory"]) for r in measured["rows"]],
                             [(n, access, memory) for n in (4, 60) for memory in ("in cache", "out of cache")
                              for access in ("contiguous", "strided")])
            for row in measured["rows"]:
                rate = measured["cache_gb_per_s" if row["memory"] == "in cache" else "memory_gb_per_s"]
                self.assertAlmostEqual(row["roofline_ns"],
                                       max(5 * math.log2(row["length"]) / measured["peak_gflops"], 32 / rate))
                self.assertAlmostEqual(row["ratio"], row["fftw"]["ns_per_point"] / row["kallima"]["ns_per_point"])  # or 0
                for who in WHO:
                    self.assertAlmostEqual(row[who]["share"], row["roofline_ns"] / row[who]["ns_per_point"])
                    self.assertLessEqual(row[who]["min_ns_per_point"], row[who]["ns_per_point"])
                    self.assertLess(row[who]["error"], 1e-14)

    def test_one_set_in_single_precision_is_tabled_and_drawn(self):
        name = re.search(r"(\w+) of ", run("--version").stdout).group(1)
        done = run("bench", "kernels", "--lengths", "13,8", "--reps", 1, "--memory", "8MiB", "--precision", "single",
                   "--isa", name, "--svg", self.path("k.svg"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f"\n{name}: ", done.stdout)
        self.assertEqual(re.findall(r"^ +(\d+) ", done.stdout, re.M), ["8", "13"])
        texts = [e.text for e in ElementTree.parse(self.path("k.svg")).iter() if e.tag.endswith("text")]
        for words in ("nanoseconds a point", "points of a line", *CURVES, f"kallima, {name}", f"roofline, {name}"):
            self.assertGreaterEqual(texts.count(words), 4)

    def test_what_cannot_be_measured_is_refused_with_the_numbers(self):
        names = re.search(r" of ([\w, ]+);", run("--version").stdout).group(1)
        self.assert_fails(run("bench", "kernels", "--lengths", "64,0"), 2, "--lengths 0", "2 to 1048576")
        self.assert_fails(run("bench", "kernels", "--lengths", "1048577"), 2, "--lengths 1048577", "2 to 1048576")
        self.assert_fails(run("bench", "kernels", "--lengths", "4,x"), 2, "--lengths", "'x'")
        self.assert_fails(run("bench", "kernels", "--isa", "abacus"), 2, "--isa abacus", names)
        self.assert_fails(run("bench", "kernels", "--reps", "0"), 2, "--reps")
        self.assert_fails(run("bench", "kernels", "--svg", self.path("no/k.svg")), 1, "no directory")
        refused = run("bench", "kernels", "--lengths", "4", prefix=["env", "KALLIMA_ISA=abacus"])
        self.assert_fails(refused, 1, "KALLIMA_ISA is 'abacus'", names)


if __name__ == "__main__":
    main()
