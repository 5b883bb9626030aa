# SPDX-License-Identifier: Apache-2.0
"""fleetsetup and fleetread, and the nats-server whose stream they make and read."""

import json
import os
import signal
import subprocess
import time
from typing import NamedTuple

from . import delivery, filters
from .runs import PATIENCE_SECONDS, Ended, Run, complaints_about_end, stopped
from .writers import OTHER


class Server:
    """A nats-server, which ends with this process. It takes a port that is free."""

    def __init__(self, directory):
        os.mkdir(directory)
        self.directory = directory
        options = ["--addr", "127.0.0.1", "--port", "-1", "--jetstream", "--store_dir", directory]
        options += ["--ports_file_dir", directory]
        command = ["setpriv", "--pdeathsig", "KILL", "nats-server", *options]
        self.process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
        self.address = f"{self.await_port()}/nic"

    def await_port(self):
        path = os.path.join(self.directory, f"nats-server_{self.process.pid}.ports")
        until = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < until:
            try:
                with open(path, encoding="ascii") as file:
                    return json.load(file)["nats"][0]
            except (FileNotFoundError, ValueError):
                time.sleep(0.01)
        raise SystemExit("inject: nats-server has not begun")

    def end(self):
        self.process.kill()
        self.process.wait()


def set_up(run, server):
    """Makes the stream."""
    return run.finish(["fleetsetup", "--replicas", "1", server.address])


def is_foreign(end, order):
    """libnats 3.4 crashes at many places when it runs out of memory, as where it parses answers."""
    return end.code == -signal.SIGSEGV and order.is_of_library()


class SetUp(NamedTuple):
    """What came of both runs."""

    code: int  # of the first
    is_foreign: bool
    stderr: str
    ends: list
    said: list


class Fleetsetup(filters.Filter):
    """It makes a stream, of a server of its own. Whatever became of that: the next one sees to
    it."""

    name = program = "fleetsetup"
    stride = 200

    def play(self, setting, room, failure):
        first = Run(setting, room, self.program, failure)
        server = Server(os.path.join(room, "nats"))
        try:
            ends = [set_up(run, server) for run in (first, Run(setting, room, OTHER))]
        finally:
            server.end()
        stderr = "".join(f"[{end.code}] {end.stderr}" for end in ends)
        said = [end.stdout.decode().partition(": events")[0] for end in ends]
        foreign = is_foreign(ends[0], first.order)
        return first.order, SetUp(ends[0].code, foreign, stderr, ends, said)

    def judge(self, ended, reference):
        complaints = []
        for number, end in enumerate(ended.ends):
            if number == 0 and ended.is_foreign:
                continue
            found = complaints_about_end(end, [self.program], self.codes)
            complaints += [f"run {number + 1}: {line}" for line in found]
        if ended.ends[1].code != 0:
            complaints.append("the run after it has failed, too")
        made, kept = "stream nic: made", "stream nic: as it was"
        possible = [[made, kept]] if ended.code == 0 else [["", made], ["", kept]]
        # What it has done it cannot always say.
        if ended.code == 74:
            possible = [["", kept]]
        if ended.said not in possible:
            complaints.append(f"exit code {ended.code}, and said: {ended.said}")
        return complaints


class Read(NamedTuple):
    """What came of a run."""

    code: int
    stderr: str
    end: Ended
    events: list
    is_marked: bool  # up to the last
    is_foreign: bool  # see is_foreign()


class Fleetread(filters.Filter):
    """It reads behind what is acknowledged, up to a mark behind the last event."""

    name = program = "fleetread"
    stride = 200
    count = 5
    acknowledged = 2

    def prepare(self, setting):
        directory = os.path.join(setting.inputs, self.name)
        os.mkdir(directory)
        self.server = Server(os.path.join(directory, "nats"))
        set_up(Run(setting, directory, OTHER), self.server)
        self.events = [delivery.event("writer0", seq) for seq in range(1, self.count + 1)]
        given = os.path.join(directory, "events")
        with open(given, "wb") as file:
            file.writelines(map(filters.as_line, self.events))
        command = ["emit", "--sink", f"nats:{self.server.address}"]
        Run(setting, directory, OTHER).finish(command, given)
        self.acks = os.path.join(directory, "acks.json")
        marks = records(self.listen(Run(setting, directory, OTHER)).stdout)
        acks = {marks[-1]["source"]: self.acknowledged}
        with open(self.acks, "w", encoding="ascii") as file:
            json.dump({"version": 1, "acks": acks, "receiver": "r"}, file)

    def close(self):
        self.server.end()

    def listen(self, run):
        """Until it has marked all, or ended."""
        return stopped(run, ["fleetread", "--acks", self.acks, self.server.address], self.is_all)

    def is_all(self, text):
        """Whether there is a mark behind the last event."""
        last = f'"seq":{self.count}}}'.encode()
        marks = [line for line in text.splitlines() if line.startswith(b'{"kind":"mark"')]
        return any(mark.endswith(last) for mark in marks)

    def play(self, setting, room, failure):
        run = Run(setting, room, self.program, failure)
        end = self.listen(run)
        events = [record for record in records(end.stdout) if record["kind"] == "event"]
        return run.order, Read(
            *(end.code, end.stderr, end, events),
            *(self.is_all(end.stdout), is_foreign(end, run.order)),
        )

    def judge(self, ended, reference):
        complaints = []
        if not ended.is_foreign:
            complaints += complaints_about_end(ended.end, [self.program], self.codes)
        if ended.code == 0 and not ended.is_marked:
            complaints.append("it ended before it had marked all")
        # Acks that could not be read acknowledge nothing, until they can be.
        doubts = "nothing counts as received" in ended.stderr
        known = self.events[0 if doubts else self.acknowledged :]
        complaints += [f"not true, or again: {one}" for one in ended.events if one not in known]
        first = list(dict.fromkeys(one["seq"] for one in ended.events))
        if first != sorted(first):
            complaints.append(f"order: {first}")
        if len(first) < len(ended.events) and not doubts:
            complaints.append(f"again: {[one['seq'] for one in ended.events]}")
        missing = [one for one in self.events[self.acknowledged :] if one["seq"] not in first]
        if ended.is_marked:
            complaints += [f"marked, and lost: {one}" for one in missing]
        return complaints


def records(text):
    """Of whole lines."""
    return [json.loads(line) for line in text.split(b"\n")[:-1]]
