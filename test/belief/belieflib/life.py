# SPDX-License-Identifier: Apache-2.0
"""ctreval as a process: fed scan by scan, killed at the call that the story names."""

import os
import select
import signal

from .trouble import Trouble

MARK = b'{"kind":"fed"}\n'
_PATIENCE_S = 120


class Life:
    """From one start to one end. `dies_at`: the system call (see dieat.c) before which it is
    killed; 0: none."""

    def __init__(self, command, directory, dies_at):
        environment = dict(os.environ)
        if dies_at:
            environment["LD_PRELOAD"] = os.environ["NHM_DIEAT"]
            environment["NHM_DIE_AT"] = str(dies_at)
            # The library comes before the sanitizer's, which would refuse that.
            environment["ASAN_OPTIONS"] = "verify_asan_link_order=0:" + environment.get(
                "ASAN_OPTIONS", ""
            )
        self.errors = os.open(
            os.path.join(directory, "stderr"),
            os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC,
            0o600,
        )
        their_in, self.feed_in = os.pipe()
        self.events_out, their_out = os.pipe()
        self.pid = os.posix_spawnp(command[0], command, environment, file_actions=[
            (os.POSIX_SPAWN_DUP2, their_in, 0), (os.POSIX_SPAWN_DUP2, their_out, 1),
            (os.POSIX_SPAWN_DUP2, self.errors, 2)])  # fmt: skip
        os.close(their_in)
        os.close(their_out)
        self.dies_at = dies_at
        self.rest = b""

    def feed(self, text):
        """Gives it the text; [line] that came out before it was through with all of it, and whether
        it still lives."""
        data = text.encode() + MARK
        lines = []
        try:
            while data:
                # What comes out is taken meanwhile: neither waits for the other for ever.
                readable, writable, _ = select.select(
                    [self.events_out], [self.feed_in], [], _PATIENCE_S
                )
                if writable:
                    data = data[os.write(self.feed_in, data[:4096]) :]
                if readable and not self._read(lines):
                    return lines, self._ended()
                if not readable and not writable:
                    raise Trouble("ctreval hangs")
        except BrokenPipeError:
            pass
        while not lines or lines[-1] != MARK:
            if not select.select([self.events_out], [], [], _PATIENCE_S)[0]:
                raise Trouble("ctreval hangs")
            if not self._read(lines):
                return lines, self._ended()
        return lines[:-1], True

    def _read(self, lines):
        data = os.read(self.events_out, 1 << 20)
        *whole, self.rest = (self.rest + data).split(b"\n")
        lines += [line + b"\n" for line in whole]
        return bool(data)

    def _ended(self):
        """By itself is no way to end."""
        code = self._reap()
        if code != -signal.SIGKILL or not self.dies_at:
            raise Trouble(f"ctreval ended with {code}\n{self.messages()}")
        return False

    def finish(self):
        """End of input, and a clean end, or the death that was to come: [line] that came out."""
        os.close(self.feed_in)
        self.feed_in = None
        lines = []
        while self._read(lines):
            pass
        code = self._reap()
        if code != 0 and not (self.dies_at and code == -signal.SIGKILL):
            raise Trouble(f"ctreval ended with {code}\n{self.messages()}")
        return lines

    def kill(self):
        """SIGKILL, now: [line] that came out and nobody has read."""
        os.kill(self.pid, signal.SIGKILL)
        lines = []
        while self._read(lines):
            pass
        self._reap()
        return lines

    def messages(self):
        """What it said on stderr."""
        return os.pread(self.errors, 1 << 16, 0).decode(errors="replace")

    def _reap(self):
        _, status = os.waitpid(self.pid, 0)
        self.pid = None
        return os.waitstatus_to_exitcode(status)

    def close(self):
        """Leaves nothing behind, whatever has happened."""
        if self.pid is not None:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
            self.pid = None
        for descriptor in (self.feed_in, self.events_out, self.errors):
            if descriptor is not None:
                os.close(descriptor)
        self.feed_in = self.events_out = self.errors = None
