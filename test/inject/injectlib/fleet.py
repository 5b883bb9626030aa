# SPDX-License-Identifier: Apache-2.0
"""fleetsetup and fleetread with a stream and with a database; emit with both of them."""

import json
import os
from typing import NamedTuple

from . import delivery, filters, receivers
from .runs import Ended, Run, complaints_about_end, is_aborted, stopped
from .servers import Nats, Postgres, excused
from .writers import OTHER

CHANGES = os.path.join(os.path.dirname(__file__), "../../../dist/fleet")


class SetUp(NamedTuple):
    """The result of both runs."""

    code: int  # of the first
    stderr: str
    ends: list
    said: list


class Fleetsetup(filters.Filter):
    """fleetsetup creates a stream on its own server. If a run fails, the next one completes it."""

    name = program = "fleetsetup"
    stride = 200
    made, kept = "stream nic: created", "stream nic: unchanged"
    # The messages of its steps, in order.
    steps = ()

    def play(self, setting, room, failure):
        first = Run(setting, room, self.program, failure)
        server = Nats(os.path.join(room, "nats"))
        try:
            runs = (first, Run(setting, room, OTHER))
            return first.order, self.set_up(runs, server.address, "--replicas", "1")
        finally:
            server.end()

    def set_up(self, runs, address, *options):
        command = ["fleetsetup", *options, address]
        ends = [excused(run.finish(command), run) for run in runs]
        stderr = "".join(f"[{end.code}] {end.stderr}" for end in ends)
        said = [end.stdout.decode().partition(": events")[0] for end in ends]
        return SetUp(ends[0].code, stderr, ends, said)

    def judge(self, ended, reference):
        complaints = []
        for number, end in enumerate(ended.ends):
            found = complaints_about_end(end, [self.program], self.codes)
            complaints += [f"run {number + 1}: {line}" for line in found]
        if ended.ends[1].code != 0:
            complaints.append("the run after it has failed, too")
        possible = [[self.made, self.kept]]
        if ended.code != 0:
            # It failed after some steps, perhaps without the message of the last one.
            count = len(self.steps)
            done = [(said, said) for said in range(count + 1)]
            done += [(said, said + 1) for said in range(count)]
            possible = [["", self.made], ["", self.kept]] + [
                ["".join(self.steps[:said]), "".join(self.steps[left:]) + self.kept]
                for said, left in done
            ]
        # It may be unable to print what it has done.
        if ended.code == 74:
            possible = [["", self.kept]]
        if is_aborted(ended):
            possible.append([self.made, self.kept])
        if ended.said not in possible:
            complaints.append(f"exit code {ended.code}, and said: {ended.said}")
        return complaints


class Read(NamedTuple):
    """The result of a run."""

    code: int
    stderr: str
    end: Ended
    events: list
    is_marked: bool  # up to the last


class Fleetread(filters.Filter):
    """fleetread reads the events after the acknowledged ones, up to a mark after the last event."""

    name = program = "fleetread"
    stride = 200
    count = 5
    acknowledged = 2

    def begin(self, directory):
        """Start its server, and return the command that creates the stream."""
        self.server = Nats(os.path.join(directory, "nats"))
        self.address = self.server.address
        self.sink = f"nats:{self.address}"
        return ["fleetsetup", "--replicas", "1", self.address]

    def prepare(self, setting):
        directory = os.path.join(setting.inputs, self.name)
        os.mkdir(directory)
        run = Run(setting, directory, OTHER)
        run.complete(self.begin(directory))
        self.events = [delivery.event("writer0", seq) for seq in range(1, self.count + 1)]
        self.acks = os.path.join(directory, "acks.json")
        self.publish(run, self.events[: self.acknowledged])
        mark = records(self.listen(run, self.acknowledged).stdout)[-1]
        acks = {mark["source"]: mark["seq"]}
        with open(self.acks, "w", encoding="ascii") as file:
            json.dump({"version": 1, "acks": acks, "receiver": "r"}, file)
        self.publish(run, self.events[self.acknowledged :])

    def publish(self, run, events):
        given = os.path.join(run.room, "events")
        with open(given, "wb") as file:
            file.writelines(map(filters.as_line, events))
        run.complete(["emit", "--sink", self.sink], given)

    def close(self):
        self.server.end()

    def listen(self, run, last):
        """Run it until it wrote a mark after the last event, or ended."""
        command = ["fleetread", "--acks", self.acks, self.address]
        return excused(stopped(run, command, lambda text: is_marked(text, last)), run)

    def play(self, setting, room, failure):
        run = Run(setting, room, self.program, failure)
        end = self.listen(run, self.count)
        events = [record for record in records(end.stdout) if record["kind"] == "event"]
        return run.order, Read(end.code, end.stderr, end, events, is_marked(end.stdout, self.count))

    def judge(self, ended, reference):
        complaints = complaints_about_end(ended.end, [self.program], self.codes)
        if ended.code == 0 and not ended.is_marked:
            complaints.append("it ended before it had marked all")
        # While the acks cannot be read, nothing counts as acknowledged.
        doubts = "treating no event as stored" in ended.stderr
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


def is_marked(text, last):
    """Return whether a mark follows the event with this number."""
    names = [one.get("id", one["kind"]) for one in records(text)]
    name = f"writer0-{last}"
    return name in names and "mark" in names[names.index(name) :]


def records(text):
    """Parse the complete lines."""
    return [json.loads(line) for line in text.split(b"\n")[:-1]]


class FleetsetupDatabase(Fleetsetup):
    """fleetsetup creates the schema of a database."""

    name = "fleetsetup-database"
    changes = sorted(name.removesuffix(".sql") for name in os.listdir(CHANGES))
    steps = [f"database nic: {change} applied\n" for change in changes]
    kept = f"database nic: {changes[-1]}"
    made = "".join(steps) + kept

    def prepare(self, setting):
        self.server = Postgres()

    def close(self):
        self.server.end()

    def play(self, setting, room, failure):
        first = Run(setting, room, self.program, failure)
        name = receivers.name_of(room)
        self.server.ask(f"CREATE DATABASE {name}")
        ended = self.set_up((first, Run(setting, room, OTHER)), self.server.address(name))
        self.server.ask(f"DROP DATABASE {name} WITH (FORCE)")
        return first.order, ended._replace(said=[one.replace(name, "nic") for one in ended.said])


class FleetreadDatabase(Fleetread):
    """fleetread with a database."""

    name = "fleetread-database"

    def begin(self, directory):
        self.server = Postgres()
        self.server.ask("CREATE DATABASE nic")
        self.address = self.sink = self.server.address("nic")
        return ["fleetsetup", "--keep", "3650d", self.address]


class EmitNats(delivery.EmitMemory):
    """emit with a stream."""

    name = "emit-nats"
    stride = 500
    sink = receivers.Stream

    def live(self, run, room, sink, *options, acks=None):
        return excused(super().live(run, room, sink, *options, acks=acks), run)


class EmitPostgres(delivery.EmitMemory):
    """emit with a database."""

    name = "emit-postgres"
    stride = 500
    sink = receivers.Database

    def prepare(self, setting):
        super().prepare(setting)
        address = self.sink.server.address("nic")
        command = ["fleetsetup", "--keep", "3650d", address]
        Run(setting, setting.inputs, OTHER).complete(command)

    def close(self):
        self.sink.server.end()
