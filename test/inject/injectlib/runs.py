# SPDX-License-Identifier: Apache-2.0
"""Runs programs with a failing call."""

import itertools
import os
import re
import select
import signal
import subprocess
import time
from typing import NamedTuple

from .orders import Order

# A program without output for this time hangs.
PATIENCE_SECONDS = 60 * float(os.environ.get("TIME_SCALE", "1"))


class Setting(NamedTuple):
    """Settings of all runs."""

    programs: str  # the directory
    shim: str  # inject.c, built
    inputs: str  # a directory for what scenarios prepare


class Ended(NamedTuple):
    """The result of one run of a program."""

    code: int  # or minus a signal; None: it hangs
    stdout: bytes
    stderr: str


class Failure(NamedTuple):
    """The call that must fail."""

    kind: str
    error: int
    number: int


def code_at_end(process, seconds):
    """Wait for the end of a process, and kill it if it hangs. Return the code, as in Ended."""
    try:
        return process.wait(max(0, seconds))
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        return None


class Run:
    """One run of a program in a room, its own directory."""

    numbers = itertools.count()

    def __init__(self, setting, room, program, failure=None):
        self.setting, self.room, self.program = setting, room, program
        self.order = Order(os.path.join(room, f"order.{next(self.numbers)}"), program, failure)
        self.environment = {
            **os.environ,
            "PATH": setting.programs + ":" + os.environ["PATH"],
            "LD_PRELOAD": setting.shim,
            "NHM_INJECT": self.order.path,
            "NHM_CONFINE": "off",
            "TZ": "UTC",
            "NODE_NAME": "node",
        }

    def start(self, command, stdin, stdout, stderr):
        return subprocess.Popen(
            [os.path.join(self.setting.programs, command[0]), *command[1:]],
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            cwd=self.room,
            env=self.environment,
        )

    def finish(self, command, stdin=os.devnull):
        """Run the program to its end."""
        with open(stdin, "rb") as given, open(
            os.path.join(self.room, "stdout"), "w+b"
        ) as out, open(os.path.join(self.room, "stderr"), "w+b") as err:
            code = code_at_end(self.start(command, given, out, err), PATIENCE_SECONDS)
            out.seek(0)
            err.seek(0)
            return Ended(code, out.read(), err.read().decode(errors="replace"))

    def complete(self, command, stdin=os.devnull):
        """The same for a run that others depend on: it must succeed."""
        end = self.finish(command, stdin)
        if end.code != 0:
            raise SystemExit(f"inject: {command[0]}: exit code {end.code}: {end.stderr}")


def stopped(run, command, is_enough):
    """Run a program that does not end by itself: stop it with SIGTERM once is_enough(output) is
    true."""
    until = time.monotonic() + PATIENCE_SECONDS
    text = b""
    out, into = os.pipe()
    with open(os.path.join(run.room, "stderr"), "w+b") as error:
        process = run.start(command, subprocess.DEVNULL, into, error)
        os.close(into)
        while not is_enough(text):
            if not select.select([out], [], [], max(0, until - time.monotonic()))[0]:
                break
            if not (data := os.read(out, 1 << 16)):
                break
            text += data
        process.send_signal(signal.SIGTERM)
        code = code_at_end(process, PATIENCE_SECONDS)
        os.close(out)
        error.seek(0)
        return Ended(code, text, error.read().decode(errors="replace"))


def documented_codes(manual):
    """Return the exit statuses in a manual page."""
    with open(manual, encoding="utf-8") as file:
        section = file.read().split(".Sh EXIT STATUS")[1].split("\n.Sh ")[0]
    return {
        int(code)
        for item in re.findall(r"^\.It ([0-9 ,]+)", section, re.M)
        for code in re.findall(r"\d+", item)
    }


SEVERITIES = ("error", "warning", "note", "info")
# The supervisor does not restart a program after these exit statuses.
FOR_GOOD = {64, 65, 66, 77, 78}
# GnuTLS, a dependency of libcurl, prints this when it runs out of memory, although no program here
# uses it.
FOREIGN = "Error in GnuTLS initialization: "
# glibc prints this and ends the program if a library has no memory for thread-local variables:
# libgnutls first needs them when the program ends.
ABORTED = "cannot allocate memory for thread-local data: ABORT"


def is_aborted(ended):
    return ended.code == 127 and ABORTED in ended.stderr


def complaints_about_end(ended, names, codes):
    """Return complaints about the end of a program, whatever its task was. No failure is one of its
    input. `names` are the programs that may print messages."""
    if ended.code is None:
        return ["it hangs"]
    if ended.code < 0:
        return [f"a signal ended it: {-ended.code}"]
    if is_aborted(ended):
        return []
    complaints = []
    if ended.code not in codes:
        complaints.append(f"exit code {ended.code}, which its manual does not know")
    if ended.code in FOR_GOOD:
        complaints.append(f"exit code {ended.code}, as if it could never work")
    # 1, 2 and 3 are results, not errors.
    if ended.code > 3 and ": error: " not in ended.stderr:
        complaints.append(f"exit code {ended.code}, and no message says why")
    for line in ended.stderr.splitlines():
        if line.startswith(FOREIGN):
            continue
        name, *rest = line.split(": ", 2)
        if name not in names or len(rest) < 2 or rest[0] not in SEVERITIES:
            complaints.append(f"not a message of {names[0]}: {line[:120]!r}")
            break
    return complaints
