# SPDX-License-Identifier: Apache-2.0
"""What came against what was to come: which event belongs to which scan, and where they differ."""

import re
from collections import Counter, defaultdict

from . import baseline, belief, times
from .scans import Scan
from .scenario import CHECKS, IDENTITY, POLL_STALL, show_event

_SEVERITY = {(True, False): "fatal", (False, False): "degraded", (False, True): "healthy"}
_TROUBLE = re.compile(r"^ctreval: (warning|error)", re.MULTILINE)


class Verdict:
    """One scenario's result: `problems` is empty when all is well."""

    def __init__(self, scenario, player):
        self.scenario = scenario
        self.problems = []  # (time, text)
        self.came = defaultdict(list)  # id of scan -> events as text
        self.scans = player.scans
        self.lives = player.lives
        # Of these boots it has been said that NICs can be observed.
        self.observed = set() if scenario.fresh else {1}
        self._attribute()
        self._compare()
        self._compare_messages()
        self.problems += belief.problems(self.lives, len(self.scans))
        self.problems.sort(key=lambda problem: problem[0])

    # --- events to scans

    def _attribute(self):
        """By their time, which goes on: an event is about the scan of the one before it or a later
        one."""
        written = {}  # id -> line
        seqs = {}  # source -> last seq
        stamps = {}  # source -> last time
        for life in self.lives:
            position = 0
            for line, record in life.events:
                if record.get("id") in written:
                    if line != written[record["id"]]:
                        self._problem(_start(life), f"sent again, but changed: {line}")
                    continue  # sent again after a restart, for the receiver to recognise
                written[record.get("id")] = line
                stamp = record.get("generatedTimestamp")
                if stamp <= stamps.get(record.get("source"), ""):
                    self._problem(_start(life), f"not later than the event before it: {line}")
                stamps[record.get("source")] = stamp
                observed = (record.get("metadata") or {}).get("observed")
                while position < len(life.scans) and not life.scans[position].has_time(
                    observed or stamp, observed is not None
                ):
                    position += 1
                if position == len(life.scans):
                    self._problem(
                        0, f"no scan has the time of this event, or it is out of order: {line}"
                    )
                    break
                scan = life.scans[position]
                for fault in _faults(record, line, seqs):
                    self._problem(scan.at_ns, f"{fault}: {line}")
                if self.scenario.changes or record.get("checkName") != IDENTITY:
                    self.came[id(scan)].append(shown(record))

    # --- what was expected

    def _compare(self):
        due = defaultdict(list)
        for moment in self.scenario.moments:
            events = [expected for expected in moment.expected if expected.kind != "message"]
            scan = next((scan for scan in self.scans if scan.at_ns >= moment.at_ns), None)
            if events and scan is None:
                self._problem(
                    moment.at_ns,
                    f"line {events[0].line}: the monitor does not look again after this",
                )
                continue
            due[id(scan)] += events
        for scan in self.scans:
            if scan.at_ns > 0 or self.scenario.fresh:
                self._compare_scan(scan, due[id(scan)])

    def _compare_scan(self, scan: Scan, expected):
        came = self.came[id(scan)]
        wanted, first = [], []
        for item in expected:
            if item.kind == "event":
                wanted.append((item.text, f"line {item.line}"))
                continue
            first = baseline.baseline(
                scan.template.records, self._life(scan).checks, item.clear, item.without,
                scan.boot not in self.observed,
            )  # fmt: skip
            self.observed.add(scan.boot)
            wanted += [(event, f"line {item.line}, baseline") for _, _, event in first]
        left = Counter(came)
        missing = []
        for event, line in wanted:
            if left[event]:
                left[event] -= 1
            else:
                missing.append(f"- expected  {event}  ({line})")
        surplus = [f"+ came      {event}" for event in left.elements()]
        if missing or surplus:
            self._problem(scan.at_ns, "\n".join(missing + surplus))
            return
        # Nobody minds which NIC is named first, but what one check says of one NIC has an order.
        for about in dict.fromkeys(map(_about, came)):
            right = [event for event, _ in wanted if _about(event) == about]
            wrong = [event for event in came if _about(event) == about]
            if not first and right != wrong:
                self._problem(
                    scan.at_ns,
                    "in another order than\n  "
                    + "\n  ".join(right)
                    + "\ncame\n  "
                    + "\n  ".join(wrong),
                )
        if first:
            self._compare_order(scan, came, first)

    def _compare_order(self, scan, came, first):
        order = (*CHECKS, POLL_STALL, IDENTITY)
        ranks = {event: (order.index(check), kind) for check, kind, event in first}
        places = [
            ranks.get(event, (order.index(event.split()[1]), baseline.VERDICT)) for event in came
        ]
        for i in range(1, len(places)):
            if places[i] < places[i - 1]:
                self._problem(
                    scan.at_ns, f"out of the baseline's order:\n  {came[i - 1]}\n  {came[i]}"
                )
                return

    def _life(self, scan):
        return next(life for life in self.lives if any(one is scan for one in life.scans))

    # --- messages

    def _compare_messages(self):
        wanted = defaultdict(list)
        for moment in self.scenario.moments:
            for expected in moment.expected:
                if expected.kind != "message":
                    continue
                life = next(
                    (
                        one
                        for one in self.lives
                        if one.scans and one.scans[-1].at_ns >= moment.at_ns
                    ),
                    None,
                )
                if life is None or not re.search(expected.text, life.messages):
                    self._problem(
                        moment.at_ns, f"- expected message  {expected.text}  (line {expected.line})"
                    )
                wanted[id(life)].append(expected.text)
        for life in self.lives:
            for line in life.messages.splitlines():
                if _TROUBLE.search(line) and not any(
                    re.search(text, line) for text in wanted[id(life)]
                ):
                    self._problem(_start(life), f"+ message   {line}")

    def _problem(self, at_ns, text):
        self.problems.append((at_ns, text))

    # --- for people

    def report(self) -> str:
        """What differs, by time."""
        lines = [f"{self.scenario.path}: {self.scenario.promise}"]
        for at_ns, text in self.problems:
            lines.append(f"  at {times.show(at_ns)} ({times.wall(at_ns)[11:19]}):")
            lines += [f"    {line}" for line in text.splitlines()]
        return "\n".join(lines)

    def timeline(self) -> str:
        """All that happened, by time."""
        rows = []
        for moment in self.scenario.moments:
            if moment.change is not None:
                rows.append((moment.at_ns, 0, moment.change.text))
        for scan in self.scans:
            rows += [
                (scan.at_ns, 1, f"    cannot be read: {text}")
                for text in scan.template.unreadable()
            ]
            rows += [(scan.at_ns, 1, f"    > {event}") for event in self.came[id(scan)]]
        lines = [f"{self.scenario.path}: {self.scenario.promise}"]
        lines += [
            f"  {times.show(at_ns):>12}  {text}"
            for at_ns, _, text in sorted(rows, key=lambda row: row[:2])
        ]
        lines += [f"  {line}" for life in self.lives for line in life.messages.splitlines()]
        lines.append(f"  {len(self.scans)} scans, {sum(map(len, self.came.values()))} events")
        return "\n".join(lines)


