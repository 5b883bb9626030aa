# SPDX-License-Identifier: Apache-2.0
"""Runs ctreval between two pipes that outlive it, kills it, and starts it again.

A record of an unknown kind follows each scan. ctreval passes it on: when it comes out, the scan
before it was evaluated. The first such record of a process proves nothing, because the process may
have started reading in the middle of the scan.
"""

import contextlib
import os
import select
import signal
import time

from .node import stamp

MARK = b'{"kind":"fed","n":'
# Bytes of input prepared at a time; a pipe holds 64 KiB.
AHEAD_BYTES = 16 << 10


class Trouble(Exception):
    """The run cannot continue: the program ended by itself, or hangs."""


def end_for_good(owner):
    """Kill the process of the owner's `pid` and close its `watch`, if there is one."""
    if owner.pid is None:
        return
    # The process may have been reaped already, if reap() was interrupted.
    with contextlib.suppress(ProcessLookupError, ChildProcessError):
        os.kill(owner.pid, signal.SIGKILL)
        os.waitpid(owner.pid, 0)
    with contextlib.suppress(OSError):
        os.close(owner.watch)
    owner.pid = None


class Driver:
    """Feeds the story to ctreval and reads its events."""

    def __init__(self, command, story, receiver, killer, stderr_path, patience):
        self.command, self.story, self.receiver, self.killer = command, story, receiver, killer
        self.patience = patience
        self.stderr = os.open(
            stderr_path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600
        )
        self.feed_out, self.feed_in = os.pipe()
        self.events_out, self.events_in = os.pipe()
        os.set_blocking(self.feed_in, False)
        os.set_blocking(self.events_out, False)
        self.text = b""
        self.rest = b""
        self.pid = None
        self.may_forget = True
        # The input written so far when the receiver last restarted.
        self.forgot_at = self.fed()
        self.kills = {}
        self.judged_scans = 0

    # --- one process ---

    def start(self):
        self.started = self.heard = time.monotonic()
        # First scan that this process read from its beginning, and last record that it passed on.
        self.first = self.last = None
        self.passed = self.new = self.events = 0
        self.pid = os.posix_spawnp(
            self.command[0],
            self.command,
            os.environ,
            file_actions=[
                (os.POSIX_SPAWN_DUP2, self.feed_out, 0),
                (os.POSIX_SPAWN_DUP2, self.events_in, 1),
                (os.POSIX_SPAWN_DUP2, self.stderr, 2),
            ],
        )
        self.watch = os.pidfd_open(self.pid)

    def reap(self):
        """Wait for the end of the process and read what it left in the pipe. Return the exit
        code."""
        _, status = os.waitpid(self.pid, 0)
        self.pid = None
        os.close(self.watch)
        self.read_events()
        if self.rest:
            self.receiver.torn(self.rest)
            self.rest = b""
        return os.waitstatus_to_exitcode(status)

    def kill(self):
        if self.pid is not None:
            os.kill(self.pid, signal.SIGKILL)
            code = self.reap()
            if code != -signal.SIGKILL:
                raise Trouble(f"the program ended by itself, exit code {code}")

    def close(self):
        """Kill the process and close the descriptors."""
        end_for_good(self)
        for descriptor in (
            self.feed_out,
            self.feed_in,
            self.events_out,
            self.events_in,
            self.stderr,
        ):
            if descriptor is not None:
                os.close(descriptor)

    # --- in and out ---

    def feed(self):
        """Write as much as the pipe accepts. Return false when there is nothing more to feed."""
        while len(self.text) < AHEAD_BYTES:
            scan = self.story.next_scan()
            if scan is None:
                break
            self.text += scan.encode() + MARK + b"%d}\n" % self.story.number
        if self.text:
            try:
                self.text = self.text[os.write(self.feed_in, self.text) :]
            except BlockingIOError:
                pass
        return bool(self.text) or not self.story.done

    def read_events(self):
        try:
            data = self.rest + os.read(self.events_out, 1 << 20)
        except BlockingIOError:
            return
        self.heard = time.monotonic()
        *lines, self.rest = data.split(b"\n")
        for line in lines:
            if line.startswith(MARK):
                self.pass_mark(int(line[len(MARK) : -1]))
            else:
                self.events += 1
                if self.receiver.take(line + b"\n"):
                    self.new += 1
                    self.check_forgotten(
                        self.receiver.events[-1]["generatedTimestamp"] >= self.forgot_at[1]
                    )
        if self.first is not None:
            self.story.judged(self.first, self.last)
        if self.receiver.is_stuck():
            raise Trouble("broken off: a hole does not close")

    def fed(self):
        """Return the number of the last scan so far, and the timestamp of the next one."""
        return self.story.number, stamp(self.story.node.now)

    def check_forgotten(self, is_late):
        """Check an output record. `is_late`: it results from input written after the receiver
        restarted. By then the program must have written again the events that the receiver
        forgot."""
        if is_late and self.receiver.forgotten:
            raise Trouble(
                f"not written again in time: {len(self.receiver.forgotten)} events that an earlier"
                " receiver had read"
            )

    def pass_mark(self, number):
        self.check_forgotten(number > self.forgot_at[0])
        if self.last is None:
            self.killer.started_in(self.heard - self.started)
        elif number != self.last + 1:
            raise Trouble(f"the program passed on record {number} after {self.last}")
        else:
            self.first = number if self.first is None else self.first
            self.passed += 1
            self.judged_scans += 1
        self.last = number

    def hear(self, readable):
        """Read the output, or notice the program's end. Fail if there was no output for too
        long."""
        if self.events_out in readable:
            before = self.new
            self.read_events()
            if self.may_forget and self.killer.forgets_now(self.new - before):
                self.receiver.restart()
                self.forgot_at = self.fed()
            elif self.killer.publishes_now():
                self.receiver.publish()
        elif self.watch in readable:
            raise Trouble(f"the program ended by itself, exit code {self.reap()}")
        elif time.monotonic() - self.heard > self.patience:
            raise Trouble(self.silence())

    def silence(self):
        """Return the reason why nothing comes out."""
        return f"nothing came out for {self.patience} s"

    def exchange(self, timeout):
        """Feed and read once, if possible within `timeout`."""
        readable, writable, _ = select.select(
            [self.events_out, self.watch], [self.feed_in] * self.feeding, [], max(0, timeout)
        )
        self.hear(readable)
        if writable:
            self.feeding = self.feed()

    # --- all of them ---

    def run(self, may_end):
        """Run and kill processes until the killer and the story are finished. After all kills,
        may_end() returns whether the story's last day has begun."""
        self.feeding = True
        while self.feeding:
            life = self.killer.next_life()
            self.start()
            if life is not None:
                self.live(life)
            else:
                while self.feeding:
                    # The forgotten events must be written again before the story ends.
                    self.story.closing = self.story.closing or (
                        may_end() and not self.receiver.forgotten
                    )
                    self.may_forget = not self.story.closing
                    self.exchange(1)
        if self.pid is None:
            self.start()
        self.finish()

    def live(self, life):
        while self.feeding:
            alive = time.monotonic() - self.started
            wait = life.is_over(self.passed, self.new, self.events, alive)
            if wait is not None:
                break
            self.exchange(1)
        # The process keeps working until it is killed.
        until = time.monotonic() + (wait or 0)
        while self.feeding and (left := until - time.monotonic()) > 0:
            self.exchange(left)
        self.kill()
        self.kills[life.kind] = self.kills.get(life.kind, 0) + 1

    def finish(self):
        """End the input: the program must exit cleanly after writing everything."""
        os.close(self.feed_in)
        self.feed_in = None
        while not select.select([self.watch], [], [], 0)[0]:
            if select.select([self.events_out, self.watch], [], [], self.patience)[0] == []:
                raise Trouble(f"no end within {self.patience} s of the end of input")
            self.read_events()
        code = self.reap()
        if code != 0:
            raise Trouble(f"exit code {code} at the end of input")
