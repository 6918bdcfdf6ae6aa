"""kallima explain --schedule and kallima run: a plan as a file that can be read, edited, proved and executed."""
import json
import unittest

from support import TRANSPORTS, CliTest, main, np, random_array, relative_error, run


class Run(CliTest):
    def export(self, shape, *arguments, ranks=4, name="s.json"):
        path = self.path(name)
        done = run("explain", "--shape", "x".join(map(str, shape)), "--ranks", ranks, "--schedule", path, *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return path

    def execute(self, schedule, array, *arguments):
        source, target = self.path("x.npy"), self.path("y.npy")
        np.save(source, array)
        done = run("run", "--schedule", schedule, "--in", source, "--out", target, *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return np.load(target)

    def test_an_exported_schedule_gives_the_transform_on_both_transports(self):
        x = random_array((12, 10, 6))
        schedule = self.export(x.shape)
        for transport in TRANSPORTS:
            result = self.execute(schedule, x, "--transport", transport)
            self.assertLess(relative_error(result, np.fft.fftn(x)), 1e-14, transport)

    def test_a_schedule_with_a_preparation_is_prepared(self):
        x = random_array((65537,))  # long enough for several ranks
        for arguments, expected in (((), np.fft.fft(x)), (("--inverse",), np.fft.ifft(x))):
            schedule = self.export(x.shape, *arguments, ranks=3)
            self.assertEqual(len(json.loads(schedule.read_text())["preparation"]), 3)
            for transport in TRANSPORTS:
                result = self.execute(schedule, x, "--transport", transport)
                self.assertLess(relative_error(result, expected), 1e-14, transport)

    def test_the_way_back_is_scaled(self):
        x = random_array((8, 30))
        result = self.execute(self.export(x.shape, "--inverse", ranks=3), x)
        self.assertLess(relative_error(result, np.fft.ifftn(x)), 1e-14)
        result = self.execute(self.export(x.shape, "--inverse", "--norm", "ortho", ranks=3), x)
        self.assertLess(relative_error(result, np.fft.ifftn(x, norm="ortho")), 1e-14)

    def test_reals_layouts_and_single_precision(self):
        x = random_array((16, 9, 12), "float64")
        arguments = ("--kind", "r2c", "--in", "pencil", "--out", "slab:1")
        forward = self.execute(self.export(x.shape, *arguments), x)
        self.assertLess(relative_error(forward, np.fft.rfftn(x)), 1e-14)
        back = self.execute(self.export(x.shape, *arguments, "--inverse"), forward)
        self.assertLess(relative_error(back, x), 1e-14)
        z = random_array((64, 64), "complex64")
        result = self.execute(self.export(z.shape, "--precision", "single"), z)
        self.assertEqual(result.dtype, np.complex64)
        self.assertLess(relative_error(result, np.fft.fftn(z)), 1e-6)

    @unittest.skipUnless("mpi" in TRANSPORTS, "needs MPI")
    def test_blocks_that_are_views_run_where_ranks_share_memory(self):
        x = random_array((8, 8, 8))
        schedule = self.export(x.shape, "--exchange", "views", ranks=2)
        for transport in TRANSPORTS:
            self.assertLess(relative_error(self.execute(schedule, x, "--transport", transport), np.fft.fftn(x)), 1e-14)

    def edited(self, schedule, change):
        content = json.loads(schedule.read_text())
        change(content)
        path = self.path("edited.json")
        path.write_text(json.dumps(content))
        return path

    @staticmethod
    def reorder_sends(content):
        """On every rank, sends that wait for equally much go out in the opposite order."""
        for rank in content["ranks"]:
            tasks, depth = rank["tasks"], []
            for task in tasks:
                before = task["after"] + ([task["start"]] if task["start"] >= 0 else [])
                depth.append(1 + max((depth[b] for b in before), default=0))
            key = [(depth[i], -i if t["kind"] == "send_start" else i) for i, t in enumerate(tasks)]
            renumber(rank, sorted(range(len(tasks)), key=key.__getitem__))

    def test_another_order_of_messages_gives_the_same_result(self):
        x = random_array((8, 8, 8))
        schedule = self.export(x.shape)
        reordered = self.edited(schedule, self.reorder_sends)
        before, after = (json.loads(p.read_text()) for p in (schedule, reordered))
        self.assertNotEqual(peers(before), peers(after))
        for transport in TRANSPORTS:
            result = self.execute(reordered, x, "--transport", transport)
            self.assertLess(relative_error(result, np.fft.fftn(x)), 1e-14, transport)

    def test_schedules_in_place_run_in_one_array(self):
        x = random_array((12, 10, 6))
        reordered = self.edited(self.export(x.shape, "--in-place"), self.reorder_sends)
        reals = random_array((12, 10, 7), "float64")
        half = np.ascontiguousarray(np.fft.rfftn(reals))
        forward = self.export(reals.shape, "--kind", "r2c", "--in-place", name="forward.json")
        back = self.export(reals.shape, "--kind", "r2c", "--in-place", "--inverse", name="back.json")
        for schedule, array, expected in ((reordered, x, np.fft.fftn(x)), (forward, reals, half), (back, half, reals)):
            for transport in TRANSPORTS:
                result = self.execute(schedule, array, "--transport", transport)
                self.assertLess(relative_error(result, expected), 1e-14, (schedule, transport))
        self.assertEqual(run("draw", reordered, "--as", "text").returncode, 0)

    def test_broken_schedules_in_place_are_refused_with_the_reason(self):
        def writes_too_early(content):
            for task in content["ranks"][1]["tasks"]:
                if task["kind"] == "compute":
                    task["after"] = []

        self.refused(writes_too_early, "rank 1", "nothing", options=("--in-place",))
        self.refused(lambda c: c.update(aliasing="separate"), "rank 0", "nothing has written", options=("--in-place",))
        self.refused(lambda c: c["ranks"][0]["sizes"].update({"out": -4}), "-4", options=("--in-place",))

    def refused(self, change, *words, transport="threads", options=()):
        x = random_array((8, 8, 8))
        schedule = self.edited(self.export(x.shape, *options), change)
        np.save(self.path("x.npy"), x)
        target = self.path("never.npy")
        done = run("run", "--schedule", schedule, "--in", self.path("x.npy"), "--out", target, "--transport", transport)
        self.assert_fails(done, 1, *words)
        self.assertFalse(target.exists())

    def task(self, content, kind, rank=1):
        return next(t for t in content["ranks"][rank]["tasks"] if t["kind"] == kind)

    def test_edits_that_break_it_are_refused_with_the_reason(self):
        def no_dependencies(content):
            for task in content["ranks"][1]["tasks"]:
                if task["kind"] in ("compute", "copy"):
                    task["after"] = []

        self.refused(no_dependencies, "rank 1", "nothing")
        for transport in TRANSPORTS:
            self.refused(lambda c: self.task(c, "send_start").update(tag=99), "rank 1", "99", transport=transport)
        self.refused(lambda c: self.task(c, "send_start")["range"].update(offset=10**6), "rank 1", "1000000")
        self.refused(lambda c: self.task(c, "send_start")["range"].update(offset=-1), "rank 1")
        self.refused(lambda c: self.task(c, "recv_start")["range"].update(count=3), "rank 1", "3")
        self.refused(lambda c: self.task(c, "send_finish").update(after=[10**6]), "task 1000000")
        self.refused(lambda c: self.task(c, "send_finish").update(after=[-7]), "task -7")
        self.refused(lambda c: self.task(c, "recv_finish").update(start=10**6), "1000000")
        self.refused(lambda c: self.task(c, "recv_finish").update(start=-1), "-1")
        self.refused(lambda c: self.task(c, "send_start").update(peer=77), "77")
        self.refused(lambda c: c["ranks"][0]["sizes"].update({"in": 2**62}), "rank")
        self.refused(lambda c: c["ranks"][0]["sizes"].update({"work": -4}), "-4")
        self.refused(lambda c: c["purpose"].update(layout_in="block:2x1x1"), "layout")
        self.refused(lambda c: c.pop("purpose"), "purpose")
        self.refused(lambda c: c["ranks"].pop(), "peer")

    def test_a_shifted_range_is_refused(self):
        def shift(content):
            last = [t for t in content["ranks"][0]["tasks"] if t["steps"]][-1]
            last_pass(last["steps"])["targets"][0]["offset"] += 1  # and the last element falls off the end

        self.refused(shift, "rank 0")

    def test_received_blocks_that_do_not_exist_are_refused(self):
        def wrong_block(content):
            for task in content["ranks"][0]["tasks"]:
                for source in sources(task["steps"]):
                    if source["recv"] >= 0:
                        source["recv"] = 10**6
                        return

        self.refused(wrong_block, "1000000")

    def test_arrays_that_do_not_fit_are_refused(self):
        schedule = self.export((8, 8, 8))
        for array, word in ((random_array((8, 8, 4)), "8, 8, 4"), (random_array((8, 8, 8), "float64"), "<f8"),
                            (np.asfortranarray(random_array((8, 8, 8))), "Fortran")):
            np.save(self.path("x.npy"), array)
            done = run("run", "--schedule", schedule, "--in", self.path("x.npy"), "--out", self.path("never.npy"))
            self.assert_fails(done, 1, word)
        np.save(self.path("x.npy"), random_array((8, 8, 8)))
        done = run("run", "--schedule", schedule, "--in", self.path("x.npy"), "--out", self.path("never.npy"), "--ranks", 3)
        self.assert_fails(done, 1, "4 ranks")

    def test_what_is_drawn_is_proved_first(self):
        schedule = self.export((8, 8))
        self.assertEqual(run("draw", schedule, "--as", "text").returncode, 0)
        broken = self.edited(schedule, lambda c: self.task(c, "send_finish").update(after=[10**6]))
        self.assert_fails(run("draw", broken, "--as", "text"), 1, "task 1000000")

    def test_a_schedule_that_nobody_could_read_is_not_written(self):
        path = self.path("huge.json")
        done = run("explain", "--shape", "4096x4096", "--ranks", 4096, "--schedule", path)
        self.assert_fails(done, 1, "MB of JSON")
        self.assertFalse(path.exists())


def renumber(rank, order):
    number = {old: new for new, old in enumerate(order)}
    rank["tasks"] = [rank["tasks"][old] for old in order]
    for task in rank["tasks"]:
        task["after"] = sorted(number[a] for a in task["after"])
        if task["start"] >= 0:
            task["start"] = number[task["start"]]
        for source in sources(task["steps"]):
            if source["recv"] >= 0:
                source["recv"] = number[source["recv"]]


def sources(steps):
    for step in steps:
        yield from sources(step["body"])
        if not step["body"]:
            yield from step["pass"]["sources"]


def last_pass(steps):
    return last_pass(steps[-1]["body"]) if steps[-1]["body"] else steps[-1]["pass"]


def peers(content):
    return [[t["peer"] for t in r["tasks"] if t["kind"] == "send_start"] for r in content["ranks"]]


if __name__ == "__main__":
    main()
