# SPDX-License-Identifier: Apache-2.0
"""Plays emit's first half: stores each event once and in the order of its stream, and says in the
acks file what it has.

A receiver that dies forgets what it had read and not acknowledged; the next has another name, and
the writer writes again what nobody has. What comes too early is held back meanwhile, as emit does
(its sources.h says why).
"""

import json
import os

from .trouble import Trouble


class Spool:
    """Everything that has been stored, in order. `path` of the acks file, or None: the writer looks
    for none."""

    def __init__(self, path):
        self.path = path
        self.events = []  # stored
        self.told = 0  # of them, those that take_new() has given
        self.stored = {}  # source -> its highest number here
        self.held = {}  # (source, seq) -> event, which waits for the one before it
        self.lines = {}  # (source, seq) -> line as it came first
        self.acked = {}
        self.receivers = 0
        self.starts_anew()

    def take(self, line):
        """A line of the writer's."""
        try:
            event = json.loads(line)
            # What becomes of an event that stands, which nobody has to believe.
            if event["kind"] == "update":
                return
            name = event["source"], event["seq"]
            if event["kind"] != "event" or event["id"] != f"{name[0]}-{name[1]}":
                raise ValueError("no event")
        except (ValueError, KeyError, TypeError) as error:
            raise Trouble(f"ctreval wrote a line that is not an event: {line[:200]!r}") from error
        if self.lines.setdefault(name, line) != line:
            raise Trouble(
                f"{name[0]}-{name[1]} has two contents:\n  {self.lines[name].decode()} "
                f" {line.decode()}"
            )
        source, seq = name
        if seq <= self.stored.get(source, 0):
            return
        self.held[name] = event
        while (source, self.stored.get(source, 0) + 1) in self.held:
            self.stored[source] = self.stored.get(source, 0) + 1
            self.events.append(self.held.pop((source, self.stored[source])))

    def has_all_of(self, source, seq):
        """Whether every event of the stream up to this one is stored."""
        return self.stored.get(source, 0) >= seq

    def acknowledge(self):
        """What is stored may be forgotten by its writer."""
        self.acked = dict(self.stored)
        self._publish()

    def take_new(self):
        """What has been stored since this was last asked."""
        new, self.told = self.events[self.told :], len(self.events)
        return new

    def dies(self, kept):
        """Is killed, and starts anew: what is beyond `kept` events and was not acknowledged is lost
        with it. How many are left."""
        while len(self.events) > kept:
            event = self.events[-1]
            if event["seq"] <= self.acked.get(event["source"], 0):
                break
            self.stored[event["source"]] = event["seq"] - 1
            self.events.pop()
        self.held = {}
        self.told = min(self.told, len(self.events))
        self.starts_anew()
        return len(self.events)

    def starts_anew(self):
        """Under another name."""
        self.receivers += 1
        self._publish()

    def loses_acks(self):
        """The file is gone, as with a boot."""
        if self.path is not None:
            os.unlink(self.path)

    def _publish(self):
        if self.path is None:
            return
        with open(self.path + ".new", "w", encoding="ascii") as file:
            json.dump(
                {"version": 1, "acks": self.acked, "receiver": f"receiver-{self.receivers}"}, file
            )
        os.rename(self.path + ".new", self.path)
