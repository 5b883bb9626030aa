# SPDX-License-Identifier: Apache-2.0
"""The node, the service and the connector: what can be done to them, and what they say."""

import contextlib
import glob
import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import time
import urllib.request

from nicsimlib import node as nicsim
from replaylib import baseline, judge

# For whatever must happen: a machine that is busy takes its time.
PATIENCE_S = 180
_SCANS = re.compile(r"^nic_health_monitor_scans_evaluated_total(?:\{[^}]*\})? (\d+)$", re.MULTILINE)
_LISTENING = re.compile(r"metrics: listening on (127\.0\.0\.1:\d+)")


def _content(path):
    """Of a process' file; nothing once it is gone."""
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except OSError:
        return ""


class Trouble(Exception):
    """Something did not happen in time, or not as it should."""


class Machine:
    """A node with what runs on it; the connector is there from the beginning."""

    def __init__(self, directory, platform, command, connector):
        self.directory = directory
        self.command = command
        self.connector_command = connector
        self.node = nicsim.create(self.path("node"), platform)
        self.service = self.connector = None
        self.read, self.came, self.seen = 0, [], set()
        self.write_config("{}")

    def __enter__(self):
        self.connect()
        return self

    def __exit__(self, *_):
        for process in (self.service, self.connector):
            if process is not None:
                process.kill()
                process.wait()

    def path(self, name):
        return os.path.join(self.directory, name)

    def wait(self, what, condition):
        """Until the condition holds."""
        deadline = time.monotonic() + PATIENCE_S
        while not condition():
            if time.monotonic() > deadline:
                raise Trouble(f"gave up waiting for: {what}")
            time.sleep(0.03)

    # --- the node

    def do(self, action):
        """A command of nicsim, while nobody looks: on a busy machine a driver that is loaded again
        in an instant would take longer than several looks do."""
        self._signal_scanning(signal.SIGSTOP)
        try:
            with self.node.lock():
                action(self.node)
        finally:
            self._signal_scanning(signal.SIGCONT)

    def _signal_scanning(self, number):
        """To the service's ibscan, if there is one."""
        if self.service is None:
            return
        for path in glob.glob(f"/proc/{self.service.pid}/task/*/children"):
            for child in _content(path).split():
                if _content(f"/proc/{child}/comm") == "ibscan\n":
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(int(child), number)

    def shut_down(self):
        """The end of a boot: what is in memory is gone."""
        self.stop_service()
        shutil.rmtree(self.path("run"))
        with self.node.lock():
            nicsim_reboot(self.node)

    def write_config(self, text):
        with open(self.path("config.yaml"), "w", encoding="utf-8") as file:
            file.write(text + "\n")

    # --- the service

    def start_service(self):
        with open(self.path("service.err"), "ab") as errors, open(os.devnull, "rb") as nothing:
            self.said_before = os.path.getsize(self.path("service.err"))
            # pylint: disable-next=consider-using-with # it outlives this
            self.service = subprocess.Popen(
                self.command, stdin=nothing, stdout=errors, stderr=errors
            )

    def stop_service(self):
        """In order, and with exit code 0."""
        self.service.terminate()
        try:
            code = self.service.wait(PATIENCE_S)
        except subprocess.TimeoutExpired:
            raise Trouble("the service does not end") from None
        self.service = None
        if code != 0:
            raise Trouble(f"the service ended with {code}")

    def reload_service(self):
        already = self.said().count("configuration reloaded")
        self.service.send_signal(signal.SIGHUP)
        self.wait("a reload", lambda: self.said().count("configuration reloaded") > already)

    def said(self):
        """By this service so far."""
        with open(self.path("service.err"), encoding="utf-8") as file:
            file.seek(self.said_before)
            return file.read()

    def scans(self):
        """How many it has evaluated; 0 when there is nobody to ask."""
        listening = _LISTENING.search(self.said())
        if listening is None:
            return 0
        with contextlib.suppress(OSError):
            with urllib.request.urlopen(
                f"http://{listening[1]}/metrics", timeout=PATIENCE_S
            ) as reply:
                found = _SCANS.search(reply.read().decode())
                return int(found[1]) if found else 0
        return 0

    def look_twice(self):
        """Two more scans are evaluated, of which the second has begun after this."""
        self.wait("a scan", lambda: self.scans() > 0)
        before = self.scans()
        self.wait("two more scans", lambda: self.scans() >= before + 2)

    # --- the connector

    def connect(self):
        command = [
            self.connector_command,
            "--listen",
            f"unix:{self.path('connector.sock')}",
            "--log",
            self.path("connector.log"),
            "--script",
            self.path("connector.script"),
            "--strict",
        ]
        # pylint: disable-next=consider-using-with # it outlives this
        self.connector = subprocess.Popen(
            command, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, encoding="utf-8"
        )
        if not self.connector.stdout.readline().startswith("listening"):
            raise Trouble("no connector")

    def disconnect(self):
        self.connector.kill()
        self.connector.wait()
        self.connector.stdout.close()
        self.connector = None
        os.unlink(self.path("connector.sock"))

    # --- events

    def events(self):
        """Those that the connector has accepted, each id once, in the order they came: as text.
        Not what correlate makes of them, which depends on how fast the story is told."""
        with contextlib.suppress(FileNotFoundError), open(self.path("connector.log"), "rb") as file:
            file.seek(self.read)
            for line in file:
                # One that is being written is read the next time.
                if not line.endswith(b"\n"):
                    break
                self.read += len(line)
                self._take(json.loads(line))
        return self.came

    def _take(self, record):
        if record["kind"] == "event" and record["answer"] == "OK" and record["id"] not in self.seen:
            self.seen.add(record["id"])
            if record["event"]["agent"] != "health-events-analyzer":
                self.came.append(judge.shown(record["event"]))

    def stored(self):
        """How many of these are in the spool."""
        spool = self.path("var/spool.db")
        if not os.path.exists(spool):
            return 0
        with contextlib.suppress(sqlite3.OperationalError):
            with contextlib.closing(
                sqlite3.connect(f"file:{spool}?mode=ro", uri=True, timeout=PATIENCE_S)
            ) as database:
                return database.execute(
                    "SELECT count(*) FROM event WHERE agent <> 'health-events-analyzer'"
                ).fetchone()[0]
        return 0

    def known(self):
        """How many have come; while there is no connector, how many will."""
        return len(self.events()) if self.connector else self.stored()

    def baseline(self):
        """What the node as it is deserves at the start of a boot."""
        path = self.node.path
        scan = subprocess.run(
            ["ibscan", "--sysfs-root", path("sys"), "--counters", "configured", "--config",
            self.path("config.yaml"),
             "--boot-id-file", path("proc/sys/kernel/random/boot_id")],
            stdout=subprocess.PIPE, timeout=PATIENCE_S, check=True,
        )  # fmt: skip
        annotated = subprocess.run(
            ["topoclass", "--config", self.path("config.yaml"), "--metadata",
            path("var/lib/nvsentinel/gpu_metadata.json"),
             "--route", path("proc/net/route"), "--route6", path("proc/net/ipv6_route")],
            input=scan.stdout, stdout=subprocess.PIPE, timeout=PATIENCE_S, check=True,
        )  # fmt: skip
        records = [json.loads(line) for line in annotated.stdout.splitlines()]
        said = [event for _, _, event in baseline.baseline(records, "")]
        # Of the kernel's log nothing stands that the last boot said.
        return [
            *said,
            (
                'healthy SysLogsNICDriverError node "Baseline reset: earlier conditions of'
                ' SysLogsNICDriverError on this node are cleared"'
            ),
        ]


def nicsim_reboot(node):
    """The command of that name."""
    from nicsimlib import commands  # pylint: disable=import-outside-toplevel

    commands.prepare(node.platform, "reboot", [])(node)
