# SPDX-License-Identifier: Apache-2.0
"""How the lives of emit, its writers, its server and their supervisor end: who is killed when,
chosen at random."""

import random
from dataclasses import dataclass

EMIT, SERVER, SUPERVISOR = "emit", "server", "supervisor"

# Moments: so long after the start; when the server has got something; when something was
# acknowledged; at a fault point of emit's own; when emit has just read the pipe.
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
# Seconds that a life has on average, where it is not much longer because emit starts slowly.
SECONDS = {EMIT: 0.06, SERVER: 0.4, SUPERVISOR: 0.6}
WRITER_SECONDS = 0.2
# Of the lives of emit, some last long enough for everything to be delivered.
LONG_SECONDS = 0.5
# What does not happen within that time is not waited for.
MOST_SECONDS = 0.3
# How long emit takes to start where these times come from.
USUAL_STARTUP = 0.02
# Of a hundred kills the last so many are of emit and the server only: what emit loses then comes
# again because its name has changed, and not because its writers have been started.
TAIL_PERCENT = 15


def pick(chance, weights):
    return chance.choices(list(weights), list(weights.values()))[0]


@dataclass
class Life:
    """When a process is killed: after `count` of what it waits for, and `seconds` after its start
    at the latest."""

    kind: str
    seconds: float
    count: int

    def is_over(self, alive, arrivals, acks):
        """After `alive` seconds, `arrivals` deliveries and `acks` publications."""
        seen = {ARRIVAL: arrivals, ACKS: acks}.get(self.kind, 0)
        return alive >= self.seconds or seen >= self.count

    def fault(self):
        """For --kill-at."""
        return f"{self.kind}:{self.count}" if self.kind in (STORE, SEND) else None


class Lives:
    """Hands out lives until `kills` processes have been killed."""

    def __init__(self, seed, kills):
        self.chance = random.Random(f"{seed}/kills")
        self.kills, self.left = kills, kills
        self.startup = USUAL_STARTUP

    def started_in(self, seconds):
        """How long emit took."""
        self.startup += 0.2 * (seconds - self.startup)

    def not_started_in(self, seconds):
        """emit was killed after that time, and had not started yet: it takes longer. Without this,
        an emit that is always killed too early would never be seen to start."""
        self.startup = max(self.startup, seconds)

    def scaled(self, seconds):
        """More, where emit starts slowly: everything else does, too."""
        return seconds * max(1, self.startup / USUAL_STARTUP)

    def next_life(self, name):
        """None: it is not killed."""
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
        """Whether it is to live on, whatever its life says."""
        return self.left == 0 or (
            self.left * 100 <= self.kills * TAIL_PERCENT and name not in (EMIT, SERVER)
        )

    def killed(self):
        self.left -= 1

    def instant(self):
        """Seconds from a read to a kill."""
        return self.chance.choice((0, 0, self.chance.expovariate(1 / 0.0003)))

    def pause(self):
        """Seconds until it is started again."""
        return self.chance.uniform(0, 0.2) if self.chance.random() < 0.15 else 0
