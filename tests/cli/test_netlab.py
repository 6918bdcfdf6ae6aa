"""kallima netlab: hosts that are namespaces, links that have a rate, and nothing left behind, however it ends.

Needs the right to make network namespaces; where that is missing, only the refusal is tested.
"""
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import unittest

from support import BIN, ENVIRONMENT, HAS_MPI, MPICH_BIN, CliTest, main, run

# Sends to the next host and receives from the one before, both at once, and prints what arrived in Mbit/s.
EXCHANGE = """
import os, socket, sys, threading, time
rank = int(os.environ.get("OMPI_COMM_WORLD_RANK", os.environ.get("PMI_RANK", "0")))
server = socket.create_server(("", 7000))
def send():
    deadline = time.time() + 10
    while True:
        try:
            out = socket.create_connection((f"198.18.0.{2 - rank}", 7000), 1)
            break
        except OSError:
            assert time.time() < deadline
    for _ in range(int(sys.argv[1])):
        out.sendall(bytes(1 << 17))
    out.close()
sender = threading.Thread(target=send)
sender.start()
inward, _ = server.accept()
room, count, start = bytearray(1 << 20), 0, time.time()
while (n := inward.recv_into(room)) > 0:
    count += n
os.write(1, f"rate {count * 8e-6 / (time.time() - start)}\\n".encode())  # at once: print() lets ranks mingle
sender.join()
"""


def netlab(*arguments, **options):
    return run("netlab", *arguments, timeout=60, **options)


def namespaces():
    folder = "/run/netns"
    return {n for n in os.listdir(folder) if n.startswith("kallima-")} if os.path.isdir(folder) else set()


def interfaces():
    return sorted(os.listdir("/sys/class/net"))


def why_not():
    if not HAS_MPI:
        return "this build has no MPI"
    done = netlab("--hosts", 1, "--rate", "1gbit", "--", "true")
    return None if done.returncode == 0 else done.stderr.strip()


REFUSAL = why_not()


class NetlabUsage(CliTest):
    def test_mistakes_are_usage_errors_that_say_what_to_write(self):
        self.assert_fails(netlab("--hosts", 2, "--rate", "1gbps", "--", "true"), 2, "1gbps", "2.5gbit")
        self.assert_fails(netlab("--hosts", 65, "--rate", "1gbit", "--", "true"), 2, "65")
        self.assert_fails(netlab("--rate", "1gbit", "--", "true"), 2, "--hosts is missing")
        self.assert_fails(netlab("--hosts", 2, "--", "true"), 2, "--rate is missing")
        self.assert_fails(netlab("--hosts", 2, "--rate", "1gbit"), 2, "there is no command")
        self.assert_fails(netlab("--hosts", 2, "--rate", "1gbit", "true"), 2, "true")

    @unittest.skipUnless(os.geteuid() == 0 and shutil.which("setpriv"), "needs root and setpriv to give the right up")
    def test_without_the_privilege_it_says_which_is_missing(self):
        done = netlab("--hosts", 2, "--rate", "1gbit", "--", "true", prefix=("setpriv", "--bounding-set", "-net_admin"))
        self.assert_fails(done, 1, "CAP_NET_ADMIN", "as root")


