# SPDX-License-Identifier: Apache-2.0
"""Runs logmatch on a growing log, kills it and starts it again; sometimes the machine reboots."""

import os
import select
import signal
import time

from .driver import Driver, Trouble
from .kernellog import CLOSING, KernelLog, seconds_stamp
from .logmatchrun import set_boot_id


# An event's time may be this much after its record's, because times are unique and increasing.
SHIFT_US = 1_000_000


class Follower(Driver):
    """Writes the log and reads the events."""

    def __init__(self, command, work, seed, lines, receiver, killer, patience):
        self.command = command
        self.work, self.log_path = work, os.path.join(work, "kmsg")
        self.seed, self.lines = seed, lines
        self.days, self.came = [], []
        self.file = None
        self.gaps = set()
        self.boot()
        super().__init__(command, None, receiver, killer, os.path.join(work, "stderr"), patience)

    def boot(self):
        """Boot a new kernel, whose log begins at number 0."""
        self.days.append(KernelLog(self.seed, len(self.days), self.lines, len(self.days)))
        self.command[self.command.index("--boot-time") + 1] = (
            seconds_stamp(self.days[-1].booted) + "Z"
        )
        self.came.append([])
        self.closed = False
        set_boot_id(self.work, len(self.days))
        if self.file is not None:
            self.file.close()
        self.file = open(self.log_path, "wb", buffering=0)

    def close(self):
        super().close()
        self.file.close()

    def read_events(self):
        try:
            data = self.rest + os.read(self.events_out, 1 << 20)
        except BlockingIOError:
            return
        self.heard = time.monotonic()
        if self.events == 0:
            self.killer.started_in(self.heard - self.started)
        *lines, self.rest = data.split(b"\n")
        for line in lines:
            if line.startswith(b'{"kind":"gap"'):
                self.gaps.add((len(self.days), line))
                continue
            self.events += 1
            if self.receiver.take(line + b"\n"):
                self.new += 1
                event = self.receiver.events[-1]
                self.came[len(self.days) - 1].append(event)
                self.closed = self.closed or CLOSING.encode() in line
                at = event.get("metadata", {}).get("observed", event["generatedTimestamp"])
                self.check_forgotten((len(self.days), at) > self.forgot_at)
        if self.receiver.is_stuck():
            raise Trouble("broken off: a hole does not close")

    def fed(self):
        """Return boot and time of the last event that the log written so far can cause."""
        return len(self.days), self.days[-1].moment(SHIFT_US)

    def step(self, timeout):
        """Append to the log and read the output."""
        # Also on a slow machine, write most of the log after the program has begun to read it.
        begun = time.monotonic() - self.started > self.killer.startup
        if not self.days[-1].done() and (begun or self.killer.acks_chance.random() < 0.1):
            self.days[-1].append(self.file)
            self.passed += begun
            self.heard = time.monotonic()
        readable, _, _ = select.select([self.events_out, self.watch], [], [], max(0, timeout))
        self.hear(readable)

    def silence(self):
        if self.days[-1].done() and self.receiver.events and not self.closed:
            return "the last fault of the log never came"
        if self.receiver.forgotten:
            return (
                f"{len(self.receiver.forgotten)} events that an earlier receiver had read were not"
                " written again"
            )
        return super().silence()

    def run(self):
        while (life := self.killer.next_life()) is not None:
            if self.closed:
                self.boot()
            self.start()
            self.live(life)
        if self.closed:
            self.boot()
        self.start()
        while not self.closed or self.receiver.forgotten:
            self.step(0.001 if not self.days[-1].done() else 0.1)
        self.finish()

    def live(self, life):
        # Usually write so fast that the life ends before the program reads the log a second time.
        pace = 0.003 if life.chance.random() < 0.1 else 0.0002
        while (
            wait := life.is_over(
                self.passed, self.new, self.events, time.monotonic() - self.started
            )
        ) is None:
            if self.days[-1].done():
                if self.closed:
                    wait = 0
                    break
                pace = 0.05
            self.step(pace)
        until = time.monotonic() + wait
        while (left := until - time.monotonic()) > 0:
            self.step(min(left, pace))
        self.kill()
        self.kills[life.kind] = self.kills.get(life.kind, 0) + 1

    def finish(self):
        os.kill(self.pid, signal.SIGTERM)
        if select.select([self.watch], [], [], self.patience)[0] == []:
            raise Trouble(f"no end within {self.patience} s of SIGTERM")
        code = self.reap()
        if code != 0:
            raise Trouble(f"exit code {code} after SIGTERM")
