# SPDX-License-Identifier: Apache-2.0
"""Reads what has arrived in the spool, at the server and in the file, and checks it."""

import contextlib
import json
import os
import random
import shutil
import sqlite3

from . import sameness

# Compare the acks with the spool after this share of emit's deaths.
AUDIT_CHANCE = 0.15


def show(names):
    """Format the number of names and the first four."""
    names = [f"{source}-{seq}" for source, seq in names]
    return f"{len(names)} ({' '.join(names[:4])}{' ...' if len(names) > 4 else ''})"


def parts(identity):
    """Return source and seq of an id."""
    source, _, seq = identity.rpartition("-")
    return source, int(seq)


def read_spool(path):
    """Return (source, seq, record) in the order in which they were stored, and the refused
    events."""
    # A connection maintains an index that other processes cannot repair, so close it at once. Mode
    # rw does not create a missing file.
    with contextlib.closing(sqlite3.connect(f"file:{path}?mode=rw", uri=True)) as database:
        rows = database.execute("SELECT source, seq, record FROM event ORDER BY number").fetchall()
        refused = database.execute("SELECT event_id, reason FROM dead_letter").fetchall()
    return rows, refused


def read_acks(path):
    with open(path, encoding="ascii") as file:
        return json.load(file)["acks"]


def beyond_spool(acks, rows):
    """Return complaints about acknowledged events that are not in the spool."""
    stored = {(source, seq) for source, seq, _ in rows}
    missing = [
        (source, seq)
        for source, last in acks.items()
        for seq in range(1, last + 1)
        if (source, seq) not in stored
    ]
    return [f"acknowledged and not in the spool: {show(missing)}"] if missing else []


class Audit:
    """Compares the acks with the spool just after emit was killed. Uses copies, because opening a
    spool repairs it."""

    def __init__(self, files, seed):
        self.files = files
        self.chance = random.Random(f"{seed}/audit")
        self.looks = 0
        self.complaints = []

    def look(self):
        if (
            self.chance.random() >= AUDIT_CHANCE
            or self.complaints
            or not os.path.exists(self.files.acks)
        ):
            return
        self.looks += 1
        copy = self.files.spool + ".copy"
        for suffix in ("", "-wal"):
            if os.path.exists(self.files.spool + suffix):
                shutil.copyfile(self.files.spool + suffix, copy + suffix)
        self.complaints = beyond_spool(read_acks(self.files.acks), read_spool(copy)[0])
        for suffix in ("", "-wal", "-shm"):
            if os.path.exists(copy + suffix):
                os.unlink(copy + suffix)


class Arrivals:
    """Reads the lines appended to a file. `take` returns (id, content) of a line."""

    def __init__(self, path, take):
        self.path, self.take = path, take
        self.offset = 0
        self.order, self.contents = [], {}
        self.complaints = []
        self.duplicates = self.torn = 0

    def read(self):
        if not os.path.exists(self.path):
            return
        with open(self.path, "rb") as file:
            file.seek(self.offset)
            data = file.read()
        lines, _, _ = data.rpartition(b"\n")
        self.offset += len(lines) + 1 if lines else 0
        for line in lines.split(b"\n") if lines else []:
            self.add(line)

    def add(self, line):
        try:
            identity, content = self.take(line)
        except (ValueError, KeyError, TypeError):
            # The process was killed inside a write: the line must be written again.
            self.torn += 1
            return
        known = self.contents.setdefault(identity, content)
        if known != content:
            self.complaints.append(
                f"contradiction: {identity} has two contents:\n    {known!r}\n    {content!r}"
            )
        elif known is not content:
            self.duplicates += 1
        else:
            self.order.append(parts(identity))


def of_server(line):
    call = json.loads(line)
    return call["id"], line


def of_file(line):
    return json.loads(line)["id"], line


def judge_names(where, names, decided):
    """Check that exactly the expected events are there."""
    have, complaints = set(names), []
    if missing := [name for name in decided if name not in have]:
        complaints.append(f"{where}: lost: {show(missing)}")
    if unknown := sorted(have - set(decided)):
        complaints.append(f"{where}: decided by nobody: {show(unknown)}")
    return complaints


def judge_arrivals(where, arrivals):
    """Check that equal ids have equal events, and that each source's events arrived in order."""
    complaints = [f"{where}: {complaint}" for complaint in arrivals.complaints]
    last = {}
    for source, seq in arrivals.order:
        if seq < last.get(source, 0):
            complaints.append(f"{where}: order: {source}-{seq} came after {source}-{last[source]}")
            break
        last[source] = seq
    return complaints


def judge_spool(rows, refused):
    complaints = [f"spool: refused: {event}: {reason}" for event, reason in refused]
    times = {}
    for source, seq, _ in rows:
        times[source, seq] = times.get((source, seq), 0) + 1
    if again := [name for name, count in times.items() if count > 1]:
        complaints.append(f"spool: stored twice: {show(again)}")
    return complaints


def judge_contents(rows, arrivals):
    """Check that the server received the stored events."""
    records = {(source, seq): json.loads(record) for source, seq, record in rows}
    for identity, line in arrivals.contents.items():
        record, got = records.get(parts(identity)), json.loads(line)
        for key in ("id", "message", "isFatal", "isHealthy"):
            if record is not None and got[key] != record[key]:
                return [
                    f"server: not what was stored: {identity}: {key} is {got[key]!r} instead of"
                    f" {record[key]!r}"
                ]
    return []


def judge_writer(writer, rows):
    """Check that a writer's stored events are those of an undisturbed run."""
    state_source = writer.decided()[0][0]
    events = [json.loads(record) for source, _, record in rows if source == state_source]
    return sameness.compare(f"writer {writer.name}", events, writer.wanted())
