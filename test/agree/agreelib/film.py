# SPDX-License-Identifier: Apache-2.0
"""Scans that were recorded, given the times at which a service would have made them (pure)."""

import datetime
import re

# What two scans of a node that stays as it is differ in.
_SCAN = re.compile(rb'"scan":\d+')
_TIME = re.compile(rb'"ts":"[^"]*","boottime_ns":\d+')
_DURATION = re.compile(rb'"duration_us":\d+')

_BEGIN = datetime.datetime(2026, 11, 22, 12, 0, 0)
_BOOTTIME_S = 100000

# After each change: at once, for as long as a device is waited for and a disappearance confirmed,
# and longer than homogeneity.settleSeconds.
LOOKS_S = (1, 1, 60)


def same(one, other):
    """Whether two scans say the same."""
    return _plain(one) == _plain(other)


def _plain(scan):
    return _DURATION.sub(b"", _TIME.sub(b"", _SCAN.sub(b"", scan)))


class Clock:
    """Of a service: when its scans are made."""

    def __init__(self):
        self.scans = self.seconds = 0

    def looks(self, scan, after_s=LOOKS_S):
        """The same scan again and again, so many seconds after each other."""
        for seconds in after_s:
            self.scans += 1
            self.seconds += seconds
            moment = (_BEGIN + datetime.timedelta(seconds=self.seconds)).isoformat()
            boottime_ns = (_BOOTTIME_S + self.seconds) * 10**9
            time = f'"ts":"{moment}.000000Z","boottime_ns":{boottime_ns}'.encode()
            yield _TIME.sub(time, _SCAN.sub(f'"scan":{self.scans}'.encode(), scan))
