# SPDX-License-Identifier: Apache-2.0
"""The events that the sinks received, and checks of their content. crashlib.delivery counts the
repeats."""

import datetime
import functools
import json

from belief.audience import Audience
from crashlib import delivery
from crashlib.node import stamp_seconds


# Agent of ctreval: events of logmatch and correlate are checked elsewhere.
CTREVAL = "nic-health-monitor"


class Told(delivery.Arrivals):
    """Also keeps repeated arrivals."""

    def __init__(self, path, take):
        super().__init__(path, take)
        self.every = []

    def add(self, line):
        torn = self.torn
        super().add(line)
        if self.torn == torn:
            self.every.append(self.take(line)[0])


class AtOnce:
    """Replaces a courier: delivers each event as soon as it is stored, because it has been
    delivered already."""

    def __init__(self, events, deliver):
        self.events, self.deliver = events, deliver

    def send(self, _chance, _careful):
        self.deliver(self.events[-1:])


def audience(arrivals, records, chance):
    """Return receivers that got these arrivals in this order; they use only ctreval's events."""
    found = Audience(chance, lambda device: False, AtOnce)
    for identity in arrivals.every:
        record = records.get(identity)
        if record is not None and record["agent"] == CTREVAL:
            found.store(record, stamp_seconds(record["generatedTimestamp"]))
            found.send(chance, True)
    return found


def records_of_server(contents, stubs):
    """Return id -> record of the events that the server received, stored or not."""
    return {identity: record_of(identity, line, stubs) for identity, line in contents.items()}


# Cached: a wait asks for the same records repeatedly, and they never change.
@functools.lru_cache(maxsize=None)
def record_of(identity, line, stubs):
    """Convert a line of the server's log to a record."""
    event = stubs.HealthEvent.FromString(bytes.fromhex(json.loads(line)["all"]))
    stamp = datetime.datetime.fromtimestamp(event.generatedTimestamp.seconds, datetime.timezone.utc)
    return {
        "agent": event.agent, "componentClass": event.componentClass, "version": event.version,
        "checkName": event.checkName, "isFatal": event.isFatal, "isHealthy": event.isHealthy,
        "message": event.message,
        "recommendedAction": stubs.RecommendedAction.Name(event.recommendedAction),
        "errorCode": list(event.errorCode), "metadata": dict(event.metadata),
        "nodeName": event.nodeName, "id": identity,
        "generatedTimestamp": f"{stamp:%Y-%m-%dT%H:%M:%S}"
        f".{event.generatedTimestamp.nanos:09d}Z",
        "entitiesImpacted": [{"entityType": entity.entityType,
        "entityValue": entity.entityValue} for entity in event.entitiesImpacted],
    }  # fmt: skip


def records_by_id(rows):
    """Return id -> record of the stored events."""
    return {f"{source}-{seq}": parsed(record) for source, seq, record in rows}


@functools.lru_cache(maxsize=None)
def parsed(record):
    """Parse a record of the spool."""
    return json.loads(record)


def as_written(order, records):
    """Return those of these events that have a record, in the order in which they were decided,
    whatever the order in which they came. A ctreval that could not write its state has another
    source, whose numbers begin again."""

    def moment(name):
        return stamp_seconds(records["{}-{}".format(*name)]["generatedTimestamp"]), name[1]

    return sorted((name for name in order if "{}-{}".format(*name) in records), key=moment)


def said_twice(order, records):
    """Return the second of two successive events about the same fault with no recovery between
    them, or None."""
    last = {}
    for source, seq in order:
        record = records.get(f"{source}-{seq}")
        if record is None or record["agent"] != CTREVAL:
            continue
        about = tuple(
            (entity["entityType"], entity["entityValue"]) for entity in record["entitiesImpacted"]
        )
        key, codes = (record["checkName"], about), tuple(record["errorCode"])
        if record["isHealthy"]:
            for known in [
                known
                for known in last
                if known[0] == key[0]
                and known[1][: len(about)] == about
                and (not codes or known[2] == codes)
            ]:
                del last[known]
        elif last.get((*key, codes)) == record["isFatal"]:
            return f"{source}-{seq}: {record['message']}"
        else:
            last[(*key, codes)] = record["isFatal"]
    return None
