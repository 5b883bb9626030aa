# SPDX-License-Identifier: Apache-2.0
"""The service: whatever fails in the supervisor, its stages go on or end with it."""

import ctypes
import json
import os
import re
import shutil
import signal
import subprocess
import time
import urllib.request
from typing import NamedTuple

from . import delivery, filters
from .runs import PATIENCE_SECONDS, Ended, Run, code_at_end, complaints_about_end
from .writers import OTHER, saying

STAGES = ("ibscan", "topoclass", "ctreval", "logmatch", "emit")
PORT = "mlx5_1"
LISTENING = re.compile(r"metrics: listening on (\S+)")
PR_SET_CHILD_SUBREAPER = 36
# Time limit for the service's child processes to end after it.
GONE_SECONDS = 5
LOOK_SECONDS = 0.02


class Told(NamedTuple):
    """The result of both runs."""

    code: int
    stderr: str
    ends: tuple
    events: tuple  # what they say, but for their numbers and times
    complaints: tuple


class Stopped(Exception):
    """The service has ended."""


class Life:
    """One run of the service."""

    def __init__(self, run, command):
        self.room = run.room
        self.errors = os.path.join(run.room, "stderr")
        self.until = time.monotonic() + PATIENCE_SECONDS
        self.complaints = []
        # The servers of other scenarios.
        self.others = children()
        with open(self.errors, "wb") as error:
            self.process = run.start(command, subprocess.DEVNULL, subprocess.DEVNULL, error)

    def said(self):
        with open(self.errors, encoding="utf-8", errors="replace") as file:
            return file.read()

    def wait_until(self, what, is_so):
        while not is_so():
            if self.process.poll() is not None:
                raise Stopped
            if time.monotonic() > self.until:
                self.complaints.append(f"it does not get on: {what}")
                raise Stopped
            time.sleep(LOOK_SECONDS)

    def ask(self, path):
        """Return whether the service responds; one request may fail."""
        found = LISTENING.findall(self.said())
        if not found:
            return True
        try:
            with urllib.request.urlopen(f"http://{found[-1]}/{path}", timeout=2) as answer:
                return b"nic_health_monitor" in answer.read()
        except OSError:
            return False

    def end(self):
        """Wait for the end of the service and its children."""
        code = code_at_end(self.process, self.until - time.monotonic())
        if not self.all_gone():
            self.complaints.append("it left a process behind")
            for pid in children() - self.others:
                os.kill(pid, signal.SIGKILL)
            self.all_gone()
        return Ended(code, b"", self.said())

    def all_gone(self):
        """Return whether all child processes of this run have ended, also adopted ones."""
        until = time.monotonic() + GONE_SECONDS
        while left := children() - self.others:
            if time.monotonic() > until:
                return False
            for pid in left:
                os.waitpid(pid, os.WNOHANG)
            time.sleep(LOOK_SECONDS)
        return True


def adopt_orphans():
    """Adopt orphans, so that no process left behind is missed."""
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def children():
    """Return the pids of all own and adopted child processes."""
    me = os.getpid()
    with open(f"/proc/{me}/task/{me}/children", encoding="ascii") as file:
        return set(map(int, file.read().split()))


class Service(filters.Filter):
    """A port goes down, a client asks, the configuration is reloaded, the port comes back; the same
    again after the service has ended."""

    name, program = "service", "nic-health-monitor"
    stride = 600

    def prepare(self, setting):
        self.node = filters.make_node(setting, "service-node")
        filters.configure(self.node)

    def play(self, setting, room, failure):
        adopt_orphans()
        shutil.copytree(self.node, os.path.join(room, "node"), symlinks=True)
        first = Run(setting, room, self.program, failure)
        ends, complaints = [], []
        for run in (first, Run(setting, room, OTHER)):
            life = Life(run, self.command(room))
            ends.append(self.live(life))
            complaints += life.complaints
        events, wrong = self.delivered(room)
        stderr = "".join(f"[{end.code}] {end.stderr}" for end in ends)
        complaints = tuple(complaints + wrong)
        return first.order, Told(ends[0].code, stderr, tuple(ends), events, complaints)

    def command(self, room):
        node = os.path.join(room, "node")
        rest = filters.class_options(node)[:-2]
        return [
            *("nic-health-monitor", *filters.scan_options(node), *rest),
            *("--config", f"{self.node}.yaml", "--interval", "50ms", "--kmsg", f"{node}/dev/kmsg"),
            *("--state", f"{room}/state.json", "--spool", f"{room}/spool.db"),
            *("--sink", f"file:{room}/sink"),
            *("--metrics-port", "0", "--metrics-address", "127.0.0.1"),
        ]

    def become(self, room, state):
        """Replace the file atomically: no scan sees half of it."""
        path = os.path.join(room, "node/sys/class/infiniband", PORT, "ports/1/state")
        with open(f"{path}.new", "w", encoding="ascii") as file:
            file.write(f"{state}\n")
        os.rename(f"{path}.new", path)

    def live(self, life):
        try:
            life.wait_until("no scan", lambda: "counters available" in life.said())
            self.become(life.room, "1: DOWN")
            life.wait_until("the port is down", lambda: self.last(life.room) is False)
            life.wait_until("no answer", lambda: life.ask("metrics"))
            life.process.send_signal(signal.SIGHUP)
            life.wait_until("no word of SIGHUP", lambda: ": SIGHUP: " in life.said())
            self.become(life.room, "4: ACTIVE")
            life.wait_until("the port is back", lambda: self.last(life.room) is True)
            life.process.terminate()
        except Stopped:
            if life.process.poll() == 0:
                life.complaints.append("nobody asked it to end, and it says that all is well")
        return life.end()

    def lines(self, room):
        path = os.path.join(room, "sink")
        if not os.path.exists(path):
            return []
        with open(path, "rb") as file:
            return [json.loads(line) for line in file if line.endswith(b"\n")]

    def last(self, room):
        """Return whether the last event says that the port is healthy, or None without an event."""
        well = None
        for event in self.lines(room):
            if "port_state" in event["errorCode"] and f"port {PORT} " in event["message"].lower():
                well = event["isHealthy"]
        return well

    def delivered(self, room):
        """Return (content of the events, complaints)."""
        seen, last, complaints = {}, {}, []
        for event in self.lines(room):
            name = (event["source"], event["seq"])
            if seen.setdefault(name, event) != event:
                complaints.append(f"contradiction: {event['id']}")
            elif event["seq"] < last.get(event["source"], 0):
                complaints.append(f"too late: {event['id']}")
            last[event["source"]] = event["seq"]
        # A baseline is in the spool, but is not delivered to a file.
        stored = delivery.stored(os.path.join(room, "spool.db"))
        highest = {source: max(seq for one, seq in stored if one == source) for source, _ in stored}
        complaints += delivery.beyond(highest, stored)
        return tuple(map(saying, seen.values())), complaints

    def judge(self, ended, reference):
        complaints = list(ended.complaints)
        for number, end in enumerate(ended.ends):
            found = complaints_about_end(end, [self.program, *STAGES], self.codes)
            complaints += [f"run {number + 1}: {line}" for line in found]
            # No process hangs in this test.
            if "hangs in the kernel" in end.stderr:
                complaints.append(f"run {number + 1}: what has ended is said to hang")
        if ended.ends[-1].code != 0:
            complaints.append("the run after it has failed, too")
        # A run that ended at once has seen nothing that it could report twice.
        complaints += [f"lost: {one}" for one in reference.events if one not in ended.events]
        complaints += [f"not true: {one}" for one in ended.events if one not in reference.events]
        return complaints
