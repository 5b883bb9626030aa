# SPDX-License-Identifier: Apache-2.0
"""The orders for havoc.c and its notes, in memory that all programs of a room share, with the
layouts of havoc.c."""

import mmap
import os
import struct
from typing import NamedTuple

WRITE, PWRITE, SYNC, RENAME, TRUNCATE, OPEN, STAT = 1, 2, 4, 8, 16, 32, 64
FAIL, TEAR, TEAR_AND_DIE, SLOW, DIE_BEFORE, DIE_AFTER, STOP = range(1, 8)
EVERY = 1 << 30

_ORDERS, _PROCESSES, _NOTE_BYTES = 32, 512, 512
_ORDER = struct.Struct("=IIIiiiIII16s64s")
_PROCESS = struct.Struct("=I16s")
_COUNT_AT = _ORDERS * _ORDER.size
_PROCESSES_AT = _COUNT_AT + 4
_NOTES_AT = _PROCESSES_AT + _PROCESSES * _PROCESS.size


class Order(NamedTuple):
    """What happens inside a call."""

    program: str  # "": any
    part: str  # of the path
    calls: int
    action: int
    skip: int = 0
    left: int = 1
    error: int = 0
    delay_ms: int = 0
    number: int = 0  # unique in a room


class Orders:
    """The orders of one room, in a file that is made if missing."""

    def __init__(self, path):
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        os.ftruncate(descriptor, _NOTES_AT + 4 + _NOTE_BYTES)
        self.memory = mmap.mmap(descriptor, 0)
        os.close(descriptor)
        self.given = []

    def give(self, order):
        """Put an order in force."""
        place = len(self.given)
        assert place < _ORDERS
        self.given.append(order)
        packed = _ORDER.pack(
            0,
            order.calls,
            order.action,
            order.skip,
            order.left,
            order.error,
            order.delay_ms,
            0,
            0,
            order.program.encode(),
            order.part.encode(),
        )
        at = place * _ORDER.size
        self.memory[at : at + _ORDER.size] = packed
        self.memory[at : at + 4] = struct.pack("=I", 1)

    def end(self, order):
        """End an order, whatever is left of it."""
        at = self.given.index(order) * _ORDER.size
        self.memory[at : at + 4] = struct.pack("=I", 0)

    def end_all(self):
        for order in self.given:
            self.end(order)

    def hits(self, order):
        """Return how often it has struck."""
        return _ORDER.unpack_from(self.memory, self.given.index(order) * _ORDER.size)[7]

    def keeps_waiting(self, order):
        """Return the process inside it, or killed there; 0: none."""
        return _ORDER.unpack_from(self.memory, self.given.index(order) * _ORDER.size)[8]

    def processes(self):
        """Return [(pid, program)] of all processes so far, in order of their start."""
        count = struct.unpack_from("=I", self.memory, _COUNT_AT)[0]
        found = []
        for place in range(min(count, _PROCESSES)):
            pid, program = _PROCESS.unpack_from(self.memory, _PROCESSES_AT + place * _PROCESS.size)
            if pid:
                found.append((pid, program.rstrip(b"\0").decode()))
        return found

    def close(self):
        """Unmap the memory. (Python's own clean-up could close a descriptor of a process that
        forks meanwhile.)"""
        self.memory.close()

    def note(self):
        """Return what it has noted without an order, or None."""
        if struct.unpack_from("=I", self.memory, _NOTES_AT)[0] == 0:
            return None
        return self.memory[_NOTES_AT + 4 :].partition(b"\0")[0].decode()
