# SPDX-License-Identifier: Apache-2.0
"""The delivery chain: two logmatch, the pipe, emit and the server. Kills each process at the end of
its life and starts it again."""

import fcntl
import os
import select
import signal
import struct
import termios
import time

from . import server
from .driver import Trouble, end_for_good
from .lives import EMIT, READ, SERVER, SUPERVISOR

# Longest wait between two checks for processes to kill.
TICK_SECONDS = 0.001
# The logs grow with the number of kills and stay this many kills ahead, so that there is always
# something to deliver.
AHEAD_KILLS = 5
# For a kill between reading and storing, give emit several events at once: wait until this many
# bytes are in the pipe, from this much more of each log, at most this long.
BURST_BYTES, BURST_LOG_BYTES, BURST_SECONDS = 8000, 16000, 0.12


class Process:
    """One program, started again after each kill."""

    def __init__(self, name, spawn):
        self.name, self.spawn = name, spawn
        self.pid = self.watch = self.life = None
        self.due = 0

    def start(self, life):
        self.life = life
        self.started = time.monotonic()
        self.arrivals = self.acks = 0
        self.pid = self.spawn(life)
        self.watch = os.pidfd_open(self.pid)

    def reap(self):
        """Return the exit code, or minus the signal that ended it."""
        _, status = os.waitpid(self.pid, 0)
        self.pid = None
        os.close(self.watch)
        return os.waitstatus_to_exitcode(status)

    def kill(self):
        os.kill(self.pid, signal.SIGKILL)
        code = self.reap()
        if code != -signal.SIGKILL:
            raise Trouble(f"{self.name} ended by itself, exit code {code}")

    def has_ended(self, timeout):
        return select.select([self.watch], [], [], timeout)[0] != []

    def end(self, patience):
        """Wait for the end of a process that was told to end. It must exit with 0."""
        if not self.has_ended(patience):
            raise Trouble(f"{self.name}: no end within {patience} s")
        code = self.reap()
        if code != 0:
            raise Trouble(f"{self.name}: exit code {code} at the end")

    def close(self):
        end_for_good(self)