def _start(life):
    return life.scans[0].at_ns if life.scans else 0


def _about(event):
    """Check and NIC of an event: its second and third word, the latter without the port."""
    _, check, where = event.split()[:3]
    return check, where.partition("/")[0]


def shown(record):
    """An event as scenario files have it."""
    severity = _SEVERITY.get((record.get("isFatal"), record.get("isHealthy")), "fatal-and-healthy")
    entities = [
        (entity["entityType"], entity["entityValue"])
        for entity in record.get("entitiesImpacted") or []
    ]
    kinds = [kind for kind, _ in entities]
    where = {(): "node", ("NIC",): "{0}", ("NIC", "NICPort"): "{0}/{1}"}.get(
        tuple(kinds), "+".join(kinds) or "node"
    )
    where = where.format(*(value for _, value in entities))
    devices = (record.get("metadata") or {}).get("devices")
    return show_event(
        severity,
        record.get("checkName"),
        where,
        ",".join(record.get("errorCode") or []),
        record.get("message"),
        devices,
    )


def _faults(record, line, seqs):
    """What is wrong with an event, whatever it says."""
    source, seq = record.get("source"), record.get("seq")
    fatal = record.get("isFatal")
    # Nothing is asked by what was held back and went by itself, by a poll that stalls, and by what
    # a device has become.
    acts = record.get("errorCode") != ["port_blip"] and record.get("checkName") not in (
        POLL_STALL, IDENTITY
    )  # fmt: skip
    right = {
        "id": f"{source}-{seq}",
        "version": 1,
        "agent": "nic-health-monitor",
        "componentClass": "NIC",
        "recommendedAction": "REPLACE_VM" if fatal else "NONE",
        "nodeName": "test-node",
        "processingStrategy": "EXECUTE_REMEDIATION" if acts else "STORE_ONLY",
    }
    for name, value in right.items():
        if record.get(name) != value:
            yield f"{name} is not {value}"
    if seq != seqs.get(source, 0) + 1:
        yield f"seq does not follow {seqs.get(source, 0)}"
    seqs[source] = seq
    if len(line.encode()) >= 4096:
        yield "longer than 4096 bytes"
