# SPDX-License-Identifier: Apache-2.0
"""Scenario files: their grammar, and what they say as data. README.md explains it to people."""

import itertools
import os
import re
import shlex
from dataclasses import dataclass, field
from typing import Callable, Optional

from nicsimlib import commands, model
from nicsimlib.errors import SimError

from . import times
from .errors import BadScenario

CHECKS = (
    "InfiniBandStateCheck",
    "InfiniBandDegradationCheck",
    "InfiniBandCharDeviceCheck",
    "EthernetStateCheck",
    "EthernetDegradationCheck",
    "EFAStateCheck",
    "EFADegradationCheck",
)
# Belong to no link layer, and are always on.
POLL_STALL = "NICPollStallCheck"
IDENTITY = "NICIdentityCheck"
SEVERITIES = ("fatal", "degraded", "healthy")
MONITOR_WORDS = {
    ("stops",): "stop",
    ("starts",): "start",
    ("restarts",): "restart",
    ("is", "killed"): "kill",
}
DIRECTORY_WORDS = {"goes": "hide", "returns": "show"}
_INDENTED = re.compile(r"[ \t]")


@dataclass
class Change:
    """One thing that happens, to the node or to the monitor."""

    line: int
    what: str  # nicsim, or stop start restart kill reboot clock interval lose hide show
    text: str
    action: Optional[Callable] = None  # of nicsim
    value: object = None  # of clock, interval, lose, reboot
    config: Optional[str] = None  # of start and restart: None leaves it as it is
    checks: Optional[str] = None


@dataclass
class Expected:
    """An event, the baseline, or a message that must come."""

    line: int
    kind: str  # event, baseline, message
    text: str  # as an event is shown, or the message's expression
    clear: bool = True  # of a baseline: clears whole checks, not what can be read one by one
    without: tuple = ()  # of a baseline: counters that are not in it


@dataclass
class Moment:
    """An `at` line with what follows it."""

    at_ns: int
    line: int
    change: Optional[Change]
    expected: list


@dataclass
class Scenario:
    """A whole file."""

    path: str
    promise: str = ""
    platform: str = ""  # path of the description
    interval_ns: int = 5 * times.SECOND
    config: str = ""
    checks: str = ""
    state: Optional[str] = None  # text of the state file the monitor finds
    fresh: bool = False  # events of the first scan count
    changes: bool = False  # what devices and ports have become is to be expected, too
    filter: bool = False  # no state file
    until_ns: int = 0
    moments: list = field(default_factory=list)


def load(path: str, platforms: str) -> Scenario:
    """Read and check a whole file; BadScenario if anything is wrong with it."""
    try:
        with open(path, encoding="utf-8") as file:
            lines = file.read().splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise BadScenario(f"{path}: {error}") from error
    parser = _Parser(path, platforms)
    number = 0
    while number < len(lines):
        start = number
        number += 1
        # Lines further in belong to the one above: a configuration, a state file.
        while number < len(lines) and lines[number] and _INDENTED.match(lines[number]):
            number += 1
        try:
            parser.take(start + 1, lines[start], _outdent(lines[start + 1 : number]))
        except (ValueError, SimError) as error:
            raise BadScenario(f"{path}:{start + 1}: {error}") from error
    try:
        return parser.finish()
    except ValueError as error:
        raise BadScenario(f"{path}: {error}") from error


def show_event(severity, check, where, codes, message, devices=None) -> str:
    """The one spelling of an event, in scenario files and in reports."""
    words = [severity, check, where, *([codes] if codes else []), f'"{message}"']
    return " ".join(words + ([f"devices {devices}"] if devices else []))


def _outdent(lines):
    # The first line says how far: the rest keeps what it has beyond that.
    width = len(lines[0]) - len(lines[0].lstrip()) if lines else 0
    return "".join(f"{line[width:]}\n" for line in lines)


