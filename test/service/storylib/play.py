# SPDX-License-Identifier: Apache-2.0
"""One step after the other, each until what must come of it has come."""

from dataclasses import dataclass

from .machine import Machine, Trouble
from .script import BASELINE, Step, Story


@dataclass
class Act:
    """A step that was played: which of all events came in its time."""

    step: Step
    expected: list  # as text, the baseline written out
    first: int
    end: int


def play(story: Story, there: Machine):
    """What was played, and what went wrong meanwhile, if anything did; then nothing more is
    played."""
    acts = []
    for step in story.steps:
        act = Act(step, [], there.known(), 0)
        acts.append(act)
        try:
            _play_step(step, act, there)
        except Trouble as trouble:
            act.end = there.known()
            return acts, f"{story.path}:{step.line}: {step.when} {step.text}: {trouble}"
        act.end = there.known()
    return acts, None


def _play_step(step, act, there):
    for expected in step.expected:
        act.expected += there.baseline() if expected == BASELINE else [expected]
    for what, value in step.deeds:
        _do(what, value, there)
    if act.expected:
        there.wait(
            f"{len(act.expected)} events", lambda: there.known() >= act.first + len(act.expected)
        )
    elif there.service is not None:
        there.look_twice()
    if there.connector is not None and there.service is not None:
        there.wait("what is stored to come", lambda: there.known() >= there.stored())


def _do(what, value, there):
    if what == "node":
        there.do(value)
    elif what == "configuration becomes":
        there.write_config(value)
    else:
        {
            "service starts": there.start_service,
            "service stops": there.stop_service,
            "service reloads": there.reload_service,
            "machine shuts down": there.shut_down,
            "connector goes": there.disconnect,
            "connector returns": there.connect,
        }[what]()  # fmt: skip
