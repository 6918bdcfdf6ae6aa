"""kallima multiply: products in files are those of Python's integers, in every format, on any ranks and transports."""
import json
import random
import sys

from support import TRANSPORTS, CliTest, main, run

sys.set_int_max_str_digits(0) if hasattr(sys, "set_int_max_str_digits") else None


def written(number, how):
    if how == "raw":
        return number.to_bytes(max(1, (number.bit_length() + 7) // 8), "little")
    return ((hex(number)[2:] if how == "hex" else str(number)) + "\n").encode()


class Multiply(CliTest):
    def product(self, a, b, how, *arguments):
        self.path("a").write_bytes(written(a, how))
        if b is not None:
            self.path("b").write_bytes(written(b, how))
        second = [] if b is None else ["--b", self.path("b")]
        done = run("multiply", "--a", self.path("a"), *second, "--out", self.path("c"), "--format", how, *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.path("c").read_bytes(), done

    def test_products_are_those_of_python(self):
        generator = random.Random(4)
        cases = [(1, 1), (0, 12345), (10**18, 10**18 - 1), (10**5000 - 1, 10**4999), (2**64 - 1, 2**64 - 1),
                 (generator.getrandbits(200000), generator.getrandbits(70000))]
        choices = [(how, ranks, transport) for how in ("decimal", "hex", "raw") for ranks, transport in
                   ((1, "threads"), (3, "threads"), (2, TRANSPORTS[-1]))]
        for number, (how, ranks, transport) in enumerate(choices):
            for a, b in cases if transport == "threads" else cases[-2:]:
                found, _ = self.product(a, b, how, "--ranks", ranks, "--transport", transport)
                self.assertEqual(found, written(a * b, how), f"{a.bit_length()} bits, {how}, {ranks} {transport}")

    def test_without_a_second_factor_it_squares_and_reports(self):
        a = random.Random(5).getrandbits(50000)
        found, done = self.product(a, None, "hex", "--ranks", 2, "--json")
        self.assertEqual(found, written(a * a, "hex"))
        report = json.loads(done.stdout)
        self.assertEqual(report["ranks"], 2)
        self.assertEqual(report["digits"], len(hex(a * a)) - 2)
        self.assertGreater(report["memory_bytes_per_rank"], 0)

    def test_capitals_prefixes_and_zeros_in_front_are_read(self):
        self.path("a").write_text("0x00FFab\r\n")
        done = run("multiply", "--a", self.path("a"), "--out", self.path("c"), "--format", "hex", "--ranks", 1)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.path("c").read_text(), hex(0xffab**2)[2:] + "\n")

    def test_what_is_no_number_is_refused_and_leaves_the_old_file(self):
        self.path("c").write_text("old")
        self.path("a").write_text("12a4\n")
        bad = run("multiply", "--a", self.path("a"), "--out", self.path("c"), "--ranks", 2)
        self.assert_fails(bad, 1, "no decimal digit")
        self.path("a").write_text("")
        self.assert_fails(run("multiply", "--a", self.path("a"), "--out", self.path("c")), 1, "empty")
        self.assert_fails(run("multiply", "--a", self.path("none"), "--out", self.path("c")), 1, "none")
        self.assert_fails(run("multiply", "--a", self.path("a"), "--out", self.path("c"), "--format", "octal"), 2, "octal")
        self.assert_fails(run("multiply", "--out", self.path("c")), 2, "--a")
        self.assertEqual(self.path("c").read_text(), "old")
        self.assertEqual(sorted(p.name for p in self.folder.iterdir()), ["a", "c"])


if __name__ == "__main__":
    main()
