# SPDX-License-Identifier: Apache-2.0
"""Compares the received with the expected events."""

from .faults import DEGRADED, FATAL, HEALTHY


def severity(event):
    if event["isHealthy"]:
        return HEALTHY
    return FATAL if event["isFatal"] else DEGRADED


def key(event):
    entities = tuple(
        (entity["entityType"], entity["entityValue"]) for entity in event["entitiesImpacted"]
    )
    return (event["checkName"], entities, tuple(event["errorCode"]))


def show_key(about):
    check, entities, codes = about
    return " ".join(
        [check, *(f"{kind}={value}" for kind, value in entities), f"[{','.join(codes)}]"]
    )


def show(event):
    return (
        f"{event['id']} {event['generatedTimestamp']} {severity(event)} {show_key(key(event))}:"
        f" {event['message']}"
    )


def match(expected, events):
    """Return complaints. An event belongs to the condition at the time of observation. A condition
    that still holds because the run was stopped requires no events."""
    waiting = {}
    for one in expected:
        waiting.setdefault((one.key, one.severity), []).append(one)
    complaints = []
    for event in sorted(events, key=lambda event: (event["source"], event["seq"])):
        # The number of link downs within an hour is random.
        if event.get("errorCode") == ["link_flap"]:
            continue
        candidates = waiting.get((key(event), severity(event)), [])
        at = event["generatedTimestamp"]
        found = next(
            (one for one in candidates if one.begin <= at and (one.end is None or at < one.end)),
            None,
        )
        if found is not None:
            candidates.remove(found)
        else:
            complaints.append(f"event without a fault: {show(event)}")
    for one in sorted(
        (one for rest in waiting.values() for one in rest if one.required and one.end),
        key=lambda one: one.begin,
    ):
        what = "recovery" if one.severity == HEALTHY else "fault"
        complaints.append(
            f"{what} without its event: {one.severity} {show_key(one.key)}, {one.why}"
        )
    return complaints


def judge(expected, receiver):
    """Return all complaints as lines; an empty list is a pass."""
    complaints = list(receiver.complaints)
    sources = sorted({source for source, _ in receiver.lines})
    if len(sources) > 1:
        complaints.append(
            f"the state was lost: events of {len(sources)} sources: {' '.join(sources[:4])} ..."
        )
    complaints += [f"hole: {source}-{seq} never came" for source, seq in receiver.holes()]
    try:
        complaints += match(expected, receiver.events)
    except (KeyError, TypeError) as error:
        complaints.append(f"an event without the fields of an event: {error!r}")
    return complaints