class _Parser:
    def __init__(self, path, platforms):
        self.scenario = Scenario(path)
        self.platforms = platforms
        self.platform = None  # as nicsim has it; a reboot may change it
        self.blocks = []  # groups of moments, for the sake of `every`
        self.block = None
        self.before = 0
        self.seen = set()

    def take(self, number, line, below):
        """One line that is not indented, and the indented ones below it."""
        words = shlex.split(line, comments=True)
        if not words:
            if below:
                raise ValueError("indented lines without a line they belong to")
            if not self.platform and line.startswith("#"):
                self.scenario.promise = f"{self.scenario.promise} {line.lstrip('# ')}".strip()
            return
        taker = getattr(self, f"_take_{words[0]}", None)
        if taker is None:
            raise ValueError(
                f"unknown word: {words[0]} (platform interval config checks starts changes at"
                " expect until)"
            )
        if words[0] not in ("at", "expect"):
            if words[0] in self.seen:
                raise ValueError(f"{words[0]}: said before")
            self.seen.add(words[0])
            if words[0] != "until" and self.blocks:
                raise ValueError(f"{words[0]}: must stand before the first `at`")
        if words[0] != "platform" and self.platform is None:
            raise ValueError("the first word is `platform`")
        if "until" in self.seen and words[0] != "until":
            raise ValueError("`until` is the last line")
        used = taker(number, words[1:], below)
        if below and not used:
            raise ValueError(f"{words[0]}: takes no indented lines")

    def finish(self):
        """The scenario, when all lines are there."""
        scenario = self.scenario
        for needed in ("platform", "until"):
            if needed not in self.seen:
                raise ValueError(f"has no `{needed}` line")
        if not scenario.promise:
            raise ValueError("does not begin with a comment that says what is promised")
        scenario.moments = sorted(itertools.chain(*self.blocks), key=lambda moment: moment.at_ns)
        return scenario

    # --- what a scenario starts with

    def _take_platform(self, _number, words, _below):
        self.scenario.platform, self.platform = self._load_platform(words)

    def _load_platform(self, words):
        if len(words) != 1:
            raise ValueError("platform: expected NAME")
        # Those that only scenarios need are beside them.
        beside = os.path.join(os.path.dirname(self.scenario.path), "platforms", f"{words[0]}.json")
        path = os.path.join(self.platforms, f"{words[0]}.json")
        path = beside if os.path.exists(beside) else path
        return path, model.load(path)[0]

    def _take_interval(self, _number, words, _below):
        self.scenario.interval_ns = _positive(words)

    def _take_config(self, _number, words, below):
        if words or not below:
            raise ValueError("config: expected only indented lines below")
        self.scenario.config = below
        return True

    def _take_checks(self, _number, words, _below):
        self.scenario.checks = _checks(words)

    def _take_starts(self, _number, words, below):
        if words == ["fresh"]:
            self.scenario.fresh = True
        elif words == ["as", "a", "filter"]:
            self.scenario.filter = True
        elif words == ["with", "state"] and below:
            self.scenario.state, self.scenario.fresh = below, True
            return True
        else:
            raise ValueError(
                "starts: expected fresh, as a filter, or with state (and the file's text below)"
            )
        return False

    def _take_changes(self, _number, words, _below):
        if words != ["count"]:
            raise ValueError("changes: expected count")
        self.scenario.changes = True

    def _take_until(self, _number, words, _below):
        if len(words) != 1:
            raise ValueError("until: expected TIME")
        self.scenario.until_ns = times.parse(words[0])
        if self.scenario.until_ns < self.before:
            raise ValueError("until: earlier than what happens before it")

    # --- what happens

    def _take_at(self, number, words, below):
        if not words:
            raise ValueError("at: expected TIME [every TIME N times] [CHANGE]")
        at_ns = times.parse(words[0])
        if at_ns < self.before:
            raise ValueError(f"time goes back: {words[0]}")
        self.before = at_ns
        words, period_ns, count = words[1:], 0, 1
        if words[:1] == ["every"]:
            if (
                len(words) < 4
                or words[3] != "times"
                or not words[2].isdecimal()
                or int(words[2]) < 1
            ):
                raise ValueError("at: expected TIME every TIME N times")
            period_ns, count, words = _positive(words[1:2]), int(words[2]), words[4:]
        change = self._change(number, words, below) if words else None
        self.block = [Moment(at_ns + i * period_ns, number, change, []) for i in range(count)]
        self.blocks.append(self.block)
        return change is not None and change.config is not None

    def _change(self, number, words, below):
        text = " ".join(words)
        if words[0] == "monitor":
            return self._monitor_change(number, words[1:], below, text)
        if words[0] == "reboot" and len(words) > 1:
            if words[1] != "as":
                raise ValueError("reboot: expected nothing or: as PLATFORM")
            path, self.platform = self._load_platform(words[2:])
            return Change(number, "reboot", text, value=path)
        if words[0] == "reboot":
            return Change(number, "reboot", text)
        if words[:2] == ["wall", "clock"]:
            if len(words) != 3 or words[2][0] not in "+-":
                raise ValueError("wall clock: expected +TIME or -TIME")
            return Change(
                number, "clock", text, value=int(words[2][0] + "1") * times.parse(words[2][1:])
            )
        if words[0] == "interval":
            return Change(number, "interval", text, value=_positive(words[1:]))
        if words[:3] == ["next", "scan", "loses"]:
            return Change(number, "lose", text, value=self._lost(words[3:]))
        if words[:2] == ["class", "directory"]:
            if len(words) != 3 or words[2] not in DIRECTORY_WORDS:
                raise ValueError("class directory: expected goes or returns")
            return Change(number, DIRECTORY_WORDS[words[2]], text)
        action = commands.prepare(self.platform, words[0], words[1:])
        self.platform = commands.foresee(self.platform, words[0], words[1:])
        return Change(number, "nicsim", text, action=action)

    @staticmethod
    def _monitor_change(number, words, below, text):
        asked = list(itertools.takewhile(lambda word: word != "with", words))
        rest = words[len(asked) + 1 :]
        what = MONITOR_WORDS.get(tuple(asked))
        change = Change(number, what, text)
        if what in ("start", "restart") and rest == ["config"]:
            change.config = below
        elif what in ("start", "restart") and rest[:1] == ["checks"]:
            change.checks = _checks(rest[1:])
        elif what is None or len(words) > len(asked):
            raise ValueError(
                "monitor: expected stops, is killed, starts or restarts [with config (below) | with"
                " checks LIST]"
            )
        return change

    @staticmethod
    def _lost(words):
        if words in (["scan.begin"], ["scan.end"]) or (
            len(words) == 2 and words[0] in ("device", "port")
        ):
            return tuple(words)
        raise ValueError(
            "next scan loses: expected scan.begin, scan.end, device DEV or port DEV/PORT"
        )

    # --- what must come of it

    def _take_expect(self, number, words, _below):
        if self.block is None:
            raise ValueError("expect: stands below the `at` it belongs to")
        expected = _expected(number, words)
        if self.block[0].at_ns == 0 and not self.scenario.fresh and expected.kind != "message":
            raise ValueError("expect: events at 0s are shown with `starts fresh` only")
        for moment in self.block:
            moment.expected.append(expected)


