# SPDX-License-Identifier: Apache-2.0
"""Fault scripts: lines `TIME COMMAND ARG...`, run on an absolute schedule.

TIME counts from the start of the run and never decreases; `#` starts a comment, quoting is the
shell's. A script is read and checked as a whole before its first line is executed.
"""

import re
import shlex
import sys
import time

from . import commands
from .errors import BadData, Missing, SimError
from .record import record

_TIME = re.compile(r"([0-9]+)(?:\.([0-9]{1,9}))?(ms|s|m|h)")
_UNIT_NS = {"ms": 10**6, "s": 10**9, "m": 60 * 10**9, "h": 3600 * 10**9}


@record
class Step:
    """A checked line."""

    place: str  # SCRIPT:LINE
    text: str
    at_ns: int
    words: list  # the command and its arguments


def run(node, path, fast):
    """Execute a script; fast: without waiting."""
    steps = list(_parse(node.platform, path, _read(path)))
    start = time.monotonic_ns()
    for step in steps:
        wait = start + step.at_ns - time.monotonic_ns()
        if wait > 0 and not fast:
            time.sleep(wait / 10**9)
        try:
            with node.lock():
                # Use the current names: another command may have renamed a device.
                commands.prepare(node.platform, step.words[0], step.words[1:])(node)
        except SimError as error:
            raise type(error)(f"{step.place}: {error}") from error
        # Print it afterwards: a reader of the line may rely on its effect.
        print(step.text, flush=True)


def _read(path):
    try:
        if path == "-":
            return sys.stdin.read()
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            return file.read()
    except OSError as error:
        raise Missing(f"{path}: {error.strerror}") from error


def _parse(platform, path, text):
    before = 0
    for number, line in enumerate(text.splitlines(), start=1):
        place = f"{path}:{number}"
        try:
            words = shlex.split(line, comments=True)
            if not words:
                continue
            at_ns = _time_ns(words[0])
            if at_ns < before:
                raise ValueError(f"time goes back: {words[0]}")
            if len(words) == 1:
                raise ValueError("no command")
            commands.prepare(platform, words[1], words[2:])
            platform = commands.foresee(platform, words[1], words[2:])
        except (ValueError, SimError) as error:
            raise BadData(f"{place}: {error}") from error
        before = at_ns
        yield Step(place, line, at_ns, words[1:])


def _time_ns(word):
    match = _TIME.fullmatch(word)
    if not match:
        raise ValueError(f"not a time: {word!r}")
    whole, fraction, unit = match.groups()
    fraction = fraction or ""
    return int(whole + fraction) * _UNIT_NS[unit] // 10 ** len(fraction)
