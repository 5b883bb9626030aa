# SPDX-License-Identifier: Apache-2.0
"""Programs with state: ctreval and logmatch, with a state file and a receiver that acknowledges.
The run with the failed call is followed by an undisturbed one: then every event was written
once."""

import copy
import os
import re
import select
import shutil
import signal
import time
from typing import NamedTuple

from crashlib.kernellog import CLOSING
from crashlib.receiver import Receiver

from . import filters
from .runs import PATIENCE_SECONDS, Ended, Run, code_at_end, complaints_about_end
from .stories import STORY, config, kernel_log, scan

# With this program name in the order, no call fails.
OTHER = "-"
# Ends of the last lines of the log's parts, each of which must be reported.
LATER = ("AFTER(0xe)", "LATER(0xf)")
# The number of scans in the story until then.
PORT_IS_DOWN = 4
MARK = b'{"kind":"fed"}\n'


class Told(NamedTuple):
    """The result of both runs."""

    code: int
    stderr: str
    ends: tuple  # of each run
    events: tuple  # what they say, but for their numbers and times
    complaints: tuple


class Talk:
    """A program between two pipes, with a receiver."""

    def __init__(self, run, command, receiver, stdin=None):
        self.receiver = receiver
        self.marks = 0
        self.rest = b""
        self.error_path = os.path.join(run.room, "stderr")
        self.until = time.monotonic() + PATIENCE_SECONDS
        self.out, out = os.pipe()
        given, self.into = os.pipe()
        with open(self.error_path, "wb") as error:
            self.process = run.start(command, given, out, error)
        os.close(given)
        os.close(out)
        self.open = True

    def say(self, data):
        """Write to the program. Return false if it no longer reads."""
        try:
            os.write(self.into, data)
        except BrokenPipeError:
            return False
        return True

    def listen_until(self, is_enough):
        """Read until is_enough(). Return false if the program ended or hangs before that."""
        while not is_enough():
            left = self.until - time.monotonic()
            if not self.open or left <= 0 or not select.select([self.out], [], [], left)[0]:
                return False
            data = os.read(self.out, 1 << 16)
            self.open = data != b""
            *lines, self.rest = (self.rest + data).split(b"\n")
            for line in lines:
                self.take(line + b"\n")
        return True

    def take(self, line):
        if line == MARK:
            self.marks += 1
        elif not line.startswith(b'{"kind":"gap"'):
            self.receiver.take(line)
            self.receiver.publish()

    def end(self):
        """End the input, read all output and wait for the end."""
        os.close(self.into)
        self.listen_until(lambda: False)
        code = code_at_end(self.process, self.until - time.monotonic())
        os.close(self.out)
        if self.rest:
            self.receiver.torn(self.rest)
        with open(self.error_path, encoding="utf-8", errors="replace") as file:
            return Ended(code, b"", file.read())


# Metadata that names other events, whose numbers may differ.
NAMES = ("group", "cause", "observed")
NUMBERS = ("source", "seq", "id", "generatedTimestamp")


def saying(event):
    """Return an event without its number and time."""
    metadata = {key: key in NAMES or value for key, value in event["metadata"].items()}
    metadata.pop("observed", None)
    # The rate differs if the counter was read a second later.
    message = re.sub(r"rate=[0-9.]+", "rate=", event["message"])
    return {**filters.without(event, NUMBERS), "metadata": metadata, "message": message}


def told(receiver, ends):
    complaints = [*receiver.complaints, *(f"hole: {name}" for name in receiver.holes())]
    stderr = "".join(f"[{end.code}] {end.stderr}" for end in ends)
    events = tuple(map(saying, receiver.events))
    return Told(ends[0].code, stderr, tuple(ends), events, tuple(complaints))


class Writer(filters.Filter):
    """Base class. `begin` makes the initial files and the receiver."""

    finds_state = False

    def begin(self, room):
        return new_receiver(room)

    def tell(self, setting, room, receiver, failure=None):
        first = Run(setting, room, self.program, failure)
        ends = [self.live(run, room, receiver) for run in (first, Run(setting, room, OTHER))]
        return first.order, told(receiver, ends)

    def prepare(self, setting):
        """Find also the events of a program that cannot use its state."""
        self.set_up(setting)
        room = make_room(setting, f"{self.name}-broken")
        receiver = self.begin(room)
        with open(os.path.join(room, "state.json"), "w", encoding="ascii") as file:
            file.write("broken\n")
        self.forgetful = self.tell(setting, room, receiver)[1]

    def play(self, setting, room, failure):
        return self.tell(setting, room, self.begin(room), failure)

    def truth_for(self, end, reference):
        """Return the truth for this run: `forgetful` if the program reports that it runs without
        its state. An existing state is used even without its lock."""
        unlocked = "" if self.finds_state else "([.]lock)?"
        forgets = re.search(f"state[.]json{unlocked}: [^:]*: continuing without it: ", end.stderr)
        return self.forgetful if forgets else reference

    def judge(self, ended, reference):
        complaints = list(ended.complaints)
        for number, end in enumerate(ended.ends):
            found = complaints_about_end(end, [self.program], self.codes)
            complaints += [f"run {number + 1}: {line}" for line in found]
        if ended.ends[-1].code != 0:
            complaints.append("the run after it has failed, too")
        true = self.truth_for(ended.ends[0], reference).events
        complaints += [f"lost: {event}" for event in less(true, ended.events)]
        complaints += [f"not true, or told twice: {event}" for event in less(ended.events, true)]
        return complaints


