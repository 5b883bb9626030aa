# SPDX-License-Identifier: Apache-2.0
"""Fault quarantine: a node is cordoned as long as the map of its faults is not empty.

A fatal event adds one key for each of its entities and codes. A healthy event removes every key of
its check that is about any of its entities and has any of its codes; without entities, about
whatever it is, and without codes, whatever it has.

So a port's recovery also removes the key of a port with the same number on another device: the
limit of this receiver. The key of the NIC itself is left, unless the NIC has several ports and
another of them has recovered meanwhile.
"""

from .item import ACTS, codes_of, entities_of


class Quarantine:
    """The keys of one node."""

    def __init__(self):
        self.keys = set()  # (who, entity or None, code)
        self.removed = {}  # key -> entities of the event that removed it last

    def take(self, event):
        """One event; it gets them one by one, in the order in which they were stored."""
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
        """Whether the node takes no work."""
        return bool(self.keys)

    def believed(self):
        """Set of (check, entity or None, code)."""
        return {(who[2], entity, code) for who, entity, code in self.keys}


def keys(who, entities, codes):
    """The keys of an event."""
    return [(who, entity, code) for entity in entities or (None,) for code in codes or ("",)]


def _who(event):
    return (
        event.get("agent"),
        event.get("componentClass"),
        event["checkName"],
        event.get("nodeName"),
        event.get("version"),
    )