@unittest.skipIf(REFUSAL, f"no network lab here: {REFUSAL}")
class Netlab(CliTest):
    def setUp(self):
        super().setUp()
        self.before = (namespaces(), interfaces())
        self.addCleanup(lambda: self.assertEqual((namespaces(), interfaces()), self.before))

    def start(self, *command):
        """A lab whose ranks say that they run, in the middle of a long command."""
        script = "echo here; exec " + " ".join(command)
        lab = subprocess.Popen([BIN, "netlab", "--hosts", "2", "--rate", "1gbit", "--", "sh", "-c", script],
                               stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=ENVIRONMENT)
        self.addCleanup(lab.stdout.close)
        self.assertEqual([lab.stdout.readline() for _ in range(2)], ["here\n", "here\n"])
        return lab

    def test_ranks_are_dealt_out_to_hosts_with_names_and_cores_of_their_own(self):
        done = netlab("--hosts", 2, "--per-host", 2, "--rate", "none", "--", "sh", "-c",
                      "echo $OMPI_COMM_WORLD_RANK$PMI_RANK $(hostname) $(ls /sys/class/net) $(nproc)")
        self.assertEqual(sorted(done.stdout.splitlines()), [f"{r} host{r // 2} eth0 lo 1" for r in range(4)], done.stderr)

    def test_our_own_commands_run_on_the_hosts_and_are_right(self):
        for mpi, hosts in [("openmpi", 4), ("mpich", 2)] if MPICH_BIN else [("openmpi", 4)]:
            done = netlab("--hosts", hosts, "--rate", "1gbit", "--mpi", mpi, "--", "bench", "--shape", "32x32x32", "--reps",
                          2, "--transport", "mpi", "--json")
            self.assertEqual(done.returncode, 0, done.stderr)
            report = json.loads(done.stdout)
            self.assertEqual(report["ranks"], hosts)
            self.assertTrue(report["kallima"]["correct"])

    def test_links_keep_to_their_rate_in_both_directions_at_once(self):
        script = self.path("exchange.py")
        script.write_text(EXCHANGE)
        slowest = []
        for _ in range(5):  # a busy machine may be slower than its links, never faster
            done = netlab("--hosts", 2, "--rate", "200mbit", "--", sys.executable, script, 100)
            rates = [float(rate) for rate in re.findall(r"rate (\S+)", done.stdout)]
            self.assertEqual(len(rates), 2, done.stderr)
            self.assertLess(max(rates), 202)
            slowest.append(min(rates))
            if slowest[-1] > 120:  # more than half in each direction: they do not share the rate
                return
        self.fail(f"at 200 Mbit/s {slowest} Mbit/s arrived")

    def test_the_exit_code_is_the_commands(self):
        self.assertEqual(netlab("--hosts", 2, "--rate", "1gbit", "--", "sh", "-c", "exit 7").returncode, 7)

    def test_signals_end_the_job_and_remove_the_lab(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            lab = self.start("sleep", "100")
            self.assertEqual(len(namespaces() - self.before[0]), 3)
            self.assertEqual(interfaces(), self.before[1])
            lab.send_signal(number)
            self.assertEqual(lab.wait(20), 128 + number)
            self.assertEqual(namespaces(), self.before[0])

    def test_what_a_killed_lab_leaves_is_cleaned_and_a_living_one_is_not(self):
        living, killed = self.start("sleep", "100"), self.start("sleep", "100")
        killed.kill()
        killed.wait(20)
        done = netlab("--clean")
        self.assertEqual((done.returncode, done.stdout), (0, "removed what 1 killed netlab has left\n"), done.stderr)
        left = namespaces() - self.before[0]
        self.assertEqual({int(name.split("-")[1]) for name in left}, {living.pid})
        living.terminate()
        living.wait(20)

    def test_a_rank_that_is_killed_ends_the_job(self):
        done = netlab("--hosts", 2, "--rate", "1gbit", "--", "sh", "-c",
                      "if [ $(hostname) = host1 ]; then kill -9 $$; fi; exec sleep 100")
        self.assertNotEqual(done.returncode, 0)

    def test_a_rank_killed_in_mid_exchange_ends_the_job_within_ten_seconds(self):
        for mpi in ["openmpi", "mpich"] if MPICH_BIN else ["openmpi"]:
            lab = subprocess.Popen([BIN, "netlab", "--hosts", "2", "--rate", "50mbit", "--mpi", mpi, "--", "bench",
                                    "--shape", "64x64x64", "--reps", "1000", "--overlap", "on"],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT)
            self.addCleanup(lab.kill)
            host = self.until(lambda: next((n for n in namespaces() - self.before[0] if n.endswith("-h1")), None))
            self.until(lambda: sent_by(host) > 1 << 20)  # more than starting up takes
            ranks = [pid for pid in pids_in(host) if "bench" in command_of(pid) and "pin" not in command_of(pid)[0]]
            os.kill(ranks[-1], signal.SIGKILL)
            killed = time.monotonic()
            _, said = lab.communicate(timeout=30)
            self.assertLess(time.monotonic() - killed, 10)
            self.assertNotEqual(lab.returncode, 0)
            self.assertNotEqual(said.strip(), "")
            self.assertEqual(namespaces(), self.before[0])
            self.assertFalse(os.path.exists(f"/proc/{ranks[0]}"))

    def until(self, condition):
        deadline = time.monotonic() + 30
        while not (result := condition()):
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.05)
        return result


def sent_by(host):
    path = "/sys/class/net/eth0/statistics/tx_bytes"
    done = subprocess.run(["ip", "netns", "exec", host, "cat", path], capture_output=True, text=True)
    return int(done.stdout) if done.returncode == 0 else 0


def pids_in(host):
    return [int(pid) for pid in subprocess.run(["ip", "netns", "pids", host], capture_output=True, text=True).stdout.split()]


def command_of(pid):
    try:
        with open(f"/proc/{pid}/cmdline") as file:
            return file.read().split("\0")
    except OSError:
        return [""]


if __name__ == "__main__":
    main()
