# SPDX-License-Identifier: Apache-2.0
"""Programs, run so that a call of theirs fails."""

import itertools
import os
import re
import select
import signal
import subprocess
import time
from typing import NamedTuple

from .orders import Order

# The nothing that a program does not say within this time counts as a hang.
PATIENCE_SECONDS = 60 * float(os.environ.get("TIME_SCALE", "1"))


class Setting(NamedTuple):
    """What all runs share."""

    programs: str  # the directory
    shim: str  # inject.c, built
    inputs: str  # a directory for what scenarios prepare


class Ended(NamedTuple):
    """What one run of a program came to."""

    code: int  # or minus a signal; None: it hangs
    stdout: bytes
    stderr: str


class Failure(NamedTuple):
    """The call that is to fail."""

    kind: str
    error: int
    number: int


def code_at_end(process, seconds):
    """Waits for it, and kills it when it hangs. Returns the code, as Ended has it."""
    try:
        return process.wait(max(0, seconds))
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        return None


class Run:
    """One run of a program in a room, a directory of its own."""

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
        """Runs it to its end."""
        with open(stdin, "rb") as given, open(
            os.path.join(self.room, "stdout"), "w+b"
        ) as out, open(os.path.join(self.room, "stderr"), "w+b") as err:
            code = code_at_end(self.start(command, given, out, err), PATIENCE_SECONDS)
            out.seek(0)
            err.seek(0)
            return Ended(code, out.read(), err.read().decode(errors="replace"))

    def complete(self, command, stdin=os.devnull):
        """The same of one on which others build."""
        end = self.finish(command, stdin)
        if end.code != 0:
            raise SystemExit(f"inject: {command[0]}: exit code {end.code}: {end.stderr}")


def stopped(run, command, is_enough):
    """A run of a program that goes on: until `is_enough` of what it has written, or it ends; then
    with SIGTERM."""
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
    """Exit statuses that a manual page names."""
    with open(manual, encoding="utf-8") as file:
        section = file.read().split(".Sh EXIT STATUS")[1].split("\n.Sh ")[0]
    return {
        int(code)
        for item in re.findall(r"^\.It ([0-9 ,]+)", section, re.M)
        for code in re.findall(r"\d+", item)
    }


SEVERITIES = ("error", "warning", "note", "info")
# After these the supervisor does not start a program again.
FOR_GOOD = {64, 65, 66, 77, 78}
# GnuTLS says this by itself, where libcurl brings it along, when it runs out of memory. Nobody
# here uses it.
FOREIGN = "Error in GnuTLS initialization: "
# glibc says this, and ends the program, when a library has no memory for the variables of a thread:
# libgnutls wants them first when the program ends.
ABORTED = "cannot allocate memory for thread-local data: ABORT"


def is_aborted(ended):
    return ended.code == 127 and ABORTED in ended.stderr


def complaints_about_end(ended, names, codes):
    """What is wrong with how a program ended, whatever it was to do. None of the failures is one
    of its input. `names` are of those that have something to say."""
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
    # 1, 2 and 3 are answers.
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
