# SPDX-License-Identifier: Apache-2.0
"""What the sinks have got, and what of it is wrong. What came how often is counted by
crashlib.delivery."""

import datetime
import functools
import json

from belief.audience import Audience
from crashlib import delivery
from crashlib.node import stamp_seconds


# Who says it: what logmatch and correlate make of the same is another matter.
CTREVAL = "nic-health-monitor"


class Told(delivery.Arrivals):
    """With every arrival, those that came before included."""

    def __init__(self, path, take):
        super().__init__(path, take)
        self.every = []

    def add(self, line):
        torn = self.torn
        super().add(line)
        if self.torn == torn:
            self.every.append(self.take(line)[0])


class AtOnce:
    """In the place of a courier: each event is delivered when it is stored, for it has been
    delivered already."""

    def __init__(self, events, deliver):
        self.events, self.deliver = events, deliver

    def send(self, _chance, _careful):
        self.deliver(self.events[-1:])


def audience(arrivals, records, chance):
    """The receivers that were told this, in this order: of each NIC they know what ctreval has
    said."""
    found = Audience(chance, lambda device: False, AtOnce)
    for identity in arrivals.every:
        record = records.get(identity)
        if record is not None and record["agent"] == CTREVAL:
            found.store(record, stamp_seconds(record["generatedTimestamp"]))
            found.send(chance, True)
    return found


def records_of_server(contents, stubs):
    """id -> record of what the server got, whether or not it is stored any more."""
    return {identity: record_of(identity, line, stubs) for identity, line in contents.items()}


# Whoever waits asks for the same again and again, and nobody changes a record.
@functools.lru_cache(maxsize=None)
def record_of(identity, line, stubs):
    """A line of the server's log as a record."""
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
    """What is stored."""
    return {f"{source}-{seq}": parsed(record) for source, seq, record in rows}


@functools.lru_cache(maxsize=None)
def parsed(record):
    """A record of the spool."""
    return json.loads(record)


def said_twice(order, records):
    """The first of two events in a row that say the same trouble of the same, with nothing between
    that takes it back; None: there are none."""
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
