# SPDX-License-Identifier: Apache-2.0
"""What a benchmark has measured, beside its goal. The rows go into the file that
NHM_BENCH_RESULTS names, if it does: for the table at the end, and to be compared with later ones.
"""

import json
import math
import os

# How many times worse is worse.
WORSE = 1.15


def at_most(what, measured, goal, unit):
    """Whether the goal is kept. What is measured is better the less it is."""
    return _note(what, measured, goal, unit, "at most", measured <= goal)


def at_least(what, measured, goal, unit):
    """The same for what is better the more it is."""
    return _note(what, measured, goal, unit, "at least", measured >= goal)


def read(path):
    """The rows of a file that this has written."""
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def ratio(row, value, reference):
    """How many times worse a value of a row is than another."""
    if row["sense"] == "at least":
        value, reference = reference, value
    if reference > 0:
        return value / reference
    return math.inf if value > reference else 1.0


def is_worse(row, before):
    """Whether a row is worse than it was; one that was not measured at all (None) is."""
    return row is None or ratio(row, row["measured"], before["measured"]) > WORSE


def _note(what, measured, goal, unit, sense, kept):
    path = os.environ.get("NHM_BENCH_RESULTS")
    if path:
        row = {"what": what, "measured": measured, "goal": goal, "unit": unit, "sense": sense}
        with open(path, "a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")
    return kept
