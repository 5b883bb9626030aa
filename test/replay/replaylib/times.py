# SPDX-License-Identifier: Apache-2.0
"""Durations as people write them, and the two clocks of generated time."""

import datetime
import re

MS = 10**6
SECOND = 10**9
_UNITS = {"ms": MS, "s": SECOND, "m": 60 * SECOND, "h": 3600 * SECOND, "d": 86400 * SECOND}
_PART = re.compile(r"(\d+)(ms|s|m|h|d)")
_WHOLE = re.compile(r"(\d+(ms|s|m|h|d))+")

# What the clocks show when a scenario begins: any day will do, and a machine that has been up for a
# while.
WALL_START = datetime.datetime(2026, 1, 2, 3, 0, 0)
BOOT_START_NS = 1000 * SECOND
# And after a reboot, when the monitor has its first chance.
BOOT_AGAIN_NS = 30 * SECOND


def parse(word: str) -> int:
    """`5s`, `1h30m`, `250ms` in nanoseconds; ValueError otherwise."""
    if not _WHOLE.fullmatch(word):
        raise ValueError(f"not a time: {word!r}")
    return sum(int(number) * _UNITS[unit] for number, unit in _PART.findall(word))


def show(ns: int) -> str:
    """The same the other way round."""
    parts = []
    for unit in ("d", "h", "m", "s", "ms"):
        number, ns = divmod(ns, _UNITS[unit])
        if number:
            parts.append(f"{number}{unit}")
    return "".join(parts) or "0s"


def wall(ns: int) -> str:
    """A `ts` field, so long after the beginning."""
    moment = WALL_START + datetime.timedelta(microseconds=ns // 1000)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.%fZ")
