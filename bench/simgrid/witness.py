#!/usr/bin/env python3
"""The same schedules under SimGrid's SMPI and in our simulator: a witness that knows nothing of us.

Needs Debian's libsimgrid-dev (smpicxx, smpirun) and a built kallima. Schedules are saved by `kallima simulate --save`
and run by bench/simgrid/witness.cpp as MPI programs, on a flat network, a fat tree with taper 2 and tori, which SimGrid
shares by max-min fairness, without TCP's corrections. Computing takes no time at all: what is compared is how messages
share links. Links have no latency, as SimGrid's flows get the less of a link the more latency there is on their way, as
TCP's do. All ranks begin at once, and many messages end at the same instant; which goes first then is decided by the same
rules on both sides, as any other order is another, equally good run that may take a fifth longer. Half-way around a
ring of even extent both ways are as long; SimGrid's own torus takes three of four up in a ring of four, so it is told
our routes there. The links up from a switch of our fat tree are taken together, so SimGrid is told of one thick link;
its own fat tree, D-mod-k, sends all that goes to one node by the same one of four, and is printed beside it.

Where messages differ in length ranks fall out of step, and a rounding error decides who goes first: our own time then
changes by several parts in a hundred with the last digits of G. What is compared is the mean over many shapes that the
ranks do not divide. Prints both times and fails beyond 5 %, except for D-mod-k.
"""
import argparse
import itertools
import json
import math
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
BANDWIDTH = 1e8  # bytes per second
NO_TIME = "r=1e100"  # operations per second
WORD = 16 * 256  # bytes: SMPI adds 16 to every message, which should not matter
LEAF, UP = 8, 4  # nodes below a switch of the fat tree, links up from it
UNEVEN = [f"{a}x{b}x67" for a in range(61, 65) for b in range(65, 69)]
CONFIG = ["network/model:CM02", "network/TCP-gamma:0", "network/crosstraffic:0", "smpi/simulate-computation:no",
          "smpi/test:0", "smpi/iprobe:0", "smpi/async-small-thresh:0", "smpi/send-is-detached-thresh:0",
          "smpi/wtime:0", "surf/precision:1e-12"]


TORI = {16: (4, 4), 27: (3, 3, 3), 64: (4, 4, 4)}


def torus_route(source, target, shape):
    """Links from node to node, dimension after dimension, the shorter way, or up where both are as long."""
    links, node, stride = [], source, 1
    for extent in shape:
        x, goal = node // stride % extent, target // stride % extent
        up = (goal - x) % extent
        step = 1 if 2 * up <= extent else -1
        while x != goal:
            links.append(f"l{node}_{stride}_{'up' if step == 1 else 'down'}")
            node += ((x + step) % extent - x) * stride
            x = (x + step) % extent
        stride *= extent
    return links


def routed(nodes, links, route):
    """SimGrid's description of a network with every route written out; `links` are names and rates."""
    xml = [f'<host id="h{n}" speed="1Gf"/>' for n in range(nodes)]
    xml += [f'<link id="{name}" bandwidth="{rate:.0f}Bps" latency="0s"/>' for name, rate in links]
    for a in range(nodes):
        for b in range(nodes):
            ways = "".join(f'<link_ctn id="{link}"/>' for link in route(a, b))
            if a != b:
                xml.append(f'<route src="h{a}" dst="h{b}" symmetrical="NO">{ways}</route>')
    return f'<zone id="c" routing="Full">{"".join(xml)}</zone>'


def routed_torus(shape):
    nodes = math.prod(shape)
    strides = [math.prod(shape[:d]) for d in range(len(shape))]
    links = [(f"l{n}_{s}_{way}", BANDWIDTH) for n in range(nodes) for s in strides for way in ("up", "down")]
    return routed(nodes, links, lambda a, b: torus_route(a, b, shape))


