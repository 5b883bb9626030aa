# SPDX-License-Identifier: Apache-2.0
"""Where the views differ and are right, each with its reason (pure).

An exception is for contradictions of the rules it names, and only where its condition holds. Each
has to be met in a run of every combination: one that is not is stale, and fails.
"""

from typing import Callable, NamedTuple

from .relation import ONCE, SERVICE, TABLE, rule


class Context(NamedTuple):
    """What was played."""

    fault: object  # faults.Fault
    dark: frozenset  # NICs with a port that was not up when the service saw it first
    watched: frozenset  # NICs that the service watched from its first scan on


class Difference(NamedTuple):
    """One difference that is meant."""

    name: str
    why: str
    rules: tuple
    holds: Callable  # (Contradiction, Context)


_LOOKS = tuple(
    rule(SERVICE, level, whom) for level in ("fatal", "non-fatal") for whom in (ONCE, TABLE)
)
_SILENT_SERVICE = tuple(
    rule(who, level, SERVICE)
    for who, level in ((ONCE, "fatal"), (ONCE, "degraded"), (ONCE, "unknown"), (TABLE, "!!"))
)

_DOUBT = (rule(ONCE, "unknown", SERVICE), rule(TABLE, "!!", SERVICE))

_METADATA_NAMES = ("is in the GPU metadata", "lost", "no driver")


def _says(*texts):
    return lambda found, _context: any(text in found.said.text for text in texts)


def _renamed_and(text):
    return lambda found, context: text in found.said.text and any(
        command.split()[0] in ("rename", "bond") for step in context.fault.steps for command in step
    )


EVERY = (
    Difference(
        "history",
        "A look does not know what counters counted before it, nor that a link "
        "went down and came up: the manual says so.",
        _LOOKS,
        _says("(value=", ": flapping - "),
    ),
    Difference(
        "full",
        "A counter that is at its maximum counted before anybody looked: for "
        "--once a note, doc/decisions.md of 2026-11-21.",
        (rule(SERVICE, "non-fatal", ONCE), rule(SERVICE, "non-fatal", TABLE)),
        _says("is at its maximum"),
    ),
    Difference(
        "dark",
        "A port that is not up when the service first sees it is muted without evidence "
        "(spec#port-first-seen); whoever looks is told of the doubt.",
        _DOUBT,
        # A bond has the state of one of its NICs.
        lambda found, context: bool(found.said.about & context.dark) and "DOWN" in found.said.text,
    ),
    Difference(
        "unwatched",
        "The service is silent about a NIC that it does not watch; when it cannot "
        "be read or is gone, who has not seen it cannot tell that.",
        _DOUBT,
        lambda found, context: bool(found.said.about) and not found.said.about & context.watched,
    ),
    Difference(
        "unseen",
        "For the service only what it has seen can disappear (spec#device-gone); the names "
        "of the GPU metadata are for who looks.",
        _SILENT_SERVICE,
        lambda found, context: bool(context.fault.start)
        and _says(*_METADATA_NAMES)(found, context),
    ),
    Difference(
        "renamed",
        "The GPU metadata has a NIC's old name; the service has seen the name change.",
        (rule(ONCE, "unknown", SERVICE),),
        _renamed_and("is in the GPU metadata"),
    ),
    Difference(
        "renamed and down",
        "Under a name that the GPU metadata does not have a NIC is taken for "
        "storage, and has no peers there.",
        (rule(SERVICE, "fatal", TABLE),),
        _renamed_and("renamed"),
    ),
    Difference(
        "unlisted",
        "A look knows an adapter that is gone from the GPU metadata, which need not have "
        "EFA adapters; the service has seen it.",
        (rule(SERVICE, "fatal", ONCE), rule(SERVICE, "fatal", TABLE)),
        _says("EFA device"),
    ),
    Difference(
        "may be lost",
        "The GPU metadata has names only: where a doubt is left which NIC is "
        "missing, a look warns, doc/decisions.md of 2026-11-22.",
        (rule(SERVICE, "fatal", TABLE),),
        lambda found, context: "disappeared" in found.said.text
        and any("only in GPU metadata" in answer.text for answer in found.answers),
    ),
)


def excuse(contradiction, context):
    """The first of them that it is, or None."""
    if contradiction.said is None:
        return None
    return next(
        (
            one
            for one in EVERY
            if contradiction.rule in one.rules and one.holds(contradiction, context)
        ),
        None,
    )
