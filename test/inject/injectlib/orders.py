# SPDX-License-Identifier: Apache-2.0
"""Writes the orders for inject.c and reads its counts. The layout is that of its struct order."""

import errno
import mmap
import os
import struct

KINDS = (
    *("memory", "read", "write", "sync", "rename", "open", "connect", "truncate"),
    *("descriptor", "process", "map", "watch", "wait"),
)
# Errors of each kind of call. Calls that may block may also be interrupted.
ERRORS = {
    "memory": (errno.ENOMEM,),
    "read": (errno.EIO, errno.EINTR),
    "write": (errno.ENOSPC, errno.EIO, errno.EINTR),
    "sync": (errno.EIO,),
    "rename": (errno.ENOSPC, errno.EROFS),
    "open": (errno.EMFILE, errno.EIO),
    "connect": (errno.ECONNREFUSED,),
    "truncate": (errno.EIO,),
    "descriptor": (errno.EMFILE,),
    "process": (errno.EAGAIN,),
    "map": (errno.ENOMEM,),
    "watch": (errno.ENOSPC,),
    "wait": (errno.EINTR,),
}

_FRAMES = 24
# Number of innermost frames that are inject.c's own.
_OWN_FRAMES = 2
# Offsets from here on are not in the program.
IN_LIBRARY = 1 << 40
# Native alignment, with the padding of C.
_ORDER = struct.Struct(f"@IiII{len(KINDS)}I16sI{_FRAMES}Q")
_FAILED, _CALLS = 3, 4
_COUNT = _CALLS + len(KINDS) + 1


class Order:
    """The order of one run."""

    def __init__(self, path, program, failure=None):
        """`failure` is kind, error and number of the call, or None to only count calls."""
        kind, error, number = failure or (KINDS[0], 0, 0)
        self.path = path
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        os.ftruncate(descriptor, _ORDER.size)
        self.memory = mmap.mmap(descriptor, 0)
        os.close(descriptor)
        counts = [0] * (1 + len(KINDS))
        said = (program[:15].encode(), 0, *[0] * _FRAMES)
        _ORDER.pack_into(self.memory, 0, KINDS.index(kind), error, number, *counts, *said)

    def failed(self):
        """Return the number of calls that failed."""
        return _ORDER.unpack_from(self.memory)[_FAILED]

    def calls(self):
        """Return the number of calls by kind."""
        return dict(zip(KINDS, _ORDER.unpack_from(self.memory)[_CALLS:]))

    def frames(self):
        """Return the backtrace of the failed call, innermost frame first, as offsets in the
        program."""
        count, *frames = _ORDER.unpack_from(self.memory)[_COUNT:]
        return frames[_OWN_FRAMES:count]

    def is_of_library(self):
        return any(frame >= IN_LIBRARY for frame in self.frames()[:1])
