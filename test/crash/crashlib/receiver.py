# SPDX-License-Identifier: Apache-2.0
"""Plays emit: stores every event by (source, seq), and publishes how far each source is complete.

When it restarts, it has a new name and has forgotten the events it had not acknowledged, like an
emit killed between reading the pipe and storing. Then only the writer has these events, and it must
write them again.
"""

import json
import os


# This many events after a hole prove that it stays: far more than a pipe holds and a program writes
# before it reads the acks again.
BEHIND_HOLE = 1000


class Receiver:
    """The events of ctreval, and the acks file."""

    def __init__(self, acks_path):
        self.acks_path = acks_path
        self.lines = {}
        self.events = []
        self.duplicates = 0
        self.complaints = []
        self.highest = {}
        self.published = {}
        self.starts = 1
        self.said = None
        # Names of events that the receiver forgot when it restarted.
        self.forgotten = set()
        # Per source: the last event, and all published acks.
        self.last, self.acked = {}, {}
        self.in_order = True

    def take(self, line):
        """Store an event. Return true if it is new."""
        try:
            event = json.loads(line)
            # An update of a standing event is not stored.
            if event["kind"] == "update":
                return False
            name = (event["source"], event["seq"])
            if event["kind"] != "event" or event["id"] != f"{name[0]}-{name[1]}":
                raise ValueError("id is not source-seq")
            self.highest.setdefault(name[0], 0)
        except (ValueError, KeyError, TypeError) as error:
            self.complaints.append(f"a line that is not an event ({error!r}): {line[:200]!r}")
            return False
        self.check_order(*name)
        known = self.lines.get(name)
        if known is None:
            self.lines[name] = line
            self.events.append(event)
            self.advance(name[0])
            return True
        if known != line:
            self.complaints.append(
                f"contradiction: {event['id']} has two contents:\n    {known.decode().strip()}\n"
                f"    {line.decode(errors='replace').strip()}"
            )
        elif name in self.forgotten:
            self.forgotten.remove(name)
            self.advance(name[0])
        else:
            self.duplicates += 1
        return False

    def has(self, name):
        return name in self.lines and name not in self.forgotten

    def check_order(self, source, seq):
        """Check the order: a writer that starts or meets a new receiver continues after an
        acknowledged event."""
        last = self.last.get(source, 0)
        self.last[source] = seq
        if self.in_order and seq != last + 1 and seq - 1 not in self.acked.get(source, {0}):
            self.in_order = False
            self.complaints.append(f"order: {source}-{seq} came after {source}-{last}")

    def advance(self, source):
        while self.has((source, self.highest[source] + 1)):
            self.highest[source] += 1

    def restart(self):
        """Restart as after a kill: only the published events are left."""
        self.starts += 1
        self.forgotten = {name for name in self.lines if name[1] > self.published.get(name[0], 0)}
        self.highest = {source: self.published.get(source, 0) for source in self.highest}
        self.publish()

    def is_stuck(self):
        """Return whether a hole stops the acks: what the program sends again at each start would
        only grow."""
        return len(self.lines) - len(self.forgotten) - sum(self.highest.values()) > BEHIND_HOLE

    def torn(self, rest):
        self.complaints.append(
            f"a torn line, the program was killed inside a record: {rest[:200]!r}"
        )

    def publish(self):
        """Replace the acks file atomically, as emit does."""
        says = {"version": 1, "acks": dict(self.highest), "receiver": f"receiver-{self.starts}"}
        if says == self.said:
            return
        self.said, self.published = says, says["acks"]
        for source, seq in self.published.items():
            self.acked.setdefault(source, {0}).add(seq)
        temporary = self.acks_path + ".new"
        with open(temporary, "w", encoding="ascii") as file:
            json.dump(says, file)
        os.rename(temporary, self.acks_path)

    def holes(self):
        """Return (source, seq) of the events missing before the highest seq of each source."""
        top = {}
        for source, seq in self.lines:
            top[source] = max(top.get(source, 0), seq)
        return [
            (source, seq)
            for source, last in top.items()
            for seq in range(1, last + 1)
            if not self.has((source, seq))
        ]
