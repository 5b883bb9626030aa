# SPDX-License-Identifier: Apache-2.0
"""Draws a round from its seed: what happens to the node, and the faults of the programs and their
disk. Pure."""

import errno
import random
from typing import NamedTuple

from havoc import orders
from havoc.orders import Order

STAGES = ("ibevent", "ibscan", "topoclass", "ctreval", "logmatch", "correlate", "emit")
SERVICE, SERVER = "service", "server"

# Each device is a NIC of its own. The counted one is never removed, because a counter starts anew
# with its NIC.
DEVICES = ("mlx5_1", "mlx5_2", "mlx5_3", "mlx5_4")
COUNTED = "mlx5_4"
# A port that goes down three times within an hour flaps, which is another fault. The counted one
# goes down once by its counter, and once at the end.
MOST_DOWN = 2
# Duration of the attack, seconds.
ATTACK_SECONDS = 2.5
# A stopped stage is killed by the service well before this time.
LONG_SECONDS = 15
# A delay that stands for a hang until the order is ended.
HANG_MS = 3_600_000
# Least duration of a hang: the service reports it after 2 s.
HANG_SECONDS = 4.0


class Damage(NamedTuple):
    """Damage to emit's spool or acks."""

    act: str  # of DAMAGES
    place: float  # in a file, from 0 to 1


class Deed(NamedTuple):
    """`what` is done to `who` at `at` seconds. `value`: seconds, an Order, a Damage, or nothing."""

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
    """Draw the plan of a round."""

    deeds: tuple  # to the programs and the disk
    changes: tuple  # of the node: (at, command of nicsim)
    last_changes: tuple  # the same, when all is over
    begins_early: bool  # while the service starts


# The files that each program writes, by which calls, and whether a process that dies in the call
# may have written a part of the data.
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
# Damage to emit's files, while it runs or between its death and its next start.
DAMAGES = (
    "delete spool",
    "cut wal",
    "cut shm",
    "cut spool",
    "flip wal",
    "delete acks",
    "delete both",
)
# Damage that may also happen while emit runs. Not a cut file: if emit is writing to it, the hole
# fills with zeros, the length is right, and nobody notices before reading it.
DAMAGES_OF_RUNNING = ("delete spool", "cut shm", "delete acks", "delete both")
# Weight of each kind.
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
    """Draw the plan of a round."""
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
    """Choose one, often several, sometimes all."""
    return tuple(
        sorted(chance.sample(of, min(len(of), chance.choice((1, 1, 1, 2, 2, 3, 4, len(of))))))
    )


def _kill(chance, at):
    everybody = [*STAGES, "emit", "ctreval", SERVICE, SERVER]
    yield Deed(at, "kill", tuple(sorted(set(_some(chance, everybody)))))


def _stop(chance, at):
    yield Deed(at, "stop", _some(chance, [*STAGES, SERVICE, SERVER]), chance.uniform(0.1, 1.2))


def _long_stop(chance, at):
    """Stop a stage until the service kills it."""
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
    # Some die at the same place twice.
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
    """The disk of the spool or the acks hangs, in one call or all, for some seconds and until all
    that happened was reported."""
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
    """The disk is full or broken, for some calls or until the end of the attack: for one file, or
    for all files of a program."""
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
    """The reader of the messages stalls, sometimes longer than the attack, or exits."""
    if chance.random() < 0.3:
        yield Deed(at, "leave", ("stderr",))
    else:
        yield Deed(at, "stall", ("stderr",), chance.choice((0.5, 1.5, 30)))


def _damage(chance, at):
    """The spool or the acks are deleted or damaged."""
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
    """Draw the changes of the node as (at, command): ports go down, NICs are removed, a counter
    counts, the kernel logs an error. Each NIC has only one kind of fault: if a removed NIC came
    back with its port down before ctreval saw it, it would still count as removed, and the expected
    events would be unknown."""
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
    """The changes after the attack, which must be reported: one more log line, and a port that goes
    down."""
    yield "kmsg", complaint(DEVICES[0], 100)
    yield "down", f"{COUNTED}/1"


def complaint(device, number):
    """Return a unique line of the kernel log."""
    bus = {"mlx5_1": 0x18, "mlx5_2": 0x3A, "mlx5_3": 0x9A, "mlx5_4": 0xBA}[device]
    return (
        f"mlx5_core 0000:{bus:02x}:00.0: wait_func:1176:(pid {number}): ENABLE_HCA(0x104) timeout."
        " Will cause a leak of a command resource"
    )