def thick_tree(nodes):
    links = [(f"{way}{n}", BANDWIDTH) for n in range(nodes) for way in ("out", "in")]
    links += [(f"{way}{n}", UP * BANDWIDTH) for n in range(nodes // LEAF) for way in ("up", "down")]

    def route(a, b):
        climbed = [f"up{a // LEAF}", f"down{b // LEAF}"] if a // LEAF != b // LEAF else []
        return [f"out{a}", *climbed, f"in{b}"]
    return routed(nodes, links, route)


def platform(network, ranks):
    """SimGrid's description, and ours."""
    word = WORD / BANDWIDTH
    common = f'id="c" prefix="h" suffix="" radical="0-{ranks - 1}" speed="1Gf" bw="{BANDWIDTH:.0f}Bps" ' \
             'lat="0s" sharing_policy="SPLITDUPLEX"'
    flat = f"loggp:L=0,G={word:g},{NO_TIME}"
    tree = f"{flat}/fattree:shape={LEAF}x{ranks // LEAF},taper={LEAF // UP},G={word:g},hop=0"
    if network == "flat":
        return f"<cluster {common}/>", flat
    if network == "d-mod-k":
        return f'<cluster {common} topology="FAT_TREE" topo_parameters="2;{LEAF},{ranks // LEAF};1,{UP};1,1"/>', tree
    if network == "fattree":
        return thick_tree(ranks), tree
    shape = TORI[ranks]
    even = any(extent % 2 == 0 for extent in shape)
    parameters = ",".join(map(str, shape))
    return (routed_torus(shape) if even else f'<cluster {common} topology="TORUS" topo_parameters="{parameters}"/>',
            f"loggp:L=0,G=0,{NO_TIME}/torus:shape={'x'.join(map(str, shape))},G={word:g},hop=0")


def write_ranks(schedule, folder):
    for rank in schedule["ranks"]:
        with open(os.path.join(folder, str(rank["rank"])), "w") as out:
            for task in rank["tasks"]:
                kind = "copy" if task["kind"] == "compute" and not task["flops"] else task["kind"]  # takes no turn
                fields = [kind, task["peer"], task["tag"], WORD * task["elements"], task["start"], *task["after"]]
                out.write(" ".join(map(str, fields)) + "\n")


def smpi(args, xml, folder, ranks):
    path = os.path.join(folder, "platform.xml")
    with open(path, "w") as out:
        out.write('<?xml version="1.0"?><!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">'
                  f'<platform version="4.1">{xml}</platform>')
    hosts = os.path.join(folder, "hosts")
    with open(hosts, "w") as out:
        out.writelines(f"h{i}\n" for i in range(ranks))
    command = ["smpirun", "-np", str(ranks), "-platform", path, "-hostfile", hosts,
               *[f"--cfg={one}" for one in CONFIG], "--log=root.thres:critical", args.program, folder]
    done = subprocess.run(command, capture_output=True, text=True)
    for line in done.stdout.splitlines():
        if line.startswith("completion"):
            return float(line.split()[1])
    sys.exit(f"SMPI failed: {done.stdout[-500:]}{done.stderr[-1500:]}")


def ours(args, case, machine, sharing):
    command = [args.kallima, "simulate", *case, "--machine", machine, "--sharing", sharing, "--json"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr)
    return json.loads(done.stdout)["completion"]


def compare(args, network, schedule, shape, ranks):
    case = ["--schedule", schedule, "--shape", shape, "--p", str(ranks)]
    xml, machine = platform(network, ranks)
    with tempfile.TemporaryDirectory() as folder:
        saved = os.path.join(folder, "s.json")
        subprocess.run([args.kallima, "simulate", *case, "--machine", "loggp:G=1", "--save", saved], check=True,
                       capture_output=True)
        with open(saved) as text:
            write_ranks(json.load(text), folder)
        witness = smpi(args, xml, folder, ranks)
    own = ours(args, case, machine, "flows")
    rounds = ours(args, case, machine, "rounds")
    print(f"{network:8} {schedule:8} {shape:12} P={ranks:<4} SMPI {witness:.6f} s   flows {own:.6f} s ({own / witness - 1:+.2%})"
          f"   rounds {rounds:.6f} s ({rounds / witness - 1:+.2%})", flush=True)
    return witness, own


def difference(pairs):
    return sum(own for _, own in pairs) / sum(witness for witness, _ in pairs) - 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kallima", default="build/bin/kallima")
    parser.add_argument("--ranks", default="4,16,64,256", help="for the flat network and the fat tree; default: %(default)s")
    parser.add_argument("--allowed", type=float, default=0.05)
    args = parser.parse_args()
    if not shutil.which("smpicxx"):
        sys.exit("SimGrid is not there: apt-get install libsimgrid-dev")
    with tempfile.TemporaryDirectory() as folder:
        args.program = os.path.join(folder, "witness")
        subprocess.run(["smpicxx", "-std=c++20", "-O2", "-o", args.program, os.path.join(HERE, "witness.cpp")], check=True)
        apart = []
        counts = [int(ranks) for ranks in args.ranks.split(",")]
        for network in ("flat", "fattree", "d-mod-k", "torus"):
            fitting = TORI if network == "torus" else counts if network == "flat" else [n for n in counts if n > LEAF]
            pairs = [[compare(args, network, schedule, "54x54x54" if ranks == 27 else "64x64x64", ranks)]
                     for ranks, schedule in itertools.product(fitting, ("cyclic", "pencil"))]
            if network != "torus":
                pairs.append([compare(args, network, "pencil", shape, 16) for shape in UNEVEN])
                print(f"{network:8} mean of {len(UNEVEN)} uneven shapes: flows {difference(pairs[-1]):+.2%}", flush=True)
            if network != "d-mod-k":
                apart += [abs(difference(pair)) for pair in pairs]
        worst = max(apart)
    print(f"worst difference between flows and SMPI: {worst:.2%} (allowed {args.allowed:.0%})")
    sys.exit(worst > args.allowed)


if __name__ == "__main__":
    main()