def less(these, those):
    """Return a list without the elements of another."""
    left = list(these)
    for event in those:
        if event in left:
            left.remove(event)
    return left


def make_room(setting, name):
    room = os.path.join(setting.inputs, name)
    os.mkdir(room)
    return room


class CtrevalState(Writer):
    """ctreval gets one scan after the other, and after its end the last one again."""

    name, program = "ctreval-state", "ctreval"
    stride = 150

    def set_up(self, setting):
        self.config = config(setting)

    def begin(self, room):
        self.scan = self.world = 0
        return super().begin(room)

    def live(self, run, room, receiver, until=len(STORY)):
        state, acks = os.path.join(room, "state.json"), os.path.join(room, "acks.json")
        command = ["ctreval", "--config", self.config, "--state", state, "--acks", acks]
        talk = Talk(run, command, receiver)
        # It may not have read the last scan.
        self.world = max(0, self.world - 1)
        while self.world < until:
            self.scan += 1
            self.world += 1
            marks = talk.marks + 1
            if not talk.say(scan(self.scan, STORY[self.world - 1]) + MARK):
                break
            if not talk.listen_until(lambda least=marks: talk.marks >= least):
                break
        return talk.end()


class CtrevalAgain(CtrevalState):
    """ctreval starts with a state: a port is down and was reported."""

    name = "ctreval-again"
    finds_state = True

    def set_up(self, setting):
        super().set_up(setting)
        self.kept = make_room(setting, f"{self.name}-before")
        self.receiver = super().begin(self.kept)
        self.live(Run(setting, self.kept, OTHER), self.kept, self.receiver, PORT_IS_DOWN)
        self.left_at = self.scan, self.world

    def begin(self, room):
        self.scan, self.world = self.left_at
        return restore(self.kept, self.receiver, room)


class LogmatchState(Writer):
    """logmatch follows an existing log, which grows after its end."""

    name, program = "logmatch-state", "logmatch"
    stride = 150

    def set_up(self, setting):
        log = kernel_log()
        self.parts = [(log.text, CLOSING)]
        for status in LATER:
            record = log.record(log.time_out("0000:18:00.0", status))
            self.parts.append((record.encode(), status))
        self.options = filters.logmatch_options(setting, config(setting), log)

    def prepare(self, setting):
        """Find also the events of a logmatch that does not know the boot ID: it reads the whole log
        again."""
        super().prepare(setting)
        room = make_room(setting, f"{self.name}-bootless")
        nowhere = ["--boot-id-file", os.path.join(room, "none")]
        self.bootless = self.tell(setting, room, self.begin(room), options=nowhere)[1]

    def truth_for(self, end, reference):
        if "cannot remember the position in the log" in end.stderr:
            return self.bootless
        return super().truth_for(end, reference)

    def begin(self, room):
        self.part = 0
        return super().begin(room)

    def tell(self, setting, room, receiver, failure=None, options=()):
        first = Run(setting, room, self.program, failure)
        ends = [self.live(first, room, receiver, options)]
        ends.append(self.live(Run(setting, room, OTHER), room, receiver))
        return first.order, told(receiver, ends)

    def live(self, run, room, receiver, options=()):
        """Run it until it reports the last line of the next part."""
        text, last = self.parts[self.part]
        self.part += 1
        with open(os.path.join(room, "kmsg"), "ab") as file:
            file.write(text)
        files = [f"--kmsg={room}/kmsg", "--state", f"{room}/state.json"]
        files += ["--acks", f"{room}/acks.json"]
        talk = Talk(run, ["logmatch", *self.options, *files, *options], receiver)
        talk.listen_until(lambda: any(last in event["message"] for event in receiver.events))
        talk.process.send_signal(signal.SIGTERM)
        return talk.end()


class LogmatchAgain(LogmatchState):
    """logmatch starts with a state, and a log that has grown since."""

    name = "logmatch-again"
    finds_state = True

    def set_up(self, setting):
        super().set_up(setting)
        self.kept = make_room(setting, f"{self.name}-before")
        self.receiver = super().begin(self.kept)
        self.live(Run(setting, self.kept, OTHER), self.kept, self.receiver)

    def begin(self, room):
        self.part = 1
        return restore(self.kept, self.receiver, room)


def new_receiver(room):
    receiver = Receiver(os.path.join(room, "acks.json"))
    receiver.publish()
    return receiver


def restore(kept, receiver, room):
    """Restore the files, and return the receiver with all its events."""
    for name in os.listdir(kept):
        shutil.copyfile(os.path.join(kept, name), os.path.join(room, name))
    receiver = copy.deepcopy(receiver)
    receiver.acks_path = os.path.join(room, "acks.json")
    return receiver
