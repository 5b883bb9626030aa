# SPDX-License-Identifier: Apache-2.0
"""Damages emit's spool and acks, and remembers what they contained."""

import contextlib
import os
import shutil
import sqlite3


_CUT = {"cut wal": "-wal", "cut shm": "-shm", "cut spool": ""}


def remember(spool, lives):
    """Return the content of a spool: (rows as in delivery.read_spool(), ids of events that came
    after their answer). Reads a copy if no process has the spool open, because opening it would
    repair it."""
    if not os.path.exists(spool):
        return [], set()
    path = spool if lives else spool + ".copy"
    try:
        if not lives:
            for suffix in ("", "-wal"):
                with contextlib.suppress(FileNotFoundError):
                    shutil.copyfile(spool + suffix, path + suffix)
        with contextlib.closing(sqlite3.connect(path)) as database:
            rows = database.execute(
                "SELECT source, seq, record, answered_by IS NOT NULL FROM event"
            ).fetchall()
    except sqlite3.Error:
        # The spool has no tables yet, or is already damaged.
        rows = []
    finally:
        if not lives:
            _delete(path)
    return [row[:3] for row in rows], {
        f"{source}-{seq}" for source, seq, _, answered in rows if answered
    }


def do(damage, spool, acks):
    """Return false if there was nothing to damage."""
    if damage.act in _CUT:
        return _change(spool + _CUT[damage.act], damage.place, lambda file, at: file.truncate(at))
    if damage.act == "flip wal":
        return _change(spool + "-wal", damage.place, _flip)
    has_deleted = False
    if damage.act in ("delete spool", "delete both"):
        has_deleted = _delete(spool)
    if damage.act in ("delete acks", "delete both"):
        with contextlib.suppress(FileNotFoundError):
            os.unlink(acks)
            has_deleted = True
    return has_deleted


def _delete(spool):
    found = [spool + suffix for suffix in ("", "-wal", "-shm") if os.path.exists(spool + suffix)]
    for path in found:
        os.unlink(path)
    return bool(found)


def _change(path, place, change):
    try:
        with open(path, "r+b") as file:
            size = file.seek(0, os.SEEK_END)
            if size > 0:
                change(file, int(place * size))
            return size > 0
    except FileNotFoundError:
        return False


def _flip(file, at):
    file.seek(at)
    byte = file.read(1)[0]
    file.seek(at)
    file.write(bytes([byte ^ 1 << at % 8]))
