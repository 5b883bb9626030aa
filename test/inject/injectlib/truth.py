# SPDX-License-Identifier: Apache-2.0
"""Pure comparisons of the output with the truth."""

import json
import re

TIMES = {"ts", "boottime_ns", "duration_us", "generatedTimestamp"}
TIME = re.compile(rb'"(ts|boottime_ns|duration_us|generatedTimestamp)":("[^"]*"|[0-9]+)')


def timeless(text):
    """Return the text without the values that differ in each run."""
    return TIME.sub(rb'"\1":0', text)


def records(text):
    """Return (records, complaints) of the lines."""
    complaints, found = [], []
    if text and not text.endswith(b"\n"):
        complaints.append(f"a torn line: {text.splitlines()[-1][:80]!r}")
    for line in timeless(text).splitlines():
        try:
            found.append(json.loads(line))
        except ValueError:
            complaints.append(f"not JSON: {line[:80]!r}")
    return found, complaints


def is_less(said, true):
    """Return whether `said` is true as far as it goes: unknown values are null or missing."""
    if said is None or said == true:
        return True
    if isinstance(said, dict) and isinstance(true, dict):
        return all(key in true and is_less(value, true[key]) for key, value in said.items())
    return False
