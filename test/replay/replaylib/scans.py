# SPDX-License-Identifier: Apache-2.0
"""A real scan as a template, and the same scan at any time: only its clocks, numbers and boot id
are generated."""

import functools
import json
import re
from dataclasses import dataclass

from . import times

# Fields that are generated, and what stands for them in a template: {after} is how long after its
# scan's begin the record was written, a place in _AFTER_BEGIN_NS.
_SLOTS = (
    (re.compile(r'"scan":\d+'), '"scan":\0N'),
    (re.compile(r'"ts":"[^"]*"'), '"ts":"\0T{after}"'),
    (re.compile(r'"boottime_ns":\d+'), '"boottime_ns":\0B{after}'),
    (re.compile(r'"boot_id":"[^"]*"'), '"boot_id":"\0I"'),
    (re.compile(r'"interval_ms":\d+'), '"interval_ms":\0M'),
)
# A device answers a little after the scan began: what is about the scan is older than what is about
# a port.
_AFTER_BEGIN_NS = (0, times.MS, 2 * times.MS)
_AFTER = {"scan.begin": 0, "device": 1, "port": 1, "scan.end": 2}


@dataclass
class Scan:
    """One scan as the monitor gets it."""

    number: int  # in the monitor's life
    at_ns: int  # on the scenario's own clock
    wall_ns: int
    boot_ns: int
    boot: int
    interval_ns: int
    template: "Template"
    lost: tuple = ()  # what was lost of it on the way

    def has_time(self, stamp, exactly):
        """Whether an event of this time is about it: it has a record of that `ts`, or one a little
        before it, as events of one moment are written 1 us after each other."""
        if exactly:
            return stamp in self.moments[:-1]
        return self.moments[0] <= stamp <= self.moments[-1]

    @functools.cached_property
    def moments(self):
        """The `ts` of its records, and the last that an event about it may have."""
        return [
            times.wall(self.wall_ns + after)
            for after in (*_AFTER_BEGIN_NS, _AFTER_BEGIN_NS[-1] + times.MS)
        ]

    def text(self) -> str:
        """Its records."""
        text = "".join(self.template.lines(self.lost))
        for place, after in enumerate(_AFTER_BEGIN_NS):
            text = text.replace(f"\0T{place}", self.moments[place])
            text = text.replace(f"\0B{place}", str(self.boot_ns + after))
        return (
            text.replace("\0N", str(self.number))
            .replace("\0I", boot_id(self.boot))
            .replace("\0M", str(self.interval_ns // times.MS))
        )


def boot_id(boot: int) -> str:
    """The kernel's boot id in that boot."""
    return f"{boot:08x}-0000-4000-8000-000000000000"


class Template:
    """The records of one real scan."""

    def __init__(self, text: str):
        self.records = [json.loads(line) for line in text.splitlines()]
        self._lines = []
        for line, record in zip(text.splitlines(keepends=True), self.records):
            for pattern, slot in _SLOTS:
                slot = slot.format(after=_AFTER.get(record["kind"], 0))
                line = pattern.sub(slot, line, count=1)
            self._lines.append(line)

    def lines(self, lost):
        """The line of each record that is left."""
        if not lost:
            return self._lines
        lost_one = [self._is(record, what) for what in lost for record in self.records].count(True)
        if lost_one < len(lost):
            raise ValueError(
                f"nothing in the scan to lose: {' '.join(' '.join(what) for what in lost)}"
            )
        return [
            line
            for line, record in zip(self._lines, self.records)
            if not any(self._is(record, what) for what in lost)
        ]

    def unreadable(self):
        """Devices that are there but could not be read, and why."""
        return [
            f"{one['device']} ({one['error']})"
            for one in self.records
            if one["kind"] == "device" and "error" in one
        ]

    @staticmethod
    def _is(record, what):
        if len(what) == 1:
            return record["kind"] == what[0]
        device, _, port = what[1].partition("/")
        if record["kind"] != what[0] or record["device"] != device:
            return False
        return what[0] == "device" or str(record["port"]) == port
