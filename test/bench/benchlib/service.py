# SPDX-License-Identifier: Apache-2.0
"""The whole service on a simulated node, and what processes cost."""

import contextlib
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time

from .node import ROOT, program

# The simulator is used from within: a program that is started for each fault would add its own time
# to every one.
sys.path.insert(0, os.path.join(ROOT, "test/sim"))

from nicsimlib import (
    commands,
    node as simulator,
)  # noqa: E402 pylint: disable=wrong-import-position

DEADLINE_S = 60
POLL_S = 0.005


def wait_for(what, is_so, deadline_s=DEADLINE_S):
    """Until is_so() is true; its value."""
    deadline = time.monotonic() + deadline_s
    while time.monotonic() < deadline:
        value = is_so()
        if value:
            return value
        time.sleep(POLL_S)
    raise SystemExit(f"bench-service: gave up waiting for {what}")


def free_port():
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        return server.getsockname()[1]


class Faults:
    """Commands of nicsim on a node that is there."""

    def __init__(self, node):
        self.node = simulator.load(node.path)

    def do(self, *words):
        """When it began (CLOCK_REALTIME, ns)."""
        action = commands.prepare(self.node.platform, words[0], list(words[1:]))
        with self.node.lock():
            began_ns = time.time_ns()
            action(self.node)
        return began_ns


class Connector:
    """The Platform Connector of the tests, while the `with` lasts, and what has arrived there."""

    def __init__(self, directory):
        self.socket, self.log_path = os.path.join(directory, "connector.sock"), os.path.join(
            directory, "connector.log"
        )
        self.kept = contextlib.ExitStack()

    def __enter__(self):
        process = self.kept.enter_context(
            subprocess.Popen(
                [
                    os.path.join(ROOT, "test/servers/connector"),
                    "--listen",
                    f"unix:{self.socket}",
                    "--log",
                    self.log_path,
                ],
                stdout=subprocess.PIPE,
            )
        )
        self.kept.callback(process.kill)
        if not process.stdout.readline().startswith(b"listening"):
            raise SystemExit("bench-service: the connector does not start")
        self.log = self.kept.enter_context(open(self.log_path, encoding="utf-8"))
        self.half, self.call_ns = "", 0
        return self

    def __exit__(self, *_):
        self.kept.close()

    def arrived(self):
        """What has come since the last time: when (CLOCK_REALTIME, ns), and the event."""
        *lines, self.half = (self.half + self.log.read()).split("\n")
        for line in lines:
            record = json.loads(line)
            if record["kind"] == "call":
                self.call_ns = record["time_ns"]
            else:
                yield self.call_ns, record["event"]


class Service:
    """The service on a node, with a kernel log, while the `with` lasts. As in earnest the spool, in
    `directory`, is on a disk, and the state beside the node, in memory."""

    def __init__(self, directory, node, interval, sink, *options):
        self.errors_path = os.path.join(directory, "service.err")
        # A log in which nothing is written: unlike the simulator's file, and like the device, it is
        # waited for without looking again and again.
        self.log_path = os.path.join(directory, "kmsg")
        self.command = [
            program("nic-health-monitor"),
            "--sysfs-root",
            f"{node.path}/sys",
            "--interval",
            interval,
            "--node-name",
            "bench-node",
            "--metadata-path",
            f"{node.path}/var/lib/nvsentinel/gpu_metadata.json",
            "--route-path",
            f"{node.path}/proc/net/route",
            "--route6-path",
            f"{node.path}/proc/net/ipv6_route",
            "--boot-id-path",
            f"{node.path}/proc/sys/kernel/random/boot_id",
            "--kmsg-path",
            self.log_path,
            "--state-file",
            f"{node.path}/run/state.json",
            "--spool",
            os.path.join(directory, "var/spool.db"),
            "--sink",
            sink,
            "--metrics-port",
            "0",
            "--metrics-address",
            "127.0.0.1",
            *options,
        ]

    def __enter__(self):
        os.mkfifo(self.log_path)
        self.log = os.open(self.log_path, os.O_RDWR)
        with open(self.errors_path, "wb") as errors:
            self.process = subprocess.Popen(
                self.command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=errors
            )
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(10)
        self.process.kill()
        self.process.wait()
        os.close(self.log)

    def said(self):
        with open(self.errors_path, encoding="utf-8", errors="replace") as file:
            return file.read()

    def metrics_port(self):
        """Where it listens, or None as long as it has not said so."""
        found = re.search(r"metrics: listening on 127\.0\.0\.1:([0-9]+)", self.said())
        return int(found[1]) if found else None

    def fail_if_ended(self):
        if self.process.poll() is not None:
            raise SystemExit(
                f"bench-service: the service has ended with {self.process.returncode}:"
                f" {self.said()[-500:].strip()}"
            )

    def processes(self):
        """Name -> pid, of the service itself and its stages."""
        self.fail_if_ended()
        found = {"supervisor": self.process.pid}
        with open(
            f"/proc/{self.process.pid}/task/{self.process.pid}/children", encoding="ascii"
        ) as children:
            for pid in children.read().split():
                with open(f"/proc/{pid}/comm", encoding="ascii") as name:
                    found[name.read().strip()] = int(pid)
        return found


