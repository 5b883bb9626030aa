# SPDX-License-Identifier: Apache-2.0
"""What came against what was to come."""

import re
from collections import defaultdict


def compare(acts, came):
    """Where they differ, as text, step by step. Nobody minds which NIC is named first, but what one
    check says of one NIC has an order."""
    problems = []
    for act in acts:
        expected, got = _by_subject(act.expected), _by_subject(came[act.first : act.end])
        lines = []
        for subject in {**expected, **got}:
            if not _match(expected[subject], got[subject]):
                lines += [f"  - expected  {event}" for event in expected[subject]]
                lines += [f"  + came      {event}" for event in got[subject]]
        if lines:
            problems.append(
                "\n".join([f"line {act.step.line}: {act.step.when}  {act.step.text}", *lines])
            )
    late = came[acts[-1].end :] if acts else []
    if late:
        problems.append(
            "\n".join(["after all this", *(f"  + came      {event}" for event in late)])
        )
    return problems


def timeline(acts, came):
    """All that happened, with what came of it."""
    lines = []
    for act in acts:
        lines.append(f"{act.step.when}  {act.step.text}")
        lines += [f"    {event}" for event in came[act.first : act.end]]
    return "\n".join(lines)


def _by_subject(events):
    """Their lists, by check and NIC: the second and third word, the latter without the port."""
    lists = defaultdict(list)
    for event in events:
        _, check, where = event.split()[:3]
        lists[check, where.partition("/")[0]].append(event)
    return lists


def _match(expected, came):
    return len(expected) == len(came) and all(map(_fits, expected, came))


def _fits(pattern, event):
    """In the pattern, * is anything."""
    return re.fullmatch(".*".join(map(re.escape, pattern.split("*"))), event) is not None
