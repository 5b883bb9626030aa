# SPDX-License-Identifier: Apache-2.0
"""Compares the events of many lives with those of one undisturbed run."""

import json
from collections import Counter

# Metadata keys whose values name other events.
REFERENCES = ("group", "softens", "answers")


def names(events):
    """Return the position of each event by its id."""
    return {event["id"]: f"#{place}" for place, event in enumerate(events)}


def plain(event, places):
    """Return the event without names that differ between runs; references become positions."""
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
    """Return the event without anything that depends on other events."""
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
    """Return complaints about the events of one log."""
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
