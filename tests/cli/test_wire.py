"""--wire of kallima bench and fft: what is sent instead, what that costs, and what is refused."""
import json

from support import TRANSPORTS, CliTest, main, np, random_array, relative_error, run


class Wire(CliTest):
    def bench(self, *arguments):
        done = run("bench", "--shape", "32x32x32", "--ranks", 2, "--reps", 2, "--json", self.path("r.json"), *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout, json.loads(self.path("r.json").read_text())

    def test_single_halves_the_bytes_on_every_transport_and_the_answer_is_still_checked(self):
        for transport in TRANSPORTS:
            words, report = self.bench("--transport", transport, "--wire", "single", "--report", "--parts")
            self.assertIn("wire: single, ", words)
            self.assertIn("(0.50)", words)
            wire = report["wire"]
            self.assertEqual(wire["bytes_plain"], wire["transforms"] * 2 * 32**3 // 4 * 16)
            self.assertEqual(wire["bytes_sent"] * 2, wire["bytes_plain"])
            self.assertTrue(1e-9 < wire["error"] < wire["limit"] < 1e-7)
            self.assertTrue(1e-9 < report["kallima"]["error"] < report["kallima"]["error_bound"] < 1e-7)
            self.assertEqual([r["bytes_sent"] for r in report["overlap"]["ranks"]], [32**3 // 4 * 8] * 2)
            self.assertIn("encode", report["overlap"]["ranks"][0]["stages"])
            self.assertEqual(report["plan"]["exchange"], "messages")

    def test_a_tolerance_is_kept_with_fewer_bytes_the_larger_it_is(self):
        sent = []
        for tolerance in (1e-2, 1e-6, 1e-10):
            _, report = self.bench("--wire", f"tolerance:{tolerance}")
            self.assertLess(report["kallima"]["error"], tolerance)
            self.assertLessEqual(report["wire"]["limit"], tolerance)
            sent.append(report["wire"]["bytes_sent"] / report["wire"]["bytes_plain"])
        self.assertEqual(sent, sorted(sent))
        self.assertTrue(sent[0] < 0.25 and sent[-1] < 0.75, sent)

    def test_what_saves_nothing_is_left_out_and_said_so(self):
        words, report = self.bench("--wire", "single", "--precision", "single")
        self.assertIn("wire: same (single would not be shorter", words)
        self.assertEqual(report["wire"]["used"], "same")
        words, report = self.bench("--wire", "tolerance:1e-16")
        self.assertIn("wire: same (nothing shorter", words)
        self.assertLess(report["kallima"]["error"], 1e-14)
        words, report = self.bench()
        self.assertNotIn("wire", words)
        self.assertNotIn("wire", report)

    def test_files_are_transformed_within_the_limit(self):
        array = random_array((24, 18, 10))
        for transport in TRANSPORTS:
            result, done = self.transform(array, "--ranks", 3, "--transport", transport, "--wire", "shared:20")
            self.assertIn("wire: shared:20, ", done.stdout)
            off = relative_error(result, np.fft.fftn(array))
            self.assertTrue(1e-9 < off < 1e-5, off)
        result, _ = self.transform(array, "--ranks", 3, "--inverse", "--wire", "single")
        self.assertLess(relative_error(result, np.fft.ifftn(array)), 2e-7)

    def test_nonsense_is_a_usage_error(self):
        for how in ("double", "shared", "shared:1", "shared:60", "tolerance:-1", "tolerance:2", "single,shared:3"):
            self.assert_fails(run("bench", "--shape", "8x8", "--ranks", 2, "--wire", how), 2, "wire")


if __name__ == "__main__":
    main()
