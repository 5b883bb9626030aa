# SPDX-License-Identifier: Apache-2.0
"""Compares what receivers believe at the end of a run with the standing faults in ctreval's state
file."""

import json
import random

from belief.audience import Audience

from .node import stamp_seconds


def judge(receiver, state_path, layer_of, seed):
    """Return complaints. The seed chooses where the events are split into batches and sent
    again."""
    with open(state_path, encoding="utf-8") as file:
        state = json.load(file)
    # The fakes have their own state format.
    if "version" not in state or receiver.holes():
        return []
    chance = random.Random(seed)
    audience = Audience(chance, lambda device: False)
    now = 0
    # Sources in the order of their first event, and each source's events in order, as emit stores
    # them.
    sources = list(dict.fromkeys(source for source, _ in receiver.lines))
    for source, seq in sorted(receiver.lines, key=lambda name: (sources.index(name[0]), name[1])):
        event = json.loads(receiver.lines[source, seq])
        now = stamp_seconds(event["generatedTimestamp"])
        audience.store(event, now)
        if chance.random() < 0.1:
            audience.send(chance, chance.random() < 0.5)
    audience.send(chance, True)
    return [f"belief: {line}" for line in audience.problems(state, (layer_of,), now)]
