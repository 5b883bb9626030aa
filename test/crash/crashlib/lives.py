# SPDX-License-Identifier: Apache-2.0
"""Chooses at random when emit, its writers, its server and their supervisor are killed."""

import random
from dataclasses import dataclass

EMIT, SERVER, SUPERVISOR = "emit", "server", "supervisor"

# Moments of a kill: a time after the start; an arrival at the server; a published ack; a --kill-at
# point in emit; just after emit has read the pipe.
EARLY, TIME, ARRIVAL, ACKS, STORE, SEND, READ = (
    "early",
    "time",
    "arrival",
    "acks",
    "store",
    "send",
    "read",
)
EMIT_KINDS = {EARLY: 3, TIME: 3, ARRIVAL: 3, ACKS: 3, STORE: 5, SEND: 5, READ: 12}
WRITER_KINDS = {EARLY: 2, TIME: 3, ACKS: 1}
SERVER_KINDS = {EARLY: 1, TIME: 2, ARRIVAL: 2}
SUPERVISOR_KINDS = {TIME: 2, ARRIVAL: 1, ACKS: 1}
# Mean life in seconds, longer if emit starts slowly.
SECONDS = {EMIT: 0.06, SERVER: 0.4, SUPERVISOR: 0.6}
WRITER_SECONDS = 0.2
# Some lives of emit are long enough to deliver everything.
LONG_SECONDS = 0.5
# Kill at the latest after this time, even if the awaited moment has not come.
MOST_SECONDS = 0.3
# The start-up time of emit for which these times were chosen.
USUAL_STARTUP = 0.02
# In this last share of the kills only emit and the server are killed: lost events must then be
# written again because emit's name changed, not because the writers restarted.
TAIL_PERCENT = 15


def pick(chance, weights):
    return chance.choices(list(weights), list(weights.values()))[0]


@dataclass
class Life:
    """When a process is killed: after `count` of the events it waits for, and at the latest
    `seconds` after its start."""

    kind: str
    seconds: float
    count: int

    def is_over(self, alive, arrivals, acks):
        """Return whether to kill it after `alive` seconds, `arrivals` deliveries and `acks`
        publications."""
        seen = {ARRIVAL: arrivals, ACKS: acks}.get(self.kind, 0)
        return alive >= self.seconds or seen >= self.count

    def fault(self):
        """Return the argument of --kill-at, or None."""
        return f"{self.kind}:{self.count}" if self.kind in (STORE, SEND) else None


class Lives:
    """Hands out lives until `kills` processes have been killed."""

    def __init__(self, seed, kills):
        self.chance = random.Random(f"{seed}/kills")
        self.kills, self.left = kills, kills
        self.startup = USUAL_STARTUP

    def started_in(self, seconds):
        """Update the mean start-up time of emit."""
        self.startup += 0.2 * (seconds - self.startup)

    def not_started_in(self, seconds):
        """emit was killed after `seconds` and had not started yet, so it takes longer. Without
        this, an emit that is always killed too early would never be seen to start."""
        self.startup = max(self.startup, seconds)

    def scaled(self, seconds):
        """Scale a time by emit's start-up time, because a slow machine is slow in everything."""
        return seconds * max(1, self.startup / USUAL_STARTUP)

    def next_life(self, name):
        """Return the next life of a process."""
        kinds = {EMIT: EMIT_KINDS, SERVER: SERVER_KINDS, SUPERVISOR: SUPERVISOR_KINDS}.get(
            name, WRITER_KINDS
        )
        kind = pick(self.chance, kinds)
        mean = self.scaled(SECONDS.get(name, WRITER_SECONDS))
        if name == EMIT and self.chance.random() < 0.08:
            mean = max(LONG_SECONDS, 5 * self.startup)
        seconds = {
            EARLY: self.chance.uniform(0, 1.5 * self.startup),
            TIME: self.chance.expovariate(1 / mean),
            READ: self.startup + self.chance.expovariate(1 / mean),
        }.get(kind, max(MOST_SECONDS, 5 * self.startup))
        return Life(kind, seconds, self.chance.choice((1, 1, 2, 4)))

    def spares(self, name):
        """Return whether the process must not be killed now."""
        return self.left == 0 or (
            self.left * 100 <= self.kills * TAIL_PERCENT and name not in (EMIT, SERVER)
        )

    def killed(self):
        self.left -= 1

    def instant(self):
        """Return the seconds from a read to the kill."""
        return self.chance.choice((0, 0, self.chance.expovariate(1 / 0.0003)))

    def pause(self):
        """Return the seconds until the restart."""
        return self.chance.uniform(0, 0.2) if self.chance.random() < 0.15 else 0