class Exporter:
    """prometheus-node-exporter on the same tree, while the `with` lasts."""

    def __init__(self, node):
        self.port = free_port()
        self.command = [
            "prometheus-node-exporter",
            f"--path.sysfs={node.path}/sys",
            f"--path.procfs={node.path}/proc",
            "--collector.disable-defaults",
            "--collector.infiniband",
            "--collector.netclass",
            f"--web.listen-address=127.0.0.1:{self.port}",
        ]

    def __enter__(self):
        self.process = subprocess.Popen(
            self.command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        wait_for("node_exporter", self.listens)
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()

    def listens(self):
        with socket.socket() as client:
            return client.connect_ex(("127.0.0.1", self.port)) == 0


def of_threads(pid, name):
    """What /proc says in a file of each thread that a process has."""
    for thread in os.listdir(f"/proc/{pid}/task"):
        with contextlib.suppress(FileNotFoundError), open(
            f"/proc/{pid}/task/{thread}/{name}", encoding="ascii"
        ) as file:
            yield file.read()


def wakeups(pid):
    """How often the threads of a process have waited for something, and it came."""
    return sum(
        int(re.search(r"^voluntary_ctxt_switches:\s*([0-9]+)$", text, re.MULTILINE)[1])
        for text in of_threads(pid, "status")
    )


def cpu_ns(pid):
    """Processor time of all threads that a process has."""
    return sum(int(text.split()[0]) for text in of_threads(pid, "schedstat"))


def memory_kib(pids):
    """Name -> resident size, and what of it is nobody else's; and what all of them take together
    with each page counted once, or a little more than that."""
    sizes, once, shared = {}, 0, {}
    for name, pid in pids.items():
        resident = own = 0
        for mapping, fields in mappings(pid):
            resident += fields["Rss"]
            own += fields["Private_Clean"] + fields["Private_Dirty"]
            # A page that was written to is this process's own copy; of others the file has one for
            # all.
            once += fields["Anonymous"]
            pages, _ = shared.get(mapping, (0, 0))
            shared[mapping] = pages + fields["Rss"] - fields["Anonymous"], fields["Size"]
        sizes[name] = resident, own
    return sizes, once + sum(min(pages, size) for pages, size in shared.values())


def mappings(pid):
    """Of each: what part of which file it is, and its sizes."""
    mapping, fields = None, {}
    with open(f"/proc/{pid}/smaps", encoding="utf-8", errors="replace") as file:
        for line in file:
            words = line.split()
            if not words[0].endswith(":"):
                if mapping is not None:
                    yield mapping, fields
                addresses, _, offset, device, inode = words[:5]
                # What is of no file is shared with nobody.
                mapping, fields = (
                    device,
                    inode,
                    offset,
                    None if inode != "0" else (pid, addresses),
                ), {}
            elif words[-1] == "kB":
                fields[words[0][:-1]] = int(words[1])
    yield mapping, fields
