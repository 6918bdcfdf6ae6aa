"""What must not work: every failure has its exit code and one message with the numbers, and leaves the disk as it was."""
import ctypes
import json
import os
import resource
import shutil
import signal
import stat
import struct
import subprocess
import time

from support import ALL, BIN, ENVIRONMENT, HAS_MPI, MPIRUN, PROGRAMS_WITH_MPI, CliTest, main, np, random_array, run


def npy(dictionary, data=b"", version=1):
    width = "<H" if version == 1 else "<I"
    return b"\x93NUMPY" + bytes([version, 0]) + struct.pack(width, len(dictionary)) + dictionary.encode() + data


def header(shape, descr="<c16"):
    return f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}\n"


class RefusalTest(CliTest):
    def setUp(self):
        super().setUp()
        self.path("old.npy").write_bytes(b"the old file")
        np.save(self.path("good.npy"), random_array((8, 6)))

    def assert_refused(self, file, code, *parts, flags=(), ranks=3, **options):
        """`kallima fft` of `file` fails, and neither the old output nor anything else in the folder changes."""
        before = sorted(p.name for p in self.folder.iterdir())
        done = run("fft", "--in", self.path(file), "--out", self.path("old.npy"), "--ranks", ranks, *flags, **options)
        self.assert_fails(done, code, *parts)
        self.assertEqual(self.path("old.npy").read_bytes(), b"the old file")
        self.assertEqual(sorted(p.name for p in self.folder.iterdir()), before)


