# SPDX-License-Identifier: Apache-2.0
"""When a life ends: the moments at which a program is killed, and those at which its receiver is,
chosen at random."""

import random

# What the moments of a life are measured by, and how often each kind is chosen.
EARLY, SCANS, EVENT, REPEATED = "early", "scans", "event", "repeated"
KINDS = {EARLY: 3, SCANS: 4, EVENT: 3, REPEATED: 1}
# Acks come at once, with a delay, or not at all for a few lives.
PROMPT, LAGGING, SILENT = "prompt", "lagging", "silent"
ACKS = {PROMPT: 5, LAGGING: 3, SILENT: 2}
# Of the moments at which something new was read.
FORGETS = 0.1


def pick(chance, weights):
    return chance.choices(list(weights), list(weights.values()))[0]


class Life:
    """One process from start to kill. Moments are relative to how long a start takes, so that they
    are as well spread on a slow machine, or under a sanitizer, as on a fast one."""

    def __init__(self, chance, startup, scans):
        self.chance = chance
        self.kind = pick(chance, KINDS)
        self.delay = chance.uniform(0, startup * (1.5 if self.kind == EARLY else 0.5))
        self.scans = chance.uniform(0, 2 * scans)
        self.events = chance.randint(1, 3)

    def is_over(self, passed, new, events, alive):
        """After `passed` scans judged, `new` new events and `events` events at all, `alive` seconds
        after the start. Returns seconds to wait before the kill, or None to live on."""
        if self.kind == EARLY:
            return max(0, self.delay - alive)
        if (
            self.kind == EVENT
            and new >= self.events
            or self.kind == REPEATED
            and events >= self.events
        ):
            return 0
        if passed >= self.scans:
            return self.delay
        return None


class Killer:
    """Hands out lives, `kills` of them to be killed; None afterwards: the next one may live."""

    def __init__(self, seed, kills, day_scans):
        self.chance = random.Random(f"{seed}/kills")
        # Asked as often as there is something to read: the lives must not depend on it.
        self.acks_chance = random.Random(f"{seed}/acks")
        self.left = kills
        # Dense enough that the kills are spread over the whole day when they are few.
        self.scans = max(40, day_scans / max(1, kills))
        self.startup = 0.02
        self.acks = PROMPT

    def next_life(self):
        if self.left == 0:
            # The last life may be a day long: without acks its outbox would grow all the time, and
            # every write of the state with it.
            self.acks = PROMPT
            return None
        if self.chance.random() < 0.2:
            self.acks = pick(self.chance, ACKS)
        self.left -= 1
        return Life(self.chance, self.startup, self.scans)

    def started_in(self, seconds):
        self.startup += 0.2 * (seconds - self.startup)

    def forgets_now(self, new):
        """Whether the receiver loses what it has just read, of which `new` events were new."""
        return new > 0 and self.acks_chance.random() < FORGETS

    def publishes_now(self):
        return self.acks == PROMPT or self.acks == LAGGING and self.acks_chance.random() < 0.1