class Chain:
    """All processes, and the pipe and files between them."""

    def __init__(self, files, emit, stubs, writers, lives, audit, patience):
        self.files, self.emit_command, self.writers, self.lives = files, emit, writers, lives
        self.audit, self.patience = audit, patience
        self.stderr = os.open(
            files.stderr, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600
        )
        self.out = self.into = None
        self.kills = {}
        self.emit = Process(EMIT, self.spawn_emit)
        self.server = Process(
            SERVER, lambda _: server.start(stubs, files.address, files.server_log, self.stderr)
        )
        self.processes = [self.emit, self.server]
        for writer in writers:
            self.processes.append(
                Process(
                    writer.name,
                    lambda _, command=writer.command: self.spawn(command, None, self.into),
                )
            )
        # Not a real process: its death kills emit and the writers, and closes the pipe.
        self.supervisor = Process(SUPERVISOR, None)
        self.arrived = self.published = None
        self.awaits_name = False

    # --- processes ---

    def spawn(self, command, stdin, stdout):
        ends = [
            (os.POSIX_SPAWN_DUP2, fd, to)
            for fd, to in ((stdin, 0), (stdout, 1), (self.stderr, 2))
            if fd is not None
        ]
        return os.posix_spawnp(command[0], command, os.environ, file_actions=ends)

    def spawn_emit(self, life):
        fault = life.fault() if life is not None else None
        self.awaits_name = True
        return self.spawn(
            [*self.emit_command, *(["--kill-at", fault] if fault else [])], self.out, None
        )

    def start(self, process):
        process.start(self.lives.next_life(process.name) if self.lives.left > 0 else None)

    def open_pipe(self):
        self.out, self.into = os.pipe()
        self.supervisor.started = time.monotonic()
        self.supervisor.arrivals = self.supervisor.acks = 0
        self.supervisor.life = self.lives.next_life(SUPERVISOR)

    def close_pipe(self):
        for end in (self.out, self.into):
            if end is not None:
                os.close(end)
        self.out = self.into = None

    def close(self):
        """Kill all processes and close the descriptors."""
        for process in self.processes:
            process.close()
        self.close_pipe()
        os.close(self.stderr)

    # --- deaths ---

    def count(self, what):
        self.kills[what] = self.kills.get(what, 0) + 1
        self.lives.killed()

    def wait_for_read(self):
        """Stop emit until the pipe has enough bytes, let it go on, and return just after it has
        read them."""
        until = time.monotonic() + BURST_SECONDS
        os.kill(self.emit.pid, signal.SIGSTOP)
        for writer in self.writers:
            writer.grow_by(BURST_LOG_BYTES)
        while bytes_in(self.out) < BURST_BYTES and time.monotonic() < until:
            self.step()
        until = time.monotonic() + BURST_SECONDS
        waiting, instant = bytes_in(self.out), self.lives.instant()
        os.kill(self.emit.pid, signal.SIGCONT)
        while 0 < waiting <= bytes_in(self.out) and time.monotonic() < until:
            pass
        if instant > 0:
            time.sleep(instant)

    def learn_from(self, process):
        """Note if emit was killed before it had started."""
        if process is self.emit and self.awaits_name:
            self.lives.not_started_in(time.monotonic() - process.started)

    def kill(self, process):
        if process.life.kind == READ:
            self.wait_for_read()
        process.kill()
        self.learn_from(process)
        process.due = time.monotonic() + self.lives.pause()
        self.count(f"{process.name} at {READ}" if process.life.kind == READ else process.name)
        if process is self.emit:
            self.audit.look()

    def kill_all(self):
        """Kill the supervisor's children and discard the bytes in the pipe."""
        for process in self.processes:
            if process is not self.server and process.pid is not None:
                process.kill()
                self.learn_from(process)
                process.due = 0
        self.close_pipe()
        self.open_pipe()
        self.count(SUPERVISOR)
        self.audit.look()

    def bury(self, process):
        """Reap a process that ended by itself: only a --kill-at fault may do that."""
        fault, code = process.life.fault() if process.life is not None else None, process.reap()
        if code != -signal.SIGKILL or fault is None:
            raise Trouble(f"{process.name} ended by itself, exit code {code}")
        process.due = time.monotonic() + self.lives.pause()
        self.count(f"{process.name} at {process.life.kind}")
        self.audit.look()

    def is_over(self, process):
        if process.life is None or self.lives.spares(process.name):
            return False
        return process.life.is_over(
            time.monotonic() - process.started, process.arrivals, process.acks
        )

    # --- what happens ---

    def look_around(self):
        """Count new arrivals at the server and new acknowledgements."""
        arrived, published = size_of(self.files.server_log), name_of(self.files.acks)
        for process in (*self.processes, self.supervisor):
            process.arrivals += arrived != self.arrived
            process.acks += published != self.published
        if published != self.published and self.awaits_name and self.emit.pid is not None:
            self.lives.started_in(time.monotonic() - self.emit.started)
            self.awaits_name = False
        self.arrived, self.published = arrived, published

    def step(self):
        """Grow the logs, start the processes that are due, and reap those that ended."""
        now = time.monotonic()
        for writer in self.writers:
            writer.grow(1 - (self.lives.left - AHEAD_KILLS) / self.lives.kills)
        for process in self.processes:
            if process.pid is None and now >= process.due:
                self.start(process)
        alive = {process.watch: process for process in self.processes if process.pid is not None}
        for watch in select.select(list(alive), [], [], TICK_SECONDS)[0]:
            self.bury(alive[watch])
        self.look_around()

    def run(self):
        """Kill and restart processes until all kills are done."""
        self.open_pipe()
        while self.lives.left > 0:
            self.step()
            if self.audit.complaints:
                raise Trouble("broken off at the first wrong acknowledgement")
            if self.is_over(self.supervisor):
                self.kill_all()
            for process in self.processes:
                if process.pid is not None and self.is_over(process):
                    self.kill(process)

    def drain(self, delivered):
        """Without further kills, wait until delivered() returns true. Fail if nothing happens for
        too long."""
        for writer in self.writers:
            writer.grow_by(len(writer.log.text))
        # This emit may still run with --kill-at.
        if self.emit.pid is not None:
            self.emit.kill()
        for process in self.processes:
            if process.pid is None:
                self.start(process)
        heard = time.monotonic()
        while not delivered():
            before = self.arrived, self.published
            self.step()
            if (self.arrived, self.published) != before:
                heard = time.monotonic()
            elif time.monotonic() - heard > self.patience:
                raise Trouble(f"not delivered: nothing has happened for {self.patience} s")

    def finish(self):
        """Stop the writers; then the end of input makes emit finish."""
        for process in self.processes:
            if process not in (self.emit, self.server):
                os.kill(process.pid, signal.SIGTERM)
                process.end(self.patience)
        os.close(self.into)
        self.into = None
        self.emit.end(self.patience)


def bytes_in(pipe):
    return struct.unpack("i", fcntl.ioctl(pipe, termios.FIONREAD, b"\0" * 4))[0]


def size_of(path):
    try:
        return os.stat(path).st_size
    except FileNotFoundError:
        return 0


def name_of(path):
    """Return a value that differs for every replacement of the file."""
    try:
        status = os.stat(path)
    except FileNotFoundError:
        return None
    return status.st_ino, status.st_mtime_ns, status.st_size
