# SPDX-License-Identifier: Apache-2.0
"""What a round brings, drawn from its seed: what happens to the node, and what is done to the
programs and their disk. Pure."""

import errno
import random
from typing import NamedTuple

from havoc import orders
from havoc.orders import Order

STAGES = ("ibevent", "ibscan", "topoclass", "ctreval", "logmatch", "correlate", "emit")
SERVICE, SERVER = "service", "server"

# Of a NIC each: one is also counted on, and never removed, for a counter begins anew with its NIC.
DEVICES = ("mlx5_1", "mlx5_2", "mlx5_3", "mlx5_4")
COUNTED = "mlx5_4"
# A port that goes down three times within an hour flaps, which is another fault. The one that is
# counted on has been down once by its counter, and goes down in the end.
MOST_DOWN = 2
# Seconds that the attack lasts.
ATTACK_SECONDS = 2.5
# What a stage that has stopped may take until it is killed by the service, with room to spare.
LONG_SECONDS = 15
# What takes so long is meant to hang until somebody ends it.
HANG_MS = 3_600_000
# For so long at least: the service says so after 2 s.
HANG_SECONDS = 4.0


class Damage(NamedTuple):
    """To what emit keeps."""

    act: str  # of DAMAGES
    place: float  # in a file, from 0 to 1


class Deed(NamedTuple):
    """At so many seconds, this is done to these. `value`: seconds, an Order, a Damage, or
    nothing."""

    at: float
    what: str
    who: tuple
    value: object = None

    def __str__(self):
        return (
            f"{self.at:.2f} s:"
            f" {self.what} {' '.join(self.who)}"
            f" {self.value if self.value is not None else ''}".rstrip()
        )


class Plan(NamedTuple):
    """All of a round."""

    deeds: tuple  # to the programs and the disk
    changes: tuple  # of the node: (at, command of nicsim)
    last_changes: tuple  # the same, when all is over
    begins_early: bool  # while the service starts


# What each program writes, how, and whether a process that dies there may have written a part of
# it.
FILES = (
    ("ctreval", "/run/ctreval/state.json", orders.WRITE, True),
    ("ctreval", "/run/ctreval/state.json", orders.SYNC | orders.RENAME, False),
    ("logmatch", "/run/logmatch/logmatch.json", orders.WRITE, True),
    ("logmatch", "/run/logmatch/logmatch.json", orders.SYNC | orders.RENAME, False),
    ("emit", "/run/emit/acks.json", orders.WRITE, True),
    ("emit", "/run/emit/acks.json", orders.SYNC | orders.RENAME, False),
    ("emit", "/var/spool.db", orders.WRITE | orders.PWRITE, True),
    ("emit", "/var/spool.db", orders.SYNC | orders.TRUNCATE, False),
    ("emit", "/var/events", orders.WRITE, True),
)
# What emit keeps is damaged: while it runs, or between its death and its next start.
DAMAGES = (
    "delete spool",
    "cut wal",
    "cut shm",
    "cut spool",
    "flip wal",
    "delete acks",
    "delete both",
)
# These may also happen to an emit that runs. A file that is cut while emit writes to it is not
# among them: the hole in it has zeros, its length is right, and nobody sees it before it is read.
DAMAGES_OF_RUNNING = ("delete spool", "cut shm", "delete acks", "delete both")
# How much of each there is.
KINDS = {
    "kill": 6,
    "stop": 3,
    "die": 6,
    "tear": 2,
    "stop within": 2,
    "slow": 3,
    "fail": 4,
    "long stop": 0.3,
    "stderr": 2,
    "hang": 1,
    "damage": 2,
}


def draw(seed, without=()):
    """The plan of a round."""
    chance = random.Random(f"{seed}/attack")
    kinds = {kind: weight for kind, weight in KINDS.items() if kind not in without}
    deeds = []
    for _ in range(chance.randint(2, 6)):
        kind = chance.choices(list(kinds), list(kinds.values()))[0]
        at = chance.uniform(0, ATTACK_SECONDS)
        deeds += [_numbered(deed, len(deeds)) for deed in _DRAW[kind](chance, at)]
    return Plan(
        tuple(sorted(deeds, key=lambda deed: deed.at)),
        tuple(_changes(chance)),
        tuple(_last_changes()),
        chance.random() < 0.2,
    )


def _numbered(deed, number):
    return deed._replace(value=deed.value._replace(number=number)) if deed.what == "order" else deed


# --- what is done to the programs ---


def _some(chance, of):
    """One, often several, at times all."""
    return tuple(
        sorted(chance.sample(of, min(len(of), chance.choice((1, 1, 1, 2, 2, 3, 4, len(of))))))
    )


def _kill(chance, at):
    everybody = [*STAGES, "emit", "ctreval", SERVICE, SERVER]
    yield Deed(at, "kill", tuple(sorted(set(_some(chance, everybody)))))


def _stop(chance, at):
    yield Deed(at, "stop", _some(chance, [*STAGES, SERVICE, SERVER]), chance.uniform(0.1, 1.2))


def _long_stop(chance, at):
    """Until the service has had enough of it."""
    yield Deed(at, "stop", (chance.choice(("ibscan", "topoclass", "ctreval")),), LONG_SECONDS)


def _file(chance, tears=False):
    return chance.choice([file for file in FILES if file[3] or not tears])


def _call(chance, calls):
    return chance.choice([1 << bit for bit in range(5) if calls & 1 << bit])


