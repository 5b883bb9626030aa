# SPDX-License-Identifier: Apache-2.0
"""What the nodes of a cluster write: event records, in the order in which they come."""

import heapq
import json
import time

BEGIN_S = 1_700_000_000
SKEW_S = 2


def write(rng, story, late_s):
    """The lines. Each node has a clock of its own, and its events come up to so late."""
    lines = []
    for node, events in enumerate(story.events):
        lines += _of_node(rng, node, sorted(events), late_s)
    heapq.heapify(lines)
    while lines:
        yield heapq.heappop(lines)[1]


def _of_node(rng, node, events, late_s):
    skew_us = round(rng.uniform(-SKEW_S, SKEW_S) * 1e6)
    source, before_us = f"{node:016x}", 0
    for seq, event in enumerate(events, 1):
        at_us = max(before_us + 1, BEGIN_S * 1_000_000 + event.at_us + skew_us)
        before_us = at_us
        record = _record(event, source, seq, at_us)
        comes = event.at_us + rng.uniform(0, late_s * 1e6)
        yield (comes, json.dumps(record, separators=(",", ":")) + "\n")


def _stamp(at_us):
    whole = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(at_us // 1_000_000))
    return f"{whole}.{at_us % 1_000_000:06d}Z"


def _record(event, source, seq, at_us):
    entities = []
    if event.port is not None:
        entities = [
            {"entityType": "NIC", "entityValue": f"mlx5_{event.port}"},
            {"entityType": "NICPort", "entityValue": "1"},
        ]
    return {
        "kind": "event",
        "id": f"{source}-{seq}",
        "version": 1,
        "agent": "nic-health-monitor",
        "componentClass": "NIC",
        "checkName": event.check,
        "isFatal": event.fatal,
        "isHealthy": event.healthy,
        "message": f"{event.code or 'healthy'} at {event.at_us / 1e6:.3f}",
        "recommendedAction": "REPLACE_VM" if event.fatal else "NONE",
        "errorCode": [event.code] if event.code else [],
        "entitiesImpacted": entities,
        "metadata": {"role": "compute"},
        "generatedTimestamp": _stamp(at_us),
        "nodeName": f"node-{event.node:05d}",
        "processingStrategy": "EXECUTE_REMEDIATION",
        "source": source,
        "seq": seq,
    }


def draw(story, leaf_nodes):
    """The lines of Slurm's topology.conf: all ports of a node hang on one leaf switch."""
    for leaf, first in enumerate(range(0, story.nodes, leaf_nodes)):
        last = min(first + leaf_nodes, story.nodes) - 1
        yield f"SwitchName=leaf-{leaf:03} Nodes=node-[{first:05}-{last:05}]\n"
    yield "SwitchName=spine Switches=leaf-[000-999]\n"
