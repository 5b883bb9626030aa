# SPDX-License-Identifier: Apache-2.0
"""emit: acknowledged events are stored, and stored events are delivered."""

import contextlib
import json
import os
import shutil
import signal
import sqlite3
from typing import NamedTuple

from . import filters, receivers
from .runs import Ended, Run, complaints_about_end
from .writers import OTHER

# glibc's message about a double free.
FREED_TWICE = "free(): double free detected in tcache 2"


def event(source, seq):
    return {
        **{"kind": "event", "id": f"{source}-{seq}", "source": source, "seq": seq},
        **{"version": 1, "agent": "nic-health-monitor", "componentClass": "NIC"},
        **{"checkName": "InfiniBandStateCheck", "isFatal": seq % 2 == 1},
        **{"isHealthy": seq % 2 == 0, "message": f"event {seq} of {source}"},
        **{"recommendedAction": "REPLACE_VM" if seq % 2 == 1 else "NONE"},
        **{"errorCode": ["port_state"], "metadata": {}, "nodeName": "node"},
        "entitiesImpacted": [{"entityType": "NIC", "entityValue": f"mlx5_{source[-1]}"}],
        "generatedTimestamp": f"2026-11-23T00:00:{seq:02}.000000Z",
        "processingStrategy": "EXECUTE_REMEDIATION",
    }


class Delivered(NamedTuple):
    """The result of all runs."""

    code: int  # of the first one
    stderr: str
    ends: tuple
    arrived: tuple  # events, in the order in which they came
    complaints: tuple


def acknowledged(path):
    if not os.path.exists(path):
        return {}
    with open(path, encoding="ascii") as file:
        return json.load(file)["acks"]


def stored(path):
    """Return the names of the events in a copy of the spool, because opening a spool repairs it. An
    unreadable spool has none."""
    copy = f"{path}.copy"
    for suffix in ("", "-wal"):
        if os.path.exists(path + suffix):
            shutil.copyfile(path + suffix, copy + suffix)
    try:
        with contextlib.closing(sqlite3.connect(f"file:{copy}?mode=rw", uri=True)) as database:
            return set(database.execute("SELECT source, seq FROM event"))
    except sqlite3.Error:
        return set()
    finally:
        for suffix in ("", "-wal", "-shm"):
            with contextlib.suppress(FileNotFoundError):
                os.unlink(copy + suffix)


def beyond(acks, names):
    return [
        f"acknowledged and not in the spool: {source}-{seq}"
        for source, last in acks.items()
        for seq in range(1, last + 1)
        if (source, seq) not in names
    ]


def in_order(arrived, sent):
    """Return complaints about the arrivals, and the names of those that arrived again."""
    seen, again, complaints = set(), [], []
    for one in arrived:
        name = (one["source"], one["seq"])
        if one not in sent:
            complaints.append(f"not true: {one}")
        elif name in seen:
            again.append(name)
        elif name[1] != 1 and (name[0], name[1] - 1) not in seen:
            complaints.append(f"order: {name} came too soon")
        seen.add(name)
    return complaints, again


class Emit(filters.Filter):
    """emit delivers the events of two writers to one sink."""

    program = "emit"
    stride = 200
    count = 2
    sink = receivers.File

    def prepare(self, setting):
        self.sink.prepare(setting.inputs)
        self.events = [
            event(source, seq)
            for seq in range(1, self.count + 1)
            for source in ("writer0", "writer1")
        ]

    def live(self, run, room, sink, *options, acks=None):
        """Run emit once, with the events that are not acknowledged."""
        given = os.path.join(room, "input")
        with open(given, "wb") as file:
            for one in self.events:
                if one["seq"] > (acks or {}).get(one["source"], 0):
                    file.write(filters.as_line(one))
        return run.finish(["emit", *options, "--sink", sink.spec, *sink.options], given)

    def deliver(self, ends, sink, complaints=()):
        """Return the result of all runs."""
        sink.close()
        stderr = "".join(f"[{end.code}] {end.stderr}" for end in ends)
        complaints = (*complaints, *sink.complaints)
        return Delivered(ends[0].code, stderr, tuple(ends), tuple(sink.arrived()), complaints)

    def judge(self, ended, reference):
        complaints = list(ended.complaints)
        for number, end in enumerate(ended.ends):
            found = complaints_about_end(end, [self.program], self.codes)
            complaints += [f"run {number + 1}: {line}" for line in found]
        wrong, again = in_order(ended.arrived, [self.shown(one) for one in self.events])
        complaints += wrong
        # If the arrival of an event is unknown, emit sends it again, but only once.
        if ended is reference or len(set(again)) < len(again):
            complaints += [f"came again: {name}" for name in again]
        if ended.ends[-1].code == 0:
            names = [(one["source"], one["seq"]) for one in ended.arrived]
            complaints += [
                f"lost: {one['id']}"
                for one in self.events
                if (one["source"], one["seq"]) not in names
            ]
        return complaints

    def shown(self, one):
        """Return an event as it looks at the sink."""
        return self.sink.shown(one)


