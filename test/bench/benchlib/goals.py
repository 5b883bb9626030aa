# SPDX-License-Identifier: Apache-2.0
"""What a benchmark has measured, beside its goal. The rows go into the file that
NHM_BENCH_RESULTS names, if it does: for the table at the end, and to be compared with later ones.
"""

import json
import os


def at_most(what, measured, goal, unit):
    """Whether the goal is kept. What is measured is better the less it is."""
    return _note(what, measured, goal, unit, "at most", measured <= goal)


def at_least(what, measured, goal, unit):
    """The same for what is better the more it is."""
    return _note(what, measured, goal, unit, "at least", measured >= goal)


def _note(what, measured, goal, unit, sense, kept):
    path = os.environ.get("NHM_BENCH_RESULTS")
    if path:
        row = {"what": what, "measured": measured, "goal": goal, "unit": unit, "sense": sense}
        with open(path, "a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")
    return kept
