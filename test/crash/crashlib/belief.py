# SPDX-License-Identifier: Apache-2.0
"""What receivers believe at the end of a run, against what ctreval's state file holds to stand."""

import json
import random

from belief.audience import Audience

from .node import stamp_seconds


def judge(receiver, state_path, layer_of, seed):
    """Complaints. The events are cut into batches, and sent again, at places that the seed
    chooses."""
    with open(state_path, encoding="utf-8") as file:
        state = json.load(file)
    # Stand-ins keep another state, of which only they know.
    if "version" not in state or receiver.holes():
        return []
    chance = random.Random(seed)
    audience = Audience(chance, lambda device: False)
    now = 0
    # Sources in the order in which they began, and of each what it said in its order, as emit
    # stores it.
    sources = list(dict.fromkeys(source for source, _ in receiver.lines))
    for source, seq in sorted(receiver.lines, key=lambda name: (sources.index(name[0]), name[1])):
        event = json.loads(receiver.lines[source, seq])
        now = stamp_seconds(event["generatedTimestamp"])
        audience.store(event, now)
        if chance.random() < 0.1:
            audience.send(chance, chance.random() < 0.5)
    audience.send(chance, True)
    return [f"belief: {line}" for line in audience.problems(state, (layer_of,), now)]
