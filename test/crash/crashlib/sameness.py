# SPDX-License-Identifier: Apache-2.0
"""Compares the events of many lives with those of one."""

import json
from collections import Counter

# What names other events in metadata.
REFERENCES = ("group", "softens", "answers")


def names(events):
    """The place of each event, by its id."""
    return {event["id"]: f"#{place}" for place, event in enumerate(events)}


def plain(event, places):
    """The event without the names that differ between runs; what it refers to by its place."""
    metadata = {
        key: (
            ",".join(places.get(name, f"unknown {name}") for name in value.split(","))
            if key in REFERENCES
            else value
        )
        for key, value in event["metadata"].items()
    }
    kept = {key: value for key, value in event.items() if key not in ("id", "source", "seq")}
    return json.dumps({**kept, "metadata": metadata}, sort_keys=True)


def bare(event):
    """The event without anything that depends on other events."""
    return plain(
        {
            **event,
            "metadata": {
                key: value for key, value in event["metadata"].items() if key not in REFERENCES
            },
        },
        {},
    )


def compare(where, got, wanted):
    """What is wrong with the events of one log."""
    got = sorted(got, key=lambda event: event["seq"])
    bare_got, bare_wanted = Counter(map(bare, got)), Counter(map(bare, wanted))
    complaints = [f"event missing: {where}: {line}" for line in bare_wanted - bare_got]
    complaints += [
        f"event without cause, or twice: {where}: {line}" for line in bare_got - bare_wanted
    ]
    if complaints:
        return complaints
    got_places, wanted_places = names(got), names(wanted)
    for one, other in zip(got, wanted):
        one, other = plain(one, got_places), plain(other, wanted_places)
        if one != other:
            return [f"order or references differ: {where}: {one} instead of {other}"]
    return []
