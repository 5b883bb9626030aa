# SPDX-License-Identifier: Apache-2.0
"""Runs ctreval between two pipes that outlive it, kills it, and starts it again.

Behind each scan goes a record of a kind that ctreval does not know and therefore passes on: when it
comes out, the scan before it was judged. The first one that a process passes on proves nothing,
because that process may have begun in the middle of the scan.
"""

import contextlib
import os
import select
import signal
import time

from .node import stamp

MARK = b'{"kind":"fed","n":'
# So much is prepared at a time; a pipe takes 64 KiB.
AHEAD_BYTES = 16 << 10


class Trouble(Exception):
    """The run cannot go on: the program died by itself, or does nothing."""


def end_for_good(owner):
    """Kills the process that has the owner's `pid` and `watch`, if there is one."""
    if owner.pid is None:
        return
    # Who is interrupted while it takes the program's end does not know that it has.
    with contextlib.suppress(ProcessLookupError, ChildProcessError):
        os.kill(owner.pid, signal.SIGKILL)
        os.waitpid(owner.pid, 0)
    with contextlib.suppress(OSError):
        os.close(owner.watch)
    owner.pid = None


class Driver:
    """Feeds the story, reads the events."""

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
        # How much of the input there was when the receiver restarted last.
        self.forgot_at = self.fed()
        self.kills = {}
        self.judged_scans = 0

    # --- one process ---

    def start(self):
        self.started = self.heard = time.monotonic()
        # The first scan that this process is known to have read from its beginning, and the last
        # one it passed on.
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
        """The process has ended or is about to; returns how, and takes what it has left in the
        pipe."""
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
        """Leaves nothing behind, whatever has happened."""
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
        """Writes what the pipe takes. False when there is nothing more to feed."""
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
        """Number of the last scan so far, and what the next one will be stamped with."""
        return self.story.number, stamp(self.story.node.now)

    def check_forgotten(self, is_late):
        """Something has come; `is_late`: it follows from what the program cannot have read before
        the receiver restarted. By then it must have written again what that one forgot."""
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
        """Takes what has come out, or the program's end; nothing at all may last too long."""
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
        """What it means that nothing comes out."""
        return f"nothing came out for {self.patience} s"

    def exchange(self, timeout):
        """Feeds and reads once, when there is something to feed or read within that time."""
        readable, writable, _ = select.select(
            [self.events_out, self.watch], [self.feed_in] * self.feeding, [], max(0, timeout)
        )
        self.hear(readable)
        if writable:
            self.feeding = self.feed()

    # --- all of them ---

    def run(self, may_end):
        """Lives and kills until both the killer and the story are through. may_end() says when,
        kills being done, the story's last day has begun."""
        self.feeding = True
        while self.feeding:
            life = self.killer.next_life()
            self.start()
            if life is not None:
                self.live(life)
            else:
                while self.feeding:
                    # In what is left of the story everything must have come again.
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
        # It goes on while it waits for its death.
        until = time.monotonic() + (wait or 0)
        while self.feeding and (left := until - time.monotonic()) > 0:
            self.exchange(left)
        self.kill()
        self.kills[life.kind] = self.kills.get(life.kind, 0) + 1

    def finish(self):
        """End of input: a clean end, with everything said."""
        os.close(self.feed_in)
        self.feed_in = None
        while not select.select([self.watch], [], [], 0)[0]:
            if select.select([self.events_out, self.watch], [], [], self.patience)[0] == []:
                raise Trouble(f"no end within {self.patience} s of the end of input")
            self.read_events()
        code = self.reap()
        if code != 0:
            raise Trouble(f"exit code {code} at the end of input")
