"""kallima redistribute: the array that comes out is the one that went in."""
import json

from support import TRANSPORTS, CliTest, main, np, random_array, run


class Redistribute(CliTest):
    def test_a_file_comes_out_as_it_was(self):
        for transport in TRANSPORTS:
            for dtype in ("complex128", "float32"):
                array = random_array((12, 7, 10), dtype)
                np.save(self.path("x.npy"), array)
                done = run("redistribute", "--in", self.path("x.npy"), "--out", self.path("y.npy"), "--from", "slab",
                           "--to", "cyclic:1x2x2", "--ranks", 4, "--transport", transport, "--reps", 2)
                self.assertEqual(done.returncode, 0, done.stderr)
                result = np.load(self.path("y.npy"))
                self.assertEqual(result.dtype, array.dtype)
                self.assertTrue(np.array_equal(result, array), f"{transport} {dtype}")

    def test_what_is_sent_is_what_has_to_move(self):
        done = run("redistribute", "--shape", "16x16", "--from", "slab:0", "--to", "slab:1", "--ranks", 4, "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        report = json.loads(done.stdout)
        self.assertTrue(report["correct"])
        self.assertEqual(report["words_sent_per_rank"], 4 * 16 * 3 // 4)

    def test_what_is_missing_or_impossible_is_said(self):
        self.assert_fails(run("redistribute", "--from", "slab", "--to", "brick"), 2, "--in")
        self.assert_fails(run("redistribute", "--shape", "8x8", "--from", "any", "--ranks", 2), 2, "any is no place")
        self.assert_fails(run("redistribute", "--shape", "8x8", "--to", "block:9x9", "--ranks", 2), 2, "ranks")


if __name__ == "__main__":
    main()
