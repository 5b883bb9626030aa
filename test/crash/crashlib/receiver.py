"""Plays emit: keeps every event under (source, seq), and publishes how far each source is complete."""

import json
import os


# Events behind a hole that tell that it will not close.
BEHIND_HOLE = 200


class Receiver:
    """What came out of ctreval, and the acks file."""

    def __init__(self, acks_path):
        self.acks_path = acks_path
        self.lines = {}
        self.events = []
        self.duplicates = 0
        self.complaints = []
        self.highest = {}
        self.published = {}

    def take(self, line):
        """True when the event is new."""
        try:
            event = json.loads(line)
            name = (event["source"], event["seq"])
            if event["kind"] != "event" or event["id"] != f"{name[0]}-{name[1]}":
                raise ValueError("id is not source-seq")
            self.highest.setdefault(name[0], 0)
        except (ValueError, KeyError, TypeError) as error:
            self.complaints.append(f"a line that is no event ({error!r}): {line[:200]!r}")
            return False
        known = self.lines.get(name)
        if known is None:
            self.lines[name] = line
            self.events.append(event)
            while (name[0], self.highest[name[0]] + 1) in self.lines:
                self.highest[name[0]] += 1
            return True
        if known == line:
            self.duplicates += 1
        else:
            self.complaints.append(f"contradiction: {event['id']} has two contents:\n    {known.decode().strip()}\n"
                                   f"    {line.decode(errors='replace').strip()}")
        return False

    def is_stuck(self):
        """Nothing can be acked any more: what the program sends again at each start only grows from here."""
        return len(self.lines) - sum(self.highest.values()) > BEHIND_HOLE

    def torn(self, rest):
        self.complaints.append(f"a torn line, the program was killed inside a record: {rest[:200]!r}")

    def publish(self):
        """Atomically, as emit does."""
        if self.published == self.highest:
            return
        self.published = dict(self.highest)
        temporary = self.acks_path + ".new"
        with open(temporary, "w", encoding="ascii") as file:
            json.dump({"version": 1, "acks": self.published}, file)
        os.rename(temporary, self.acks_path)

    def holes(self):
        """(source, seq) of what is missing below the highest seq that came."""
        top = {}
        for source, seq in self.lines:
            top[source] = max(top.get(source, 0), seq)
        return [(source, seq) for source, last in top.items()
                for seq in range(1, last + 1) if (source, seq) not in self.lines]
