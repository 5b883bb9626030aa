# SPDX-License-Identifier: Apache-2.0
"""A fault played on a node, and what the three views say of it."""

import json
from typing import NamedTuple

from . import exceptions, film, relation, views


class Slot(NamedTuple):
    """A NIC that stands for those of its platform that have the same role and link layer."""

    platform: str  # name
    description: str  # path
    role: str
    layer: str
    device: str

    def is_watched(self):
        """Whether anybody relies on it."""
        return self.role in ("compute", "storage", "plane")

    def __str__(self):
        return f"{self.platform} {self.device} ({self.role}, {self.layer})"


class Outcome(NamedTuple):
    """What came of one combination."""

    said: tuple  # what stands at the service, views.Once, views.Table
    wrong: list  # [Contradiction] that no exception excuses
    met: set  # names of exceptions
    late: bool  # a NIC that does not hang has missed a deadline: the machine is too busy


def devices(records, kind):
    """The records of that kind, as dictionaries."""
    return [record for line in records.splitlines() if (record := json.loads(line))["kind"] == kind]


def slots(platform, description, programs):
    """[Slot] of a platform that is laid out."""
    records = programs.classified(programs.scan())
    known = {device["device"]: device for device in devices(records, "device")}
    found = {}
    for port in devices(records, "port"):
        device = known[port["device"]]
        role = (
            "virtual function"
            if device["vf"]
            else "plane"
            if device["parent"]
            else device["role"] or device["reason"]
        )
        found.setdefault(
            (role, port["link_layer"]),
            Slot(platform, description, role, port["link_layer"], port["device"]),
        )
    return list(found.values())


class _Service:
    """What a service sees that watches all the time."""

    def __init__(self, programs):
        self.programs = programs
        self.clock = film.Clock()
        self.filter = programs.classifier()
        self.records = []

    def look(self, scan, after_s=film.LOOKS_S):
        """Scans of a node that stays like this."""
        self.records += [self.filter.feed(one) for one in self.clock.looks(scan, after_s)]

    def close(self):
        """No more scans."""
        self.filter.close()

    def context(self, fault):
        """What it knew before the fault."""
        first = self.records[0]
        dark = [
            port["device"]
            for port in devices(first, "port")
            if (port["state"], port["phys_state"]) != ("ACTIVE", "LinkUp")
        ]
        watched = [device["device"] for device in devices(first, "device") if device["monitored"]]
        return exceptions.Context(fault, frozenset(dark), frozenset(watched))


def play(stage, programs, fault, device, healthy, flaw):
    """Outcome. `healthy` is a scan of the node as it is; it will be so again. `flaw` spoils what
    the views say."""
    nic = stage.nic(device)
    hangs = any(
        command.startswith("hang ") for step in (fault.start, *fault.steps) for command in step
    )
    scans = {"device_timeout": "1s"} if hangs else {}
    service = _Service(programs)
    try:
        for command in fault.start:
            stage.do(nic.fill(command))
        names = stage.names(nic)
        scan = programs.scan(**scans) if fault.start else healthy
        service.look(scan, film.LOOKS_S if fault.start else (1,))
        for step in fault.steps:
            for command in step:
                stage.do(nic.fill(command))
            scan = programs.scan(**scans)
            service.look(scan)
        if fault.hour:
            service.look(scan, (3600,))
        # Without roles no service starts.
        stands = (
            views.standing(programs.events(b"".join(service.records)), names)
            if programs.roles
            else None
        )
        said = stands, programs.once(names), programs.table(programs.classified(scan), names)
        late = any(
            _is_late(one, device if hangs else None) for one in (*(stands or ()), *said[1].said)
        )
        return _judge(flaw(*said), service.context(fault), late)
    finally:
        service.close()
        stage.mend(fault, nic)


def _is_late(said, hanging):
    """Whether it is that a deadline was missed, by another NIC than the one that hangs."""
    return hanging not in said.about and any(
        text in said.text for text in ("(timeout)", "did not finish in time")
    )


def _judge(said, context, late):
    wrong, met = [], set()
    for contradiction in relation.contradictions(*said):
        excuse = exceptions.excuse(contradiction, context)
        if excuse:
            met.add(excuse.name)
        else:
            wrong.append(contradiction)
    return Outcome(said, wrong, met, late)
