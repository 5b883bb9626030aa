# SPDX-License-Identifier: Apache-2.0
"""Programs for people: nichist shows and replays a spool; niccheck prints a verdict."""

import os
import shutil
import subprocess

from . import delivery, filters, receivers, truth
from .runs import Run, complaints_about_end

# niccheck's exit statuses.
HEALTHY, FATAL, DEGRADED, UNKNOWN = range(4)


def make_spool(setting):
    """Make a spool with emit. Return its path and its events."""
    directory = os.path.join(setting.inputs, "nichist")
    events = [delivery.event("writer0", seq) for seq in (1, 2, 3)]
    spool = os.path.join(directory, "spool.db")
    if os.path.exists(spool):
        return spool, events
    os.mkdir(directory)
    given = b"".join(filters.as_line(one) for one in events)
    command = [os.path.join(setting.programs, "emit"), "--confine", "off", "--spool", spool]
    command += ["--sink", f"file:{directory}/sink"]
    subprocess.run(command, input=given, check=True)
    return spool, events


def but_for_damage(complaints, ended):
    """Return the complaints that remain if the program reports a damaged spool in SQLite's
    words."""
    if ": the spool is damaged: database disk image is malformed" not in ended.stderr:
        return complaints
    return [line for line in complaints if line != "exit code 65, as if it could never work"]


class Nichist(filters.Filter):
    """nichist lists a spool. SQLite reports a failed read as damage, so both look the same."""

    name = program = "nichist"
    stride = 400

    def prepare(self, setting):
        self.spool, _ = make_spool(setting)

    def play(self, setting, room, failure):
        run = Run(setting, room, self.program, failure)
        spool = shutil.copy(self.spool, room)
        lists = ["--history", "--standing", "--dead-letters"]
        # The lines of a list contain the name of the spool.
        command = ["nichist", *lists, "--spool", os.path.basename(spool), "--format", "json"]
        return run.order, run.finish(command)

    def judge(self, ended, reference):
        return but_for_damage(super().judge(ended, reference), ended)


class NichistReplay(filters.Filter):
    """nichist replays events to a file."""

    name, program = "nichist-replay", "nichist"
    stride = 400

    def prepare(self, setting):
        self.spool, self.events = make_spool(setting)

    def play(self, setting, room, failure):
        run, sink = Run(setting, room, self.program, failure), receivers.File(room)
        spool = shutil.copy(self.spool, room)
        command = ["nichist", "--replay", "--spool", spool, "--sink", sink.spec]
        end = run.finish(command + [one["id"] for one in self.events])
        sink.close()
        arrived, complaints = tuple(sink.arrived()), tuple(sink.complaints)
        return run.order, delivery.Delivered(end.code, end.stderr, (end,), arrived, complaints)

    def judge(self, ended, reference):
        complaints = list(ended.complaints)
        complaints += complaints_about_end(ended.ends[0], [self.program], self.codes)
        wrong, again = delivery.in_order(ended.arrived, self.events)
        # After a failed write, the batch is written again as a whole.
        if ended is reference or len(set(again)) < len(again):
            complaints += [f"came again: {name}" for name in again]
        complaints += wrong
        if ended.code == 0:
            complaints += [f"lost: {one['id']}" for one in self.events if one not in ended.arrived]
        return but_for_damage(complaints, ended)


class Niccheck(filters.Filter):
    """A port of the node is down. niccheck must report it, or that it is unknown, whatever
    fails."""

    name = program = "niccheck"
    stride = 2000

    def prepare(self, setting):
        node = filters.make_node(setting, "niccheck-node", ("unplug", "mlx5_1/1"))
        filters.configure(node)
        options = [*filters.scan_options(node), *filters.class_options(node)]
        self.command = ["niccheck", *options, "--settle", "0s", "--json"]

    def judge(self, ended, reference):
        names = [self.program, "ibscan", "topoclass", "ctreval"]
        complaints = complaints_about_end(ended, names, self.codes)
        if reference.code != FATAL:
            complaints.append(f"exit code {reference.code}, undisturbed")
        elif ended.code in (HEALTHY, DEGRADED):
            complaints.append(f"exit code {ended.code}, and a port is down")
        elif ended.code in (FATAL, UNKNOWN) and not self.is_same(ended, reference):
            complaints += self.complaints_about_findings(ended, reference)
        return complaints

    def complaints_about_findings(self, ended, reference):
        """A missing finding must be reported as unknown, with a reason."""
        said, complaints = truth.records(ended.stdout)
        true, _ = truth.records(reference.stdout)
        known = [one for record in true for one in record["findings"]]
        added = [one for record in said for one in record["findings"] if one not in known]
        if not any(one["level"] == "unknown" for one in added):
            complaints.append("other findings, and nothing is unknown")
        complaints += [
            f"not true: {one}" for one in added if one["level"] not in ("unknown", "note")
        ]
        return complaints