class EmitMemory(Emit):
    """Without a spool. The exit status reports events that could not be delivered."""

    name = "emit-memory"

    def play(self, setting, room, failure):
        run, sink = Run(setting, room, self.program, failure), self.sink(room)
        return run.order, self.deliver([self.live(run, room, sink)], sink)


class EmitSpool(Emit):
    """With spool and acks. The writers send unacknowledged events again."""

    name = "emit-spool"
    count = 6

    def play(self, setting, room, failure):
        first, sink = Run(setting, room, self.program, failure), self.sink(room)
        ends, complaints = [], []
        spool, acks = os.path.join(room, "spool.db"), os.path.join(room, "acks.json")
        for run in (first, Run(setting, room, OTHER)):
            options = ["--spool", spool, "--acks", acks]
            ends.append(self.live(run, room, sink, *options, acks=acknowledged(acks)))
            complaints += beyond(acknowledged(acks), stored(spool))
        return first.order, self.deliver(ends, sink, complaints)

    def judge(self, ended, reference):
        complaints = super().judge(ended, reference)
        if ended.ends[-1].code != 0:
            complaints.append("the run after it has failed, too")
        return complaints


class EmitAgain(EmitSpool):
    """emit starts with a spool of events that its sink could not accept. Like SQLite, it treats a
    failed read as damage, and takes over the readable part of the spool."""

    name = "emit-again"
    count = 4

    def prepare(self, setting):
        super().prepare(setting)
        self.kept = os.path.join(setting.inputs, self.name)
        os.makedirs(os.path.join(self.kept, "sink"))
        sooner = [one for one in self.events if one["seq"] <= 2]
        given = os.path.join(self.kept, "input")
        with open(given, "wb") as file:
            file.write(b"".join(map(filters.as_line, sooner)))
        command = ["emit", "--spool", f"{self.kept}/spool.db", "--acks", f"{self.kept}/acks.json"]
        command += ["--flush-timeout", "10ms", "--sink", self.sink.spec]
        Run(setting, self.kept, OTHER).finish(command, given)

    def play(self, setting, room, failure):
        for name in ("spool.db", "acks.json"):
            shutil.copy(os.path.join(self.kept, name), room)
        return super().play(setting, room, failure)

    def judge(self, ended, reference):
        """A spool that cannot be opened delays no new event; its own events are delivered later."""
        complaints = super().judge(ended, reference)
        if "events are kept in memory and delivered, but not acknowledged" in ended.ends[0].stderr:
            complaints = [line for line in complaints if not line.startswith("order: ")]
        return complaints


class EmitWebhook(EmitMemory):
    """emit with a web server."""

    name = "emit-webhook"
    stride = 500
    sink = receivers.Webhook


class EmitTls(EmitWebhook):
    """emit with a web server over TLS."""

    name = "emit-tls"
    stride = 1500
    sink = receivers.Https

    def live(self, run, room, sink, *options, acks=None):
        """libcurl 7.88 frees the server's name twice at the end if it had no memory to store the
        TLS session. By then everything was delivered."""
        end = super().live(run, room, sink, *options, acks=acks)
        said = end.stderr.splitlines()
        if end.code != -signal.SIGABRT or FREED_TWICE not in said or not run.order.is_of_library():
            return end
        return Ended(0, end.stdout, "\n".join(line for line in said if line != FREED_TWICE))


class EmitConnector(EmitMemory):
    """emit with a Platform Connector."""

    name = "emit-connector"
    stride = 500
    sink = receivers.Connector
