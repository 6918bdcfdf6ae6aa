"""kallima explain: which way a transform would go, and why."""
import json
import resource
import time

from support import ALL, CliTest, main, run


class Explain(CliTest):
    def explain(self, *arguments):
        done = run("explain", "--json", *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_plain_cubes_go_by_the_one_exchange(self):
        report = self.explain("--shape", "256x256x256", "--ranks", 16)
        chosen = [c for c in report["candidates"] if c["route"] == report["chosen"]]
        self.assertEqual(report["chosen"], "cyclic")
        self.assertEqual(chosen[0]["exchanges"], 1)
        self.assertEqual(chosen[0]["words_sent_per_rank"], 256**3 // 16 * 15 // 16)

    def test_every_route_has_a_plan_or_a_reason(self):
        report = self.explain("--shape", "60x35", "--ranks", 7, "--kind", "r2c")
        for candidate in report["candidates"]:
            self.assertTrue(candidate["applies"] or candidate["reason"], candidate)

    def test_blocks_to_blocks_in_one_dimension_take_three_exchanges_and_freedom_saves_them(self):
        report = self.explain("--shape", 2**22, "--ranks", 16, "--in", "block:16", "--out", "block:16")
        chosen = next(c for c in report["candidates"] if c["route"] == report["chosen"])
        self.assertEqual(chosen["exchanges"], 3)
        self.assertIn("butterflies", report["why"])
        self.assertEqual([s["exchanges"] for s in report["savings"]], [2, 2, 1])

    def test_a_long_prime_is_dealt_out_and_what_is_kept_counts_as_memory(self):
        report = self.explain("--shape", 16777213, "--ranks", 4)
        chosen = next(c for c in report["candidates"] if c["route"] == report["chosen"])
        self.assertEqual((chosen["active_ranks"], chosen["exchanges"]), (4, 8))  # two for each of four slices
        self.assertIn("convolution", chosen["explanation"])
        kept_bytes = 16 * 2**24 // 4  # half of the convolution's points: slices share their spectra in pairs
        self.assertGreater(report["memory_per_rank"]["workspace_bytes"], kept_bytes)
        self.assertLess(report["memory_per_rank"]["workspace_bytes"], 2.3 * kept_bytes)
        self.assertGreater(report["memory_per_rank"]["table_bytes"], 0)

    def test_the_words_for_people_mark_the_choice(self):
        done = run("explain", "--shape", "64x64x64", "--ranks", 4, "--in", "slab", "--out", "slab:1")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len([line for line in done.stdout.splitlines() if line.startswith("* ")]), 2)
        self.assertIn("block:4x1x1", done.stdout)
        self.assertIn("block:1x4x1", done.stdout)

    def test_large_machines_take_seconds(self):
        begin = time.monotonic()
        self.explain("--shape", "1024x1024x1024", "--ranks", 1024)
        self.assertLess(time.monotonic() - begin, 20)

    def test_very_long_lines_take_little_memory_and_time(self):
        def limited():
            resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))
            resource.setrlimit(resource.RLIMIT_CPU, (30, 30))

        for points, ends in ((2**40 if ALL else 2**36, ("--in", "block:1024", "--out", "block:1024")), (2**28 - 1, ())):
            ranks = 1024 if ends else 16
            done = run("explain", "--shape", points, "--ranks", ranks, *ends, "--json", preexec_fn=limited)
            self.assertEqual(done.returncode, 0, (points, done.stderr))
            report = json.loads(done.stdout)
            self.assertLess(report["memory_per_rank"]["times_the_data"], 3.2)
            program = report["memory_per_rank"]["program_bytes"]  # none where messages are too many to list
            self.assertTrue(program is None or program < 2**24, program)

    def test_wrong_words_are_named(self):
        self.assert_fails(run("explain", "--shape", "8x8", "--kind", "dct5"), 2, "dct5")
        self.assert_fails(run("explain", "--shape", "8x8", "--kind", "r2c,dct2,dct2"), 2, "3 words for 2 axes")
        self.assert_fails(run("explain", "--shape", "8x8", "--ranks", 2, "--in", "heap"), 2, "heap")


if __name__ == "__main__":
    main()
