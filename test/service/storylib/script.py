# SPDX-License-Identifier: Apache-2.0
"""The list: its form, and what it says as data. README.md explains it to people."""

import os
import re
import shlex
from dataclasses import dataclass, field

from nicsimlib import commands, model
from nicsimlib.errors import SimError
from replaylib.scenario import CHECKS, SEVERITIES, show_event

# What can be done to others than the node, and how many words follow.
_DEEDS = {
    "service starts": 0,
    "service stops": 0,
    "service reloads": 0,
    "machine shuts down": 0,
    "connector goes": 0,
    "connector returns": 0,
    "configuration becomes": 1,
}  # fmt: skip
_LABEL = re.compile(r"(Mon|Tue|Wed|Thu|Fri|Sat|Sun) \d\d:\d\d  ")
_ALL_CHECKS = (*CHECKS, "SysLogsNICDriverError")

BASELINE = "baseline"


class BadStory(Exception):
    """A list that does not make sense, with file and line."""


@dataclass
class Step:
    """One line, and those below it that say what comes of it."""

    line: int
    when: str
    text: str
    deeds: list  # (what, value): the words of _DEEDS, or "node" with an action of nicsim
    expected: list = field(
        default_factory=list
    )  # events as text, in which * is anything; or BASELINE


@dataclass
class Story:
    """A whole file."""

    path: str
    platform: str = ""  # path of the description
    steps: list = field(default_factory=list)


def load(path: str, platforms: str) -> Story:
    """Read and check a whole file."""
    story, platform = Story(path), None
    with open(path, encoding="utf-8") as file:
        lines = file.read().splitlines()
    for number, line in enumerate(lines, start=1):
        try:
            words = shlex.split(line, comments=True)
            if not words:
                continue
            if platform is None:
                story.platform = _platform(words, platforms)
                platform = model.load(story.platform)[0]
            elif line[0].isspace():
                if not story.steps:
                    raise ValueError("an event before anything has happened")
                story.steps[-1].expected.append(_expected(words))
            else:
                step, platform = _step(platform, number, line, words)
                story.steps.append(step)
        except (ValueError, SimError) as error:
            raise BadStory(f"{path}:{number}: {error}") from error
    return story


def _platform(words, platforms):
    if len(words) != 2 or words[0] != "platform":
        raise ValueError("the first line is `platform NAME`")
    return os.path.join(platforms, f"{words[1]}.json")


def _step(platform, number, line, words):
    if not _LABEL.match(line):
        raise ValueError("expected `DAY HH:MM  WHAT HAPPENS`, or an event below it, further in")
    when, words = " ".join(words[:2]), words[2:]
    deeds = []
    while words:
        one = words[: words.index("and")] if "and" in words else words
        words = words[len(one) + 1 :]
        deed, platform = _deed(platform, one)
        deeds.append(deed)
    if not deeds:
        raise ValueError("nothing happens")
    return Step(number, when, line.split(maxsplit=2)[2], deeds), platform


def _deed(platform, words):
    for what, count in _DEEDS.items():
        if words[: len(what.split())] == what.split() and len(words) == len(what.split()) + count:
            return (what, words[-1]), platform
    if not words:
        raise ValueError("nothing on one side of `and`")
    action = commands.prepare(platform, words[0], words[1:])
    return ("node", action), commands.foresee(platform, words[0], words[1:])


def _expected(words):
    if words == [BASELINE]:
        return BASELINE
    devices = None
    if len(words) > 2 and words[-2] == "devices":
        words, devices = words[:-2], words[-1]
    if len(words) not in (4, 5) or words[0] not in SEVERITIES or words[1] not in _ALL_CHECKS:
        raise ValueError(
            f'expected {"|".join(SEVERITIES)} CHECK ENTITY [ERRORCODE,...] "MESSAGE" [devices'
            f' LIST], or {BASELINE}'
        )
    return show_event(*words[:3], words[3] if len(words) == 5 else "", words[-1], devices)
