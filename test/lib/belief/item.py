# SPDX-License-Identifier: Apache-2.0
"""A condition of a node, in the terms that all receivers share."""

from typing import NamedTuple

ACTS = "EXECUTE_REMEDIATION"


class Item(NamedTuple):
    """A fault that a check has reported about these entities with these codes."""

    check: str
    entities: tuple  # of (type, value), in the order of the event
    codes: tuple  # of texts; () if reported without one
    fatal: bool

    def __str__(self):
        where = ",".join(f"{kind}={value}" for kind, value in self.entities) or "node"
        severity = "fatal" if self.fatal else "degraded"
        return f"{severity} {self.check} {where} {','.join(self.codes) or '-'}"


def entities_of(event):
    """Return ((type, value), ...) of an event record."""
    return tuple(
        (one["entityType"], one["entityValue"]) for one in event.get("entitiesImpacted") or ()
    )


def codes_of(event):
    """Return (code, ...) of an event record."""
    return tuple(event.get("errorCode") or ())


def item_of(event):
    """Return the Item of an event that is not healthy."""
    return Item(event["checkName"], entities_of(event), codes_of(event), event["isFatal"])