class BadInput(RefusalTest):
    def refuse_bytes(self, content, *parts):
        self.path("bad.npy").write_bytes(content)
        self.assert_refused("bad.npy", 1, "bad.npy", *parts)

    def test_hostile_headers_are_refused(self):
        self.refuse_bytes(b"", "has only 0 bytes")
        self.refuse_bytes(b"PK\x03\x04 surely a zip file", "no .npy file")
        self.refuse_bytes(npy(header("(4,)"))[:30], "truncated")
        self.refuse_bytes(npy(header("(4,)"), version=9), "version 9.0")
        self.refuse_bytes(npy(header("(-4,)")), "bad shape")
        self.refuse_bytes(npy(header("((4,),)")), "bad shape")
        self.refuse_bytes(npy(header("(0, 4)")), "extent of 0")
        self.refuse_bytes(npy(header("(4294967296, 4294967296)")), "too large")
        self.refuse_bytes(npy(header("(99999999999999999999,)")), "above 2^58")
        self.refuse_bytes(npy("__import__('os').system('true')"), "expected '{'")
        self.refuse_bytes(npy(header("(1,)"), version=2)[:8] + b"\xff\xff\xff\xff" + b" " * 100, "4294967295")

    def test_files_of_another_length_than_their_header_says_are_refused(self):
        self.refuse_bytes(npy(header("(4,)"), b"\0" * 63), "truncated", "(4)", "133", "132")
        self.refuse_bytes(npy(header("(4,)"), b"\0" * 70), "too long", "6 bytes")
        self.refuse_bytes(npy(header("(1073741824, 1024)")), "truncated")

    def test_dtypes_that_cannot_be_transformed_are_refused_with_a_suggestion(self):
        for dtype in ("longdouble", "clongdouble", "datetime64[s]", "object", "S4"):
            np.save(self.path("bad.npy"), np.zeros(4, dtype=dtype))
            self.assert_refused("bad.npy", 1, "astype('complex128')")

    def test_axes_that_do_not_exist_or_repeat_are_refused(self):
        self.assert_refused("good.npy", 1, "2", flags=["--axes", "2"])
        self.assert_refused("good.npy", 1, "-3", flags=["--axes", "-3"])
        self.assert_refused("good.npy", 1, "twice", flags=["--axes", "0,-2"])
        self.assert_refused("good.npy", 2, "--axes", flags=["--axes", "0,x"])
        self.assert_refused("good.npy", 2, "--axes", flags=["--axes", "99999999999999999999"])

    def test_a_grid_that_does_not_fit_is_refused_with_the_numbers(self):
        self.assert_refused("good.npy", 1, "5", "3", flags=["--grid", "5x1"])
        self.assert_refused("good.npy", 1, "3x1x1", flags=["--grid", "3x1x1"])
        self.assert_refused("good.npy", 2, "--grid", flags=["--grid", "0x3"])

    def test_a_route_that_does_not_apply_is_refused(self):
        np.save(self.path("prime.npy"), random_array((97,)))
        self.assert_refused("prime.npy", 1, "cyclic", "97", flags=["--route", "cyclic", "--grid", "2"], ranks=2)
        self.assert_refused("good.npy", 2, "--route", flags=["--route", "scenic"])
        self.assert_refused("good.npy", 2, "--alltoall", flags=["--alltoall", "carrier-pigeon"])
        self.assert_refused("prime.npy", 1, "no bruck all-to-all", flags=["--route", "local", "--alltoall", "bruck"], ranks=2)

    def test_command_lines_that_make_no_sense_are_usage_errors(self):
        self.assert_fails(run("fft"), 2, "--in")
        self.assert_fails(run("fft", "--in", "x.npy"), 2, "--out")
        self.assert_fails(run("no-such-command"), 2)
        self.assert_fails(run("bench", "--ranks", "0"), 2, "--ranks")
        self.assert_fails(run("bench", "--reps", "none"), 2, "--reps")
        self.assert_fails(run("bench", "--against", "time"), 2, "--against")
        self.assert_fails(run("bench", "--shape", "256xx256"), 2, "--shape")
        self.assert_fails(run("test"), 2, "./kallima test")

    def test_shapes_that_overflow_are_refused_at_once(self):
        self.assert_fails(run("bench", "--shape", "99999999999x99999999999"), 2)
        self.assert_fails(run("bench", "--shape", "99999999999999999999"), 2, "too large")
        self.assert_fails(run("bench", "--shape", "16x0x16"), 2, "--shape", "0")
        self.assert_fails(run("bench", "--shape", "16x-4"), 2, "--shape", "-4")

    def test_more_memory_than_there_is_is_refused_before_it_is_taken(self):
        self.assert_fails(run("bench", "--shape", "32768x32768x1024", "--ranks", "2"), 1, "memory", "GiB")

    def test_an_allocation_that_fails_is_an_error_like_any_other(self):
        limit = 700 << 20

        def little_memory():
            resource.setrlimit(resource.RLIMIT_AS, (limit, limit))

        done = run("bench", "--shape", "256x256x256", "--ranks", 2, "--effort", "estimate", preexec_fn=little_memory)
        self.assert_fails(done, 1, "memory")

    def test_files_that_are_not_there_or_not_files_are_refused(self):
        self.assert_refused("missing.npy", 1, "missing.npy", "No such file")
        self.path("folder").mkdir()
        self.assert_refused("folder", 1, "folder", "regular file")
        done = run("fft", "--in", self.path("good.npy"), "--out", self.path("no/such/out.npy"))
        self.assert_fails(done, 1, "no directory")
        done = run("fft", "--in", self.path("good.npy"), "--out", self.path("folder"))
        self.assert_fails(done, 1, "regular file")
        done = run("fft", "--in", self.path("good.npy"), "--out", "/dev/full")
        self.assert_fails(done, 1, "regular file")

    def test_what_may_not_be_read_or_written_is_refused(self):
        self.path("bin").mkdir()
        program = shutil.copy(BIN, self.path("bin"))  # where any user may run it
        self.folder.chmod(0o755)
        self.path("good.npy").chmod(0)
        nobody = {"user": 65534, "group": 65534, "extra_groups": []} if os.geteuid() == 0 else {}
        good, old = self.path("good.npy"), self.path("old.npy")  # why not is the system's word, and differs
        self.assert_refused("good.npy", 1, f"cannot read {good} (", ") check", program=program, **nobody)
        good.chmod(0o644)
        self.folder.chmod(0o555)
        self.assert_refused("good.npy", 1, f"cannot write {old} (", ") choose another place", program=program, **nobody)
        self.folder.chmod(0o755)

    def test_a_file_size_limit_leaves_the_old_file(self):
        np.save(self.path("large.npy"), random_array((256, 256)))

        def small_files():
            resource.setrlimit(resource.RLIMIT_FSIZE, (100000, 100000))

        self.assert_refused("large.npy", 1, "File too large", preexec_fn=small_files)

    def test_a_full_disk_leaves_the_old_file(self):
        disk = self.path("disk")
        disk.mkdir()
        if os.geteuid() != 0 or not mount_tmpfs(disk, "2m"):
            return  # no right to make a disk; the limit above has taken the same way
        self.addCleanup(unmount, disk)
        np.save(self.path("large.npy"), random_array((256, 256)))
        (disk / "old.npy").write_bytes(b"the old file")
        (disk / "filler").write_bytes(b"x" * 1500000)
        done = run("fft", "--in", self.path("large.npy"), "--out", disk / "old.npy", "--ranks", 2)
        self.assert_fails(done, 1, "old.npy", "bytes")
        self.assertEqual((disk / "old.npy").read_bytes(), b"the old file")
        self.assertEqual(sorted(p.name for p in disk.iterdir()), ["filler", "old.npy"])

    def test_an_interrupted_run_removes_its_temporary_file(self):
        # Wherever the signal finds it: nothing may be left behind.
        np.save(self.path("large.npy"), random_array((512, 512, 16)))
        before = sorted(p.name for p in self.folder.iterdir())
        for delay in (0.02, 0.05, 0.1, 0.2):
            command = [BIN, "fft", "--in", self.path("large.npy"), "--out", self.path("old.npy"), "--ranks", "2"]
            process = subprocess.Popen(command, env=ENVIRONMENT, stdout=subprocess.DEVNULL)
            try:
                process.wait(delay)
            except subprocess.TimeoutExpired:
                process.terminate()
                process.wait()
            self.assertEqual(sorted(p.name for p in self.folder.iterdir()), before)

    def test_schedules_whose_numbers_lead_nowhere_are_refused_by_whoever_reads_them(self):
        schedule = self.path("s.json")
        done = run("explain", "--shape", "8x6", "--ranks", 2, "--schedule", schedule)
        self.assertEqual(done.returncode, 0, done.stderr)
        good = json.loads(schedule.read_text())
        receive = next(i for i, t in enumerate(good["ranks"][1]["tasks"]) if t["kind"] == "recv_finish")
        for member, value in (("after", [1 << 30]), ("after", [-7]), ("start", 1 << 30), ("peer", 1 << 30)):
            bad = json.loads(json.dumps(good))
            bad["ranks"][1]["tasks"][receive][member] = value
            schedule.write_text(json.dumps(bad))
            self.assert_fails(run("draw", schedule), 1, "s.json", "rank 1")
            self.assert_fails(run("run", "--schedule", schedule, "--in", self.path("good.npy"), "--out",
                                  self.path("old.npy")), 1, "s.json", "rank 1")

    def test_ignored_signals_stay_ignored_while_a_file_is_written(self):
        np.save(self.path("large.npy"), random_array((512, 512, 16)))

        def as_nohup_does():
            for number in (signal.SIGINT, signal.SIGHUP):
                signal.signal(number, signal.SIG_IGN)

        command = [BIN, "fft", "--in", self.path("large.npy"), "--out", self.path("old.npy"), "--ranks", "2"]
        process = subprocess.Popen(command, env=ENVIRONMENT, stdout=subprocess.DEVNULL, preexec_fn=as_nohup_does)
        while process.poll() is None:
            for number in (signal.SIGINT, signal.SIGHUP):
                process.send_signal(number)
            time.sleep(0.002)
        self.assertEqual(process.returncode, 0)
        self.assertEqual(np.load(self.path("old.npy")).shape, (512, 512, 16))

    def test_a_job_that_is_told_to_end_before_it_has_written_does_not_say_that_it_has(self):
        # Wherever the signal finds it, even before its launcher has started it.
        np.save(self.path("large.npy"), random_array((512, 512, 16)))
        for program in PROGRAMS_WITH_MPI:
            for delay in (0.5, 0.65, 0.75, 0.9) if program == BIN or ALL else (0.5, 0.75):
                self.path("new.npy").unlink(missing_ok=True)
                command = [program, "fft", "--in", self.path("large.npy"), "--out", self.path("new.npy"),
                           "--transport", "mpi", "--ranks", "2"]
                process = subprocess.Popen(command, env=ENVIRONMENT, stdout=subprocess.DEVNULL,
                                           stderr=subprocess.DEVNULL)
                time.sleep(delay)
                process.terminate()
                process.wait(30)
                if process.returncode == 0:
                    self.assertEqual(np.load(self.path("new.npy")).shape, (512, 512, 16), f"{program} {delay}")

    def test_pipes_are_refused_and_not_waited_for(self):
        os.mkfifo(self.path("pipe"))
        self.assert_refused("pipe", 1, "pipe", "regular file", timeout=10)
        done = run("fft", "--in", self.path("good.npy"), "--out", self.path("pipe"), timeout=10)
        self.assert_fails(done, 1, "pipe", "regular file")
        for command in (("draw", self.path("pipe")), ("run", "--schedule", self.path("pipe"), "--in", "x", "--out", "y")):
            self.assert_fails(run(*command, timeout=10), 1, "pipe", "read")
        for command in (("explain", "--shape", "8x6", "--ranks", 2, "--in", f"boxes:{self.path('pipe')}"),
                        ("simulate", "--machine", self.path("pipe"))):
            self.assert_fails(run(*command, timeout=10), 2, "pipe")

    def test_a_tuning_that_is_not_understood_is_a_usage_error_on_threads_too(self):
        self.assert_refused("good.npy", 2, "garbage", "piece=63k", flags=["--tuning", "garbage"])
        self.assert_fails(run("bench", "--shape", "16x16", "--ranks", 2, "--tuning", "send=many"), 2, "send=many")

    def test_files_without_a_name_are_usage_errors(self):
        self.assert_fails(run("fft", "--in", self.path("good.npy"), "--out", ""), 2, "--out", "name of the file is empty")
        self.assert_fails(run("fft", "--in", "", "--out", self.path("old.npy")), 2, "--in", "empty")
        self.assert_fails(run("draw", "--out", ""), 2, "--out", "empty")
        self.assert_fails(run("draw", "butterfly", "--out", ""), 2, "--out", "empty")
        self.assert_fails(run("redistribute", "--in", self.path("good.npy"), "--out", "", "--from", "slab", "--to", "slab"),
                          2, "--out", "empty")
        self.assert_fails(run("simulate", "--trace", ""), 2, "--trace", "empty")

    def test_names_without_a_folder_are_taken_where_one_stands(self):
        done = run("fft", "--in", "good.npy", "--out", "new.npy", "--ranks", 2, cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(self.path("new.npy").exists())

    def test_a_link_keeps_pointing_to_what_is_replaced(self):
        self.path("link.npy").symlink_to("old.npy")
        done = run("fft", "--in", self.path("good.npy"), "--out", self.path("link.npy"), "--ranks", 2)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(self.path("link.npy").is_symlink())
        self.assertEqual(np.load(self.path("old.npy")).shape, (8, 6))

    def test_a_link_to_what_is_not_there_yet_leads_there(self):
        self.path("folder").mkdir()
        self.path("first.npy").symlink_to("folder/second.npy")
        self.path("folder/second.npy").symlink_to(self.path("folder/third.npy"))
        done = run("fft", "--in", self.path("good.npy"), "--out", self.path("first.npy"), "--ranks", 2)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(self.path("first.npy").is_symlink() and self.path("folder/second.npy").is_symlink())
        self.assertEqual(np.load(self.path("folder/third.npy")).shape, (8, 6))
        self.path("loop").symlink_to("loop")
        self.assert_fails(run("fft", "--in", self.path("good.npy"), "--out", self.path("loop")), 1, "loop")

    def test_a_replaced_file_keeps_its_mode_and_owner(self):
        self.path("old.json").write_text("{}")
        for name, mode in (("old.npy", 0o640), ("old.json", 0o604)):
            self.path(name).chmod(mode)
            if os.geteuid() == 0:
                os.chown(self.path(name), 1234, 1235)
        before = [self.path(name).stat() for name in ("old.npy", "old.json")]
        done = run("fft", "--in", self.path("good.npy"), "--out", self.path("old.npy"), "--trace", self.path("old.json"),
                   "--ranks", 2)
        self.assertEqual(done.returncode, 0, done.stderr)
        after = [self.path(name).stat() for name in ("old.npy", "old.json")]
        for old, new in zip(before, after):
            self.assertNotEqual((old.st_ino, old.st_size), (new.st_ino, new.st_size))
            self.assertEqual((old.st_mode, old.st_uid, old.st_gid), (new.st_mode, new.st_uid, new.st_gid))

    def test_a_name_may_be_as_long_as_names_can_be(self):
        name = "x" * 251 + ".npy"
        done = run("fft", "--in", self.path("good.npy"), "--out", self.path(name), "--ranks", 2)
        self.assertEqual(done.returncode, 0, done.stderr)
        done = run("draw", "--out", self.path("x" * 251 + ".svg"))
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_link_laid_where_a_temporary_file_might_come_is_not_followed(self):
        # What such a name could be made of is the target's and the number of a process that is about to start.
        latest = subprocess.Popen(["true"]).pid
        for pid in range(latest, latest + 3000):
            self.path(f".new.svg.{pid:x}.tmp").symlink_to("victim")
        done = run("draw", "--out", self.path("new.svg"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertFalse(self.path("victim").exists())
        self.assertTrue(self.path("new.svg").is_file() and not self.path("new.svg").is_symlink())

    def test_the_new_file_has_ordinary_permissions(self):
        done = run("fft", "--in", self.path("good.npy"), "--out", self.path("new.npy"), "--ranks", 2)
        self.assertEqual(done.returncode, 0, done.stderr)
        mask = os.umask(0)
        os.umask(mask)
        self.assertEqual(stat.S_IMODE(self.path("new.npy").stat().st_mode), 0o666 & ~mask)


class BadInputUnderMpi(RefusalTest):
    def mpirun(self, ranks, script):
        """Each rank runs `script` with its number in $R."""
        rank = "R=${OMPI_COMM_WORLD_RANK:-$PMI_RANK}; "
        command = [MPIRUN, "-n", str(ranks), "sh", "-c", rank + script]
        return subprocess.run(command, capture_output=True, text=True, timeout=60, env=ENVIRONMENT)

    def test_one_message_from_many_ranks(self):
        self.path("bad.npy").write_bytes(b"PK\x03\x04 surely a zip file")
        self.assert_refused("bad.npy", 1, "no .npy file", flags=["--transport", "mpi"])
        self.assert_refused("good.npy", 1, "5", flags=["--transport", "mpi", "--axes", "5"])
        self.assert_refused("good.npy", 1, "grid", flags=["--transport", "mpi", "--grid", "7x1"])

    def test_command_lines_that_differ_between_ranks_are_refused_by_all(self):
        files = f"--in {self.path('good.npy')} --out {self.path('old.npy')}"
        for script in (f"exec {BIN} fft {files} --axes $((R % 2))", f"exec {BIN} bench --shape 1$R",
                       f"if [ $R = 1 ]; then exec {BIN} fft --nonsense; else exec {BIN} fft {files}; fi"):
            done = self.mpirun(3, script)
            self.assertNotEqual(done.returncode, 0)
            self.assertEqual(done.stderr.count("kallima: "), 1, done.stderr)
            self.assertIn("command line is not the same on every rank", done.stderr)
            self.assertEqual(self.path("old.npy").read_bytes(), b"the old file")

    def test_files_that_differ_between_ranks_are_refused_by_all(self):
        np.save(self.path("other.npy"), random_array((4, 4)))
        script = (f"mkdir -p {self.folder}/d$R; cd {self.folder}/d$R; if [ $R = 1 ]; then cp ../other.npy x.npy; "
                  f"else cp ../good.npy x.npy; fi; exec {BIN} fft --in x.npy --out X.npy")
        done = self.mpirun(2, script)
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual(done.stderr.count("kallima: "), 1, done.stderr)
        self.assertIn("x.npy is not the same on every rank", done.stderr)

    def test_a_file_that_one_rank_lacks_is_reported_once(self):
        script = (f"mkdir -p {self.folder}/d$R; cd {self.folder}/d$R; if [ $R = 0 ]; then cp ../good.npy x.npy; fi; "
                  f"exec {BIN} fft --in x.npy --out X.npy")
        done = self.mpirun(2, script)
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual(done.stderr.count("kallima: "), 1, done.stderr)
        self.assertIn("rank 1", done.stderr)
        self.assertFalse(self.path("d0/X.npy").exists())

    def test_flags_that_contradict_mpirun_are_usage_errors(self):
        for flags in ("--transport threads", "--ranks 3"):
            done = self.mpirun(2, f"exec {BIN} bench --shape 16x16 {flags}")
            self.assertNotEqual(done.returncode, 0)
            self.assertEqual(done.stderr.count("kallima: "), 1, done.stderr)
            self.assertIn("mpirun has started 2 processes", done.stderr)


def mount_tmpfs(folder, size):
    libc = ctypes.CDLL(None, use_errno=True)
    return libc.mount(b"tmpfs", str(folder).encode(), b"tmpfs", 0, f"size={size}".encode()) == 0


def unmount(folder):
    ctypes.CDLL(None).umount(str(folder).encode())


if not (HAS_MPI and MPIRUN):
    del BadInputUnderMpi

if __name__ == "__main__":
    main()
