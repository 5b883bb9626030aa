# SPDX-License-Identifier: Apache-2.0
"""Chooses at random when a program is killed, and when its receiver is."""

import random

# Conditions for a kill, with their weights.
EARLY, SCANS, EVENT, REPEATED = "early", "scans", "event", "repeated"
KINDS = {EARLY: 3, SCANS: 4, EVENT: 3, REPEATED: 1}
# Acks are published at once, with a delay, or not at all for a few lives.
PROMPT, LAGGING, SILENT = "prompt", "lagging", "silent"
ACKS = {PROMPT: 5, LAGGING: 3, SILENT: 2}
# Probability, per read of new events, that the receiver forgets them.
FORGETS = 0.1


def pick(chance, weights):
    return chance.choices(list(weights), list(weights.values()))[0]


class Life:
    """One process from start to kill. Delays are relative to the start-up time, so that kills are
    spread as well on a slow machine or under a sanitizer as on a fast one."""

    def __init__(self, chance, startup, scans):
        self.chance = chance
        self.kind = pick(chance, KINDS)
        self.delay = chance.uniform(0, startup * (1.5 if self.kind == EARLY else 0.5))
        self.scans = chance.uniform(0, 2 * scans)
        self.events = chance.randint(1, 3)

    def is_over(self, passed, new, events, alive):
        """Return the seconds to wait before the kill, or None to live on, after `passed` evaluated
        scans, `new` new events, `events` events in total and `alive` seconds."""
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
    """Hands out `kills` lives that end with a kill, then None: the process may live."""

    def __init__(self, seed, kills, day_scans):
        self.chance = random.Random(f"{seed}/kills")
        # A generator of its own: the number of reads varies and must not change the lives.
        self.acks_chance = random.Random(f"{seed}/acks")
        self.left = kills
        # With few kills, spread them over the whole day.
        self.scans = max(40, day_scans / max(1, kills))
        self.startup = 0.02
        self.acks = PROMPT

    def next_life(self):
        if self.left == 0:
            # The last life may last a day: without acks the outbox, and each write of the state,
            # would grow all the time.
            self.acks = PROMPT
            return None
        if self.chance.random() < 0.2:
            self.acks = pick(self.chance, ACKS)
        self.left -= 1
        return Life(self.chance, self.startup, self.scans)

    def started_in(self, seconds):
        self.startup += 0.2 * (seconds - self.startup)

    def forgets_now(self, new):
        """Return whether the receiver forgets what it just read, with `new` new events."""
        return new > 0 and self.acks_chance.random() < FORGETS

    def publishes_now(self):
        return self.acks == PROMPT or self.acks == LAGGING and self.acks_chance.random() < 0.1
