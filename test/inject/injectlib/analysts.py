# SPDX-License-Identifier: Apache-2.0
"""Programs that evaluate events, scans, traces and the PCI bus."""

import errno
import os
import subprocess
from typing import NamedTuple

from . import filters, truth
from .orders import ERRORS
from .runs import Run, complaints_about_end
from .writers import OTHER

LIB = os.path.join(filters.TEST, "lib")
TOPOLOGY = os.path.join(filters.TEST, "fleet", "topology", "topology.conf")
# A flapping port, an error of a driver, and a failure of a switch with five nodes.
EVENTS = """include "events";
def falls($at): range(1; 6) | . as $n | down($at; "mlx5_0") | of("n\\($n)");
worse(1, 2, 3; "mlx5_0"), driver(0, 1800, 3599.5; "netdev_watchdog"; false), falls(4000),
    (range(10) | down(5000 + 20 * .; "mlx5_1"), up(5010 + 20 * .; "mlx5_1"))"""

# A failed queue pair, and events that the kernel lost.
TRACE = (
    ("345678", 'ib_qp: (ib_uverbs_qp_event_handler+0x0/0x60 [ib_uverbs]) event=1 dev="rxe0"'),
    ("445678", "ib_qp: nonsense"),
)


def write_events(setting):
    """Write the events to a file and return its path."""
    path = os.path.join(setting.inputs, "analysts-events")
    if not os.path.exists(path):
        with open(path, "wb") as file:
            subprocess.run(["gojq", "-n", "-c", "-L", LIB, EVENTS], stdout=file, check=True)
    return path


def write_scans(setting, name):
    """Write two files, each with a scan; a port went down between them. Return their paths."""
    node = filters.make_node(setting, name)
    paths = [os.path.join(setting.inputs, f"{name}-{number}") for number in (1, 2)]
    command = [os.path.join(setting.programs, "ibscan"), *filters.scan_options(node)]
    for path in paths:
        with open(path, "wb") as file:
            subprocess.run([*command, "--count", "1"], stdout=file, check=True)
        unplug = [os.path.join(filters.TEST, "sim", "nicsim"), node, "unplug", "mlx5_1/1"]
        subprocess.run(unplug, check=True)
    return paths


class Correlate(filters.Filter):
    """correlate copies its input, and then writes its findings."""

    name = program = "correlate"

    def prepare(self, setting):
        self.stdin = write_events(setting)
        self.command = ["correlate"]


class Blastradius(filters.Filter):
    name = program = "blastradius"

    def prepare(self, setting):
        self.stdin = write_events(setting)
        self.command = ["blastradius", "--topology", TOPOLOGY]


class Fleetview(filters.Filter):
    name = program = "fleetview"

    def prepare(self, setting):
        self.stdin = write_events(setting)
        self.command = ["fleetview", "--topology", TOPOLOGY]


class Fleetpage(filters.Filter):
    """fleetpage only starts to listen, reads, and exits; other tests check its pages."""

    name = program = "fleetpage"

    def prepare(self, setting):
        self.stdin = write_events(setting)
        self.command = ["fleetpage", "--topology", TOPOLOGY, "--port", "0"]


class Ibevent(filters.Filter):
    """ibevent reads the events of a trace from a file."""

    name = program = "ibevent"

    def prepare(self, setting):
        node = filters.make_node(setting, "ibevent-node")
        trace = os.path.join(setting.inputs, "trace")
        with open(trace, "w", encoding="ascii") as file:
            file.writelines(f"rping-7 [000] ..... 12.{at}: {what}\n" for at, what in TRACE)
        self.command = ["ibevent", "--sysfs-root", f"{node}/sys", "--node", "node"]
        self.command += ["--sources", "trace", "--trace", trace]


class Pcitopo(filters.Filter):
    name = program = "pcitopo"

    def prepare(self, setting):
        node = filters.make_node(setting, "pcitopo-node")
        self.command = ["pcitopo", "--sysfs-root", f"{node}/sys"]


class Nicdiff(filters.Filter):
    """nicdiff finds a difference and exits with 1."""

    name = program = "nicdiff"
    done = 1

    def prepare(self, setting):
        self.command = ["nicdiff", *write_scans(setting, self.name)]


class Nicwhy(filters.Filter):
    name = program = "nicwhy"

    def prepare(self, setting):
        _, self.stdin = write_scans(setting, self.name)
        self.command = ["nicwhy", "mlx5_1"]


class Silenced(NamedTuple):
    """The result of both runs."""

    code: int  # of the first
    stderr: str
    ends: list
    text: bytes  # of the file


class Nicsilence(filters.Filter):
    """A silence was added or not; the next run adds it in any case."""

    name = program = "nicsilence"
    # EROFS, a read-only file system, would exit with 77.
    errors = {**ERRORS, "rename": (errno.ENOSPC,)}

    def prepare(self, setting):
        self.node = filters.make_node(setting, "nicsilence-node")

    def silence(self, run, device):
        file = os.path.join(run.room, "silences.ndjson")
        command = ["nicsilence", device, "--for", "2h", "--why", "a cable", "--by", "somebody"]
        return run.finish([*command, "--file", file, "--sysfs-root", f"{self.node}/sys"])

    def play(self, setting, room, failure):
        first = Run(setting, room, self.program, failure)
        ends = [self.silence(first, "mlx5_0"), self.silence(Run(setting, room, OTHER), "mlx5_1")]
        with open(os.path.join(room, "silences.ndjson"), "rb") as file:
            text = file.read()
        stderr = "".join(f"[{end.code}] {end.stderr}" for end in ends)
        return first.order, Silenced(ends[0].code, stderr, ends, text)

    def judge(self, ended, reference):
        silences, complaints = truth.records(ended.text)
        for number, end in enumerate(ended.ends):
            found = complaints_about_end(end, [self.program], self.codes)
            complaints += [f"run {number + 1}: {line}" for line in found]
        begun = [one["device"] for one in silences]
        if ended.ends[1].code != 0:
            complaints.append("the run after it has failed, too")
        elif begun != ["mlx5_0", "mlx5_1"] and (ended.code == 0 or begun != ["mlx5_1"]):
            complaints.append(f"exit code {ended.code}, and silences of {begun}")
        return complaints
