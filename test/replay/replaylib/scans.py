"""A real scan as a template, and the same scan at any time: only its clocks, numbers and boot id are generated."""

import json
import re
from dataclasses import dataclass

from . import times

# Fields that are generated, and what stands for them in a template.
_SLOTS = (
    (re.compile(r'"scan":\d+'), '"scan":\0N'),
    (re.compile(r'"ts":"[^"]*"'), '"ts":"\0T"'),
    (re.compile(r'"boottime_ns":\d+'), '"boottime_ns":\0B'),
    (re.compile(r'"boot_id":"[^"]*"'), '"boot_id":"\0I"'),
    (re.compile(r'"interval_ms":\d+'), '"interval_ms":\0M'),
)
# A device answers a little after the scan began: what is about the scan is older than what is about a port.
_AFTER_BEGIN_NS = {"scan.begin": 0, "device": times.MS, "port": times.MS, "scan.end": 2 * times.MS}


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

    def timestamps(self):
        """All values of `ts` in it, and the moment before it, which is a baseline's clear event's."""
        return {times.wall(self.wall_ns + after) for after in (*_AFTER_BEGIN_NS.values(), -times.MS // 1000)}

    def text(self) -> str:
        """Its records."""
        out = []
        for kind, line in self.template.lines(self.lost):
            after = _AFTER_BEGIN_NS.get(kind, 0)
            out.append(
                line.replace("\0N", str(self.number))
                .replace("\0T", times.wall(self.wall_ns + after))
                .replace("\0B", str(self.boot_ns + after))
                .replace("\0I", boot_id(self.boot))
                .replace("\0M", str(self.interval_ns // times.MS))
            )
        return "".join(out)


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
                line = pattern.sub(slot, line, count=1)
            self._lines.append((record["kind"], line))

    def lines(self, lost):
        """(kind, line) of each record that is left."""
        lost_one = [self._is(record, what) for what in lost for record in self.records].count(True)
        if lost and lost_one < len(lost):
            raise ValueError(f"nothing in the scan to lose: {' '.join(' '.join(what) for what in lost)}")
        for pair, record in zip(self._lines, self.records):
            if not any(self._is(record, what) for what in lost):
                yield pair

    def unreadable(self):
        """Devices that are there but could not be read, and why."""
        return [f"{one['device']} ({one['error']})" for one in self.records if one["kind"] == "device" and "error" in one]

    @staticmethod
    def _is(record, what):
        if len(what) == 1:
            return record["kind"] == what[0]
        device, _, port = what[1].partition("/")
        if record["kind"] != what[0] or record["device"] != device:
            return False
        return what[0] == "device" or str(record["port"]) == port