def _order(chance, at, action, tears=False, **more):
    program, part, calls, _ = _file(chance, tears)
    order = Order(
        program,
        part,
        _call(chance, calls),
        action,
        skip=chance.choice((0, 0, 1, 2, 3, 5, 8)),
        **more,
    )
    yield Deed(at, "order", (), order)


def _die(chance, at):
    # Some die in the same place again and again.
    left = chance.choice((1, 1, 1, 2))
    yield from _order(chance, at, chance.choice((orders.DIE_BEFORE, orders.DIE_AFTER)), left=left)


def _tear(chance, at):
    yield from _order(chance, at, chance.choice((orders.TEAR, orders.TEAR_AND_DIE)), tears=True)


def _stop_within(chance, at):
    yield from _order(chance, at, orders.STOP)


def _slow(chance, at):
    left = chance.choice((1, 3, orders.EVERY))
    yield from _order(
        chance,
        at,
        orders.SLOW,
        left=left,
        delay_ms=chance.choice((20, 100, 300, 900) if left <= 3 else (20, 100)),
    )


def _hang(chance, at):
    """The disk of the spool or the acks does not answer: one call or each, for some seconds, and
    until all that happens is told."""
    part, calls = chance.choice(
        (
            ("/var/spool.db", orders.SYNC),
            ("/var/spool.db", orders.WRITE | orders.PWRITE),
            ("/run/emit/acks.json", orders.SYNC),
        )
    )
    yield Deed(
        at,
        "order",
        (),
        Order(
            "emit",
            part,
            calls,
            orders.SLOW,
            skip=chance.choice((0, 1, 3)),
            left=chance.choice((1, orders.EVERY)),
            delay_ms=HANG_MS,
        ),
    )


def _fail(chance, at):
    """The disk is full, or broken, for some calls or until peace: one file, or all that a program
    has."""
    error = chance.choice((errno.EIO, errno.ENOSPC))
    left = chance.choice((1, 2, 5, orders.EVERY))
    program, part, calls, _ = _file(chance)
    everything = orders.WRITE | orders.PWRITE | orders.SYNC | orders.RENAME | orders.TRUNCATE
    whole = chance.random() < 0.3
    yield Deed(
        at,
        "order",
        (),
        Order(
            program,
            "/" if whole else part,
            everything if whole else _call(chance, calls),
            orders.FAIL,
            skip=chance.choice((0, 0, 1, 3)),
            left=left,
            error=error,
        ),
    )


def _stderr(chance, at):
    """Who reads the messages stalls, for longer than the attack at times, or is gone."""
    if chance.random() < 0.3:
        yield Deed(at, "leave", ("stderr",))
    else:
        yield Deed(at, "stall", ("stderr",), chance.choice((0.5, 1.5, 30)))


def _damage(chance, at):
    """The spool or the acks, or their end, are gone."""
    act, victim = chance.choice(DAMAGES), chance.choice(("emit", "emit", SERVICE, None))
    if act not in DAMAGES_OF_RUNNING:
        victim = victim or "emit"
    yield Deed(at, "damage", (victim,) if victim else (), Damage(act, chance.random()))


_DRAW = {
    "kill": _kill,
    "stop": _stop,
    "long stop": _long_stop,
    "die": _die,
    "tear": _tear,
    "stop within": _stop_within,
    "slow": _slow,
    "fail": _fail,
    "stderr": _stderr,
    "hang": _hang,
    "damage": _damage,
}


# --- what happens to the node ---


def _changes(chance):
    """(at, command): ports go down, NICs go, a counter counts, the kernel complains. Of one NIC
    only ever the same: one that comes back with its port down, before anybody has seen it, stays
    gone, and nobody knows what was seen."""
    times = sorted(chance.uniform(0, ATTACK_SECONDS) for _ in range(chance.randint(3, 10)))
    goes = {device: chance.random() < 0.35 for device in DEVICES}
    is_well, downs, counted, lines = (
        dict.fromkeys(DEVICES, True),
        dict.fromkeys(DEVICES, 0),
        False,
        0,
    )
    for at in times:
        device, luck = chance.choice(DEVICES), chance.random()
        if luck < 0.35:
            lines += 1
            yield at, ("kmsg", complaint(device, lines))
        elif device == COUNTED:
            if not counted:
                yield at, ("add", f"{COUNTED}/1", "counters/link_downed", "1")
            counted = True
        elif not is_well[device]:
            is_well[device] = True
            yield at, ("restore", device) if goes[device] else ("up", f"{device}/1")
        elif goes[device] or downs[device] < MOST_DOWN:
            is_well[device] = False
            downs[device] += 1
            yield at, ("remove", device) if goes[device] else ("down", f"{device}/1")


def _last_changes():
    """When all works again, it must show: one line more, and a port that goes down."""
    yield "kmsg", complaint(DEVICES[0], 100)
    yield "down", f"{COUNTED}/1"


def complaint(device, number):
    """A line of the kernel's log: no other is like it."""
    bus = {"mlx5_1": 0x18, "mlx5_2": 0x3A, "mlx5_3": 0x9A, "mlx5_4": 0xBA}[device]
    return (
        f"mlx5_core 0000:{bus:02x}:00.0: wait_func:1176:(pid {number}): ENABLE_HCA(0x104) timeout."
        " Will cause a leak of a command resource"
    )
