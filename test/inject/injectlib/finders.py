# SPDX-License-Identifier: Apache-2.0
"""Programs with state that derive findings from the events of others: correlate and blastradius.
After the run with the failed call they get the same events again, undisturbed: then every finding
was written once."""

import json
import os

from .analysts import TOPOLOGY, write_events
from .runs import Run
from .writers import OTHER, Writer, make_room, restore


class Finder(Writer):
    """`options`: those besides the state's."""

    options = ()
    stride = 150

    def set_up(self, setting):
        self.stdin = write_events(setting)
        with open(self.stdin, "rb") as file:
            self.events = file.readlines()
        self.given = {json.loads(line)["id"] for line in self.events}

    def live(self, run, room, receiver, stdin=None):
        """Run the program. The receiver gets the findings."""
        files = ["--state", f"{room}/state.json", "--acks", f"{room}/acks.json"]
        end = run.finish([self.program, *self.options, *files], stdin or self.stdin)
        *lines, rest = end.stdout.split(b"\n")
        for line in lines:
            if not any(f'"id":"{one}"'.encode() in line for one in self.given):
                receiver.take(line + b"\n")
        if rest:
            receiver.torn(rest)
        receiver.publish()
        return end


class CorrelateState(Finder):
    name, program = "correlate-state", "correlate"


class BlastradiusState(Finder):
    name, program = "blastradius-state", "blastradius"
    options = ("--topology", TOPOLOGY)


class Again(Finder):
    """Starts with the state after the first part of the events."""

    finds_state = True
    part = 0

    def set_up(self, setting):
        super().set_up(setting)
        self.kept = make_room(setting, f"{self.name}-before")
        self.receiver = super().begin(self.kept)
        first = os.path.join(self.kept, "first")
        with open(first, "wb") as file:
            file.writelines(self.events[: self.part])
        self.live(Run(setting, self.kept, OTHER), self.kept, self.receiver, first)
        os.unlink(first)

    def begin(self, room):
        return restore(self.kept, self.receiver, room)


class CorrelateAgain(Again):
    """The first part: a port got worse three times."""

    name, program = "correlate-again", "correlate"
    part = 6


class BlastradiusAgain(Again):
    """The first part: a switch is suspected."""

    name, program = "blastradius-again", "blastradius"
    options = ("--topology", TOPOLOGY)
    part = 10
