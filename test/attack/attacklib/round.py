# SPDX-License-Identifier: Apache-2.0
"""One round: the attack, then peace until everything is as it must be or the time is over; and the
verdict."""

import json
import os
import random
import sqlite3
import subprocess
import time
import traceback
import types

from crashlib import delivery

from . import faults, health, told
from .faults import SERVER, SERVICE
from .probe import Probe
from .room import Room, Trouble
from .truth import Truth

_TICK_SECONDS = 0.02
# Intervals between checks whether everything has arrived. They cost more than a tick, so they
# become rarer.
_ASK_SECONDS, _ASK_SECONDS_MOST = 0.2, 1.0
_ASK_LATER = 1.2
# Complaints shown per kind.
_SHOWN = 3


class Round:
    """A round. play() runs it and returns complaints."""

    def __init__(self, directory, setting, seed):
        self.setting, self.seed = setting, seed
        self.plan = faults.draw(seed, setting.without)
        self.chance = random.Random(f"{seed}/room")
        self.room = Room(directory, setting, seed)
        self.truth, self.watch = Truth(), health.Watch()
        self.probe = Probe(self.room.port)
        self.complaints, self.began = [], time.monotonic()
        self.changes, self.deeds, self.ending = list(self.plan.changes), list(self.plan.deeds), {}
        self.server_stops = 0
        self.missing, self.last_words = None, []

    def play(self):
        """Run the round."""
        try:
            self._attack()
            self._make_peace()
            self._end_service()
        except Trouble as trouble:
            self.complaints.append(str(trouble))
        except Exception:  # pylint: disable=broad-exception-caught # other rounds go on
            self.complaints += traceback.format_exc().splitlines()
        finally:
            self.probe.close()
            self.room.close()
        self.complaints += (
            self.room.complaints + self.watch.complaints[:_SHOWN] + self.room.audit.complaints
        )
        if note := self.room.orders.note():
            self.complaints.append(note)
        if self.room.has_spool():
            self.complaints += self._verdict()
        self.last_words = self.room.last_words(40)
        return self.complaints

    def close(self):
        """Release the orders."""
        self.room.orders.close()

    # --- time passes ---

    def _tick(self):
        now = time.monotonic()
        self.room.look(now)
        self.watch.saw(
            now, self.room.living, self.room.stopped, self.room.service, self.room.progress()
        )
        self.watch.saw_hanging(
            now,
            {
                self.room.orders.keeps_waiting(order)
                for order in self.ending
                if order.delay_ms == faults.HANG_MS
            },
        )
        answer = self.probe.step(now)
        if answer is not None:
            status, text = answer
            self.watch.answered(
                self.probe.begun,
                self.probe.ended,
                200 if status == 503 and self.setting.flaw == "healthz" else status,
                text,
            )
        time.sleep(_TICK_SECONDS)

    def _wait(self, what, condition):
        """Wait until the condition holds. Check it less often than each tick."""
        deadline, ask_at = time.monotonic() + self.setting.patience, 0.0
        pause = _ASK_SECONDS
        while True:
            now = time.monotonic()
            if now >= ask_at:
                if condition():
                    return
                if now > deadline:
                    raise Trouble(f"gave up waiting for {what}")
                ask_at = now + pause
                pause = min(pause * _ASK_LATER, _ASK_SECONDS_MOST)
            self._tick()

    def _is_known(self):
        """Return whether ctreval knows all ports, so that changes count from now on."""
        state = self.room.state()
        is_known = state is not None and len(state["port_states"]) >= len(faults.DEVICES)
        # The first service's state is no earlier one's.
        if is_known and self.room.started[SERVICE] == 1:
            self.watch.has_scanned = True
        return is_known

    # --- the attack ---

    def _attack(self):
        if not self.plan.begins_early:
            self._wait("the first scan", self._is_known)
        began = time.monotonic()
        while self.deeds or self.ending or (self.changes and self._is_known()):
            at = time.monotonic() - began
            while self.deeds and self.deeds[0].at <= at:
                self._do(self.deeds.pop(0), at)
            for order in [order for order, end in self.ending.items() if end <= at]:
                self._end_order(order)
            self._change(at)
            self._tick()

    def _end_order(self, order):
        """End an order. While the disk hangs, everything must still be reported, except events that
        an earlier emit stored and did not send, because they are only on the disk."""
        del self.ending[order]
        if (
            order.delay_ms == faults.HANG_MS
            and self.room.orders.hits(order) > 0
            and self.room.starts("emit") == 1
        ):
            self._wait("what happens to be told while the disk hangs", self._are_lines_told)
        self.room.orders.end(order)

    def _are_lines_told(self):
        self.room.read()
        told_of = "".join(
            json.loads(line)["message"] for line in self.room.at_server.contents.values()
        )
        return all(line in told_of for line in self.truth.lines)

    def _change(self, at):
        """Apply the changes to the node that are due, once ctreval can see them."""
        while self.changes and self.changes[0][0] <= at and self._is_known():
            words = self.changes.pop(0)[1]
            self.room.change(words)
            self.truth.change(words)

    def _do(self, deed, at):
        if deed.what == "order":
            self.room.orders.give(deed.value)
            self.ending[deed.value] = max(at, faults.ATTACK_SECONDS) + (
                faults.HANG_SECONDS if deed.value.delay_ms == faults.HANG_MS else 0.2
            )
        if deed.what == "damage":
            self.room.damage(deed.value, deed.who[0] if deed.who else None)
        for name in deed.who:
            if deed.what == "kill":
                self.room.kill(name, self.chance.uniform(0, 0.3))
            elif deed.what == "stall" and self.room.reader is not None:
                self.room.reader.stall(time.monotonic() + deed.value)
            elif deed.what == "leave" and self.room.reader is not None:
                self.room.reader.leave()
            elif deed.what == "stop":
                self.room.stop(name, deed.value)
                self.server_stops += name == SERVER

    # --- peace ---

    def _make_peace(self):
        self.room.orders.end_all()
        longest = [pid for pid, at in self.room.stopped.items() if at > time.monotonic() + 2]
        # The service must kill a stage that is stopped for long.
        self._wait(
            "the end of a stage that has stopped",
            lambda: all(not self._is_stopped(pid) for pid in longest),
        )
        self.room.go_on(time.monotonic() + 1000)
        self._wait("the first scan", self._is_known)
        self._change(float("inf"))
        self._wait("/healthz to be well", lambda: self.watch.is_well(self.room.living))
        for words in self.plan.last_changes:
            self.room.change(words)
            self.truth.change(words)
        self._wait("all that has happened to be told", self._is_all_told)

    def _is_stopped(self, pid):
        return pid in self.room.stopped and pid in self.room.living.values()

    def _missing(self):
        """Return what is still missing, in words, or None if everything has arrived."""
        self.room.read()
        try:
            rows, _ = self.room.stored()
            answered = self.room.answered()
        except sqlite3.DatabaseError as error:
            # If its index is cut while it is open, the spool looks damaged until emit opens it
            # again.
            return f"the spool: {error}"
        records = self._records(rows)
        messages = [record["message"] for record in records.values()]
        if missing := [line for line in self.truth.lines if line not in messages]:
            return f"in the spool: {missing[0]}"
        if missing := set(records) - set(self.room.at_server.contents) - answered:
            return f"at the server: {len(missing)} events, {min(missing)}"
        if missing := [
            name
            for name in set(records) - set(self.room.in_file.contents) - answered
            if "baseline" not in records[name]["metadata"]
        ]:
            return f"in the file: {len(missing)} events, {min(missing)}"
        for name in ("state.json", "logmatch.json"):
            state = self.room.state(name)
            if state is None or state["outbox"]:
                return f"acknowledgements in {name}"
        return self._disbelief(records)

    def _records(self, rows):
        """Return id -> record of all events that are known to have been decided. An event that a
        damage removed is still required, unless its writer has forgotten it, too."""
        records = told.records_by_id(rows)
        if not self.room.damages:
            return records
        if not self._writers_forget():
            records = self.room.remembered | records
        return told.records_of_server(self.room.at_server.contents, self.setting.stubs) | records

    def _told_everywhere(self):
        """Return, as rows of the spool, the events that a damage may have removed and that emit
        does not request again because every sink has them."""
        if not self.room.damages:
            return []
        both = (
            set(self.room.at_server.contents)
            & (set(self.room.in_file.contents) | self._baselines())
            | self.room.remembered_answered
        )
        return [(*delivery.parts(name), None) for name in both]

    def _acks(self):
        """Return the acks; empty if a damage removed them and they were not written again, in a
        failed round."""
        return delivery.read_acks(self.room.acks) if os.path.exists(self.room.acks) else {}

    def _baselines(self):
        """Return the events that the file may lack."""
        records = told.records_of_server(self.room.at_server.contents, self.setting.stubs)
        return {name for name, record in records.items() if "baseline" in record["metadata"]}

    def _writers_forget(self):
        return self._forgets("ctreval", "/run/ctreval/state.json") or self._forgets(
            "logmatch", "/run/logmatch/logmatch.json"
        )

    def _disbelief(self, records):
        """Return a difference between what receivers believe and the node's state, or None."""
        audience = told.audience(self.room.at_server, records, random.Random(self.seed))
        stands, forgets = self.truth.stands(), self._forgets("ctreval", "/run/ctreval/state.json")
        for name, believed in (
            ("the node condition", audience.conditions.believed()),
            ("emit --standing", audience.standing.believed(0)),
        ):
            lacking = {
                item
                for item in stands - believed
                if not (forgets and self._was_taken_back(item, records))
            }
            if lacking or (believed != stands and not forgets):
                return (
                    f"{name} has {' '.join(map(str, sorted(believed - stands)))}, lacks"
                    f" {' '.join(map(str, sorted(stands - believed)))}"
                )
        wrong = audience.problems(self.room.state(), (lambda device, port: "InfiniBand",), 0)
        return wrong[0] if wrong and not forgets else None

    def _was_taken_back(self, item, records):
        """Return whether the last event about the item is a recovery: a ctreval that has forgotten
        the recovery considers the fault reported."""
        said = [record for name in self.room.at_server.order
            if (record := records.get("-".join(map(str, name))))
                and record["checkName"] == item.check and set(record["errorCode"]) & set(item.codes)
                and [(entity["entityType"], entity["entityValue"])
                for entity in record["entitiesImpacted"]] == [*item.entities]]  # fmt: skip
        return bool(said) and said[-1]["isHealthy"]

    def _disbelief_of_standing(self):
        """The same for the output of `emit --standing`."""
        output = subprocess.run([os.path.join(self.setting.programs, "emit"), "--standing",
            "--format", "json", "--spool", self.room.spool],
                                stdout=subprocess.PIPE, check=True).stdout  # fmt: skip
        found = [json.loads(line) for line in output.splitlines()]
        shown = {
            (one["checkName"], one["device"], one["code"])
            for one in found
            if one["kind"] == "condition" and one["agent"] == told.CTREVAL
        }
        stands = {(item.check, item.entities[0][1], item.codes[0]) for item in self.truth.stands()}
        # Without the spool and the acks, no record of the conditions is left.
        if shown <= stands and any(
            one.act in ("delete acks", "delete both") for one in self.room.damages
        ):
            return None
        forgets = self._forgets("ctreval", "/run/ctreval/state.json")
        records = self._records(self.room.stored()[0])
        taken_back = {
            (item.check, item.entities[0][1], item.codes[0])
            for item in self.truth.stands()
            if self._was_taken_back(item, records)
        }
        if shown == stands or (forgets and stands - taken_back <= shown):
            return None
        return f"emit --standing shows {sorted(shown - stands)}, and not {sorted(stands - shown)}"

    def _is_all_told(self):
        self.missing = self._missing()
        return self.missing is None and self.watch.is_well(self.room.living)

    def _end_service(self):
        if missing := self._disbelief_of_standing():
            self.complaints.append(missing)
        code = self.room.end_service(self.setting.patience)
        if code != 0:
            self.complaints.append(f"the service ended with {code} when it was asked to")

    # --- the verdict ---

    def _struck(self, program, part, failing=False):
        """Return how often an order hit that program at that file."""
        return sum(
            self.room.orders.hits(order)
            for order in self.room.orders.given
            if order.program == program
            and (part in order.part or order.part in part)
            and (order.error or order.delay_ms == faults.HANG_MS or not failing)
        )

    def _forgets(self, program, file):
        """Documented: if the program dies while the state cannot be written, it forgets the events
        of that time."""
        return self._struck(program, file, failing=True) > 0 and self.room.starts(program) > 1

    def _verdict(self):
        room = self.room
        room.read()
        try:
            rows, refused = room.stored()
        except sqlite3.DatabaseError as error:
            return [f"the spool: {error}"]
        records = self._records(rows)
        complaints = delivery.judge_spool(rows, refused) + delivery.beyond_spool(
            self._acks(), rows + self._told_everywhere()
        )
        complaints += delivery.judge_contents(rows, room.at_server)
        # A failing spool does not record deliveries, also if it works again after the next start.
        deaths = (room.starts("emit") - 1) * (2 if self._spool_fails() else 1) + len(room.damages)
        for where, arrivals, more in (
            ("server", room.at_server, room.started[SERVER] - 1 + self.server_stops),
            ("file", room.in_file, self._struck("emit", "/var/events")),
        ):
            complaints += self._judge_order(where, arrivals) + self._judge_repeats(
                where, arrivals, deaths + more
            )
            complaints += self._judge_names(where, arrivals, records)
        # Check ctreval's events in the order in which it wrote them.
        order = room.at_server.order
        if self._order_is_excused():
            order = told.as_written(order, records)
        twice = told.said_twice(order, records)
        if twice and not self._forgets("ctreval", "/run/ctreval/state.json"):
            complaints.append(f"said twice: {twice}")
        messages = [record["message"] for record in records.values()]
        for line in self.truth.lines:
            if messages.count(line) > 1 and not self._forgets(
                "logmatch", "/run/logmatch/logmatch.json"
            ):
                complaints.append(f"said twice: {line}")
        return complaints

    def _spool_fails(self):
        """The spool could not be written or hung, and an emit that started meanwhile may have been
        unable to open it."""
        return self._struck("emit", "/var/spool.db", failing=True) > 0

    def _order_is_excused(self):
        """Documented: events that come while the spool cannot be opened are delivered before those
        in it, and again after them."""
        return self._spool_fails() and self.room.starts("emit") > 1

    def _judge_order(self, where, arrivals):
        excused = self._order_is_excused()
        # If a baseline comes again, the file may have events that it did not need before.
        if where == "file" and self.room.damages:
            baselines = self._baselines()
            order = [name for name in arrivals.order if "-".join(map(str, name)) not in baselines]
            arrivals = types.SimpleNamespace(order=order, complaints=arrivals.complaints)
        return [
            line
            for line in delivery.judge_arrivals(where, arrivals)
            if not excused or not line.startswith(f"{where}: order: ")
        ]

    def _judge_names(self, where, arrivals, records):
        """Everything stored must have arrived; the file may lack events of a baseline that ended
        nothing. Nothing else may have arrived, unless the writer has forgotten an event that was
        delivered without being stored."""
        answered = self.room.answered()
        due = [
            delivery.parts(name)
            for name, record in records.items()
            if name in arrivals.contents
            or (
                name not in answered and (where == "server" or "baseline" not in record["metadata"])
            )
        ]
        forgotten = (self._spool_fails() or self.room.damages) and self._writers_forget()
        return delivery.judge_names(where, due if forgotten else arrivals.order, due)

    @staticmethod
    def _judge_repeats(where, arrivals, allowed):
        """An id may come again only if its arrival could be unknown: once for each death of emit or
        the server, and each failure of the sink."""
        times = {}
        for name in arrivals.every:
            times[name] = times.get(name, 0) + 1
        complaints = [
            f"{where}: {name} came {count} times, {allowed} deaths"
            for name, count in times.items()
            if count > allowed + 1
        ][:1]
        if arrivals.torn > allowed:
            complaints.append(f"{where}: {arrivals.torn} torn lines, {allowed} deaths")
        return complaints

    def story(self):
        """Return the plan and the result of the round, for people."""
        lines = ["the attack begins with the service"] if self.plan.begins_early else []
        lines += [
            (
                f"{deed} ({self.room.orders.hits(deed.value)} times)"
                if deed.what == "order" and deed.value in self.room.orders.given
                else str(deed)
            )
            for deed in self.plan.deeds
        ]
        lines += [f"{at:.2f} s: {' '.join(words)}" for at, words in self.plan.changes]
        lines.append(
            f"starts: {self.room.started},"
            f" {({stage: self.room.starts(stage) for stage in faults.STAGES})}; /healthz:"
            f" {self.watch.answers}; damages: {len(self.room.damages)}"
        )
        if self.complaints:
            lines += [
                f"missing: {self.missing}",
                "/healthz: " + (self.watch.text.strip() or str(self.watch.status)),
                *self.last_words,
            ]
        return lines
