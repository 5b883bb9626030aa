# SPDX-License-Identifier: Apache-2.0
"""What the receivers of a scenario's events believe, against what ctreval held to stand: at every
moment of the scenario, and at the end of each life."""

import datetime
import random

from belief.audience import Audience
from belief.held import held
from belief.item import ACTS

from . import times


def problems(lives, seed):
    """[(time in the scenario, text)]. Batches are cut, and sent again, at random places, which the
    seed chooses."""
    chance = random.Random(seed)
    ports = _Ports()
    audience = Audience(chance, ports.are_several)
    known, wrong, began = set(), [], False
    for life in lives:
        ports.learn(life.scans)
    for life in lives:
        told = 0
        for scan, count, state in life.states:
            for _, event in life.events[told:count]:
                if event["id"] not in known:
                    known.add(event["id"])
                    audience.store(event, _seconds(event["generatedTimestamp"]))
            told = count
            if not began:
                # What was said before the scenario began is known from the state file it begins
                # with.
                _believe_before(audience, state, ports)
            began = True
            audience.send(chance, chance.random() < 0.5)
            problems_now = audience.problems(
                state, (ports.layer_of, ports.port_of), scan.wall_ns / times.SECOND
            )
            wrong += [(scan.at_ns, "\n".join(problems_now))] if problems_now else []
    return wrong


class _Ports:
    """What the scans have of link layers, and of NICs with several ports."""

    def __init__(self):
        self.layers = {}
        self.interfaces = {}

    def learn(self, scans):
        """All ports of these."""
        for template in {id(scan.template): scan.template for scan in scans}.values():
            for record in template.records:
                if record["kind"] == "port":
                    self.layers[record["device"], record["port"]] = record["link_layer"]
                    self.interfaces[record.get("netdev")] = (record["device"], record["port"])

    def layer_of(self, device, port):
        """InfiniBand, Ethernet or EFA, or "" when no scan has had the port."""
        return self.layers.get((device, port), "")

    def port_of(self, interface):
        """(device, port), or None when no scan has had the interface."""
        return self.interfaces.get(interface)

    def are_several(self, device):
        """Whether the NIC has more than one port."""
        return (device, 2) in self.layers


def _believe_before(audience, state, ports):
    believed = audience.standing.believed(0)
    for item in held(state, ports.layer_of, ports.port_of) - believed:
        event = {
            "version": 1, "agent": "nic-health-monitor", "componentClass": "NIC",
            "checkName": item.check, "nodeName": "test-node",
            "isFatal": item.fatal, "isHealthy": False, "message": "as said before",
            "errorCode": list(item.codes),
            "entitiesImpacted": [{"entityType": kind, "entityValue": value} for kind,
            value in item.entities],
            "recommendedAction": "REPLACE_VM" if item.fatal else "NONE", "processingStrategy": ACTS,
            "generatedTimestamp": "2026-01-01T00:00:00.000000Z", "source": "before",
        }  # fmt: skip
        audience.events.insert(0, event)
        audience.standing.take(event, 0)


def _seconds(text):
    return datetime.datetime.fromisoformat(text[:-1]).timestamp()