def _positive(words):
    if len(words) != 1:
        raise ValueError("expected TIME")
    ns = times.parse(words[0])
    if ns == 0:
        raise ValueError("a time of 0 here")
    return ns


def _checks(words):
    if len(words) != 1 or any(word not in CHECKS for word in words[0].split(",")):
        raise ValueError(f"checks: expected a list of {', '.join(CHECKS)}")
    return words[0]


def _expected(number, words):
    if words[:1] == ["message"] and len(words) == 2:
        try:
            re.compile(words[1])
        except re.error as error:
            raise ValueError(f"not an expression: {error}") from error
        return Expected(number, "message", words[1])
    if words[:1] == ["baseline"]:
        return _expected_baseline(number, words[1:])
    devices = None
    if len(words) > 2 and words[-2] == "devices":
        words, devices = words[:-2], words[-1]
    if (
        len(words) not in (4, 5)
        or words[0] not in SEVERITIES
        or words[1] not in (*CHECKS, POLL_STALL, IDENTITY)
    ):
        raise ValueError(
            f"expect: expected {'|'.join(SEVERITIES)} CHECK ENTITY [ERRORCODE,...] \"MESSAGE\""
            " [devices LIST], or baseline, or message \"REGEX\""
        )
    severity, check, where, codes, message = (
        *words[:3],
        words[3] if len(words) == 5 else "",
        words[-1],
    )
    return Expected(number, "event", show_event(severity, check, where, codes, message, devices))


def _expected_baseline(number, words):
    expected = Expected(number, "baseline", "the baseline")
    if words == ["one", "by", "one"]:
        expected.clear = False
    elif words[:2] == ["without", "counters"] and len(words) == 3:
        expected.without = tuple(words[2].split(","))
    elif words:
        raise ValueError("expect baseline: expected nothing, one by one, or without counters LIST")
    return expected
