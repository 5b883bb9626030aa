# SPDX-License-Identifier: Apache-2.0
"""Fault quarantine: a node is cordoned as long as the map of its faults is not empty.

A fatal event adds one key for each of its entities and codes. A healthy event removes every key of
its check with any of its entities and any of its codes; without entities it removes keys of all
entities, and without codes those of all codes.

So a port's recovery also removes the key of a port with the same number on another device: this is
a known limit of the receiver. The key of the NIC itself stays, unless the NIC has several ports and
another of them recovers.
"""

from .item import ACTS, codes_of, entities_of


class Quarantine:
    """The keys of one node."""

    def __init__(self):
        self.keys = set()  # (who, entity or None, code)
        self.removed = {}  # key -> entities of the event that removed it last

    def take(self, event):
        """Receive one event; they arrive one by one in the order of storage."""
        if event.get("processingStrategy", ACTS) != ACTS:
            return
        who, entities, codes = _who(event), entities_of(event), codes_of(event)
        if not event["isHealthy"]:
            if event["isFatal"]:
                self.keys.update(keys(who, entities, codes))
            return
        gone = {
            key for key in self.keys
            if key[0] == who and (not entities or key[1] in entities) and (not codes
            or key[2] in codes)
        }  # fmt: skip
        self.keys -= gone
        for key in gone:
            self.removed[key] = entities

    def is_cordoned(self):
        """Tell whether the node is cordoned."""
        return bool(self.keys)

    def believed(self):
        """Return the set of (check, entity or None, code)."""
        return {(who[2], entity, code) for who, entity, code in self.keys}


def keys(who, entities, codes):
    """Return the keys of an event."""
    return [(who, entity, code) for entity in entities or (None,) for code in codes or ("",)]


def _who(event):
    return (
        event.get("agent"),
        event.get("componentClass"),
        event["checkName"],
        event.get("nodeName"),
        event.get("version"),
    )
