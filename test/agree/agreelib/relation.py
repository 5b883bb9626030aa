# SPDX-License-Identifier: Apache-2.0
"""What it is for the table, --once and the service to contradict each other (pure).

Each says something about some NICs: the service holds it fatal or non-fatal, --once finds it fatal,
degraded, unknown or a note, the table marks a row as a problem `!!`, a warning `!` or unclear `?`.
A statement is met by one of another view that is about one of its NICs and of one of the levels
below; if there is none, the two contradict each other.
"""

import re
from typing import NamedTuple

SERVICE, ONCE, TABLE = "the service", "--once", "the table"

_ANY_MARK = ("!!", "!", "?")
_ANY_FINDING = ("fatal", "degraded", "unknown", "note")
_ANY_EVENT = ("fatal", "non-fatal")

# Who says what, and what another view has to say then.
RULES = (
    # What will have killed the job is never healthy, whoever is asked, and never said to be merely
    # degraded.
    (SERVICE, ("fatal",), ONCE, ("fatal", "unknown")),
    (SERVICE, ("fatal",), TABLE, ("!!",)),
    (SERVICE, ("non-fatal",), ONCE, ("fatal", "degraded", "unknown")),
    (SERVICE, ("non-fatal",), TABLE, _ANY_MARK),
    # Nobody drains a node for what the service, which saw it happen, does not drain it for.
    (ONCE, ("fatal",), SERVICE, ("fatal",)),
    (ONCE, ("fatal",), TABLE, ("!!",)),
    (ONCE, ("degraded",), SERVICE, _ANY_EVENT),
    (ONCE, ("degraded",), TABLE, _ANY_MARK),
    # What cannot be told, something has happened to.
    (ONCE, ("unknown",), SERVICE, _ANY_EVENT),
    (ONCE, ("unknown",), TABLE, _ANY_MARK),
    # A row that a person is to look at is not what a script calls healthy.
    (TABLE, ("!!",), SERVICE, _ANY_EVENT),
    (TABLE, ("!!",), ONCE, ("fatal", "unknown")),
    (TABLE, ("!", "?"), ONCE, _ANY_FINDING),
)

_CODES = {"fatal": 1, "degraded": 2, "unknown": 3, "note": 0}


class Contradiction(NamedTuple):
    """Two views that cannot both be right."""

    rule: str  # `WHO LEVEL, WHOM`: what an exception names
    text: str
    said: object  # the Said that is not met; None: a view contradicts itself
    answers: tuple = ()  # what the other view says of the same NICs


def contradictions(service, once, table):
    """[Contradiction] of what stands at the service (None: there is no service), a views.Once and a
    views.Table."""
    said = {SERVICE: service, ONCE: once.said, TABLE: table.said}
    found = []
    for who, levels, whom, expected in RULES:
        if said[who] is None or said[whom] is None:
            continue
        for statement in said[who]:
            if statement.level in levels and not _is_met(statement, said[whom], expected):
                answers = tuple(other for other in said[whom] if other.about & statement.about)
                found.append(
                    Contradiction(
                        rule(who, statement.level, whom),
                        _text(who, statement, whom, answers),
                        statement,
                        answers,
                    )
                )
    return [*found, *_summing_up(once, table)]


def rule(who, level, whom):
    """The name of a rule, for one level."""
    return f"{who} {level}, {whom}"


def _text(who, statement, whom, answers):
    answer = "; ".join(f"{other.level}: {other.text}" for other in answers)
    return (
        f"{who} has {statement.level}: {statement.text}\n  and {whom} of that:"
        f" {answer or 'nothing'}"
    )


def _is_met(statement, others, levels):
    return any(
        other.level in levels
        and (not statement.about or not other.about or other.about & statement.about)
        for other in others
    )


def _summing_up(once, table):
    """The one line of each is what its lines come to."""
    worst = next(
        (level for level in _ANY_FINDING if any(said.level == level for said in once.said)), "note"
    )
    if once.code != _CODES[worst]:
        yield Contradiction(
            "--once itself", f"--once ends with {once.code}, and its worst finding is {worst}", None
        )
    marks = {said.level for said in table.said}
    verdict = table.headline.rpartition(": ")[2]
    if (verdict == "all well" and marks) or (
        re.search(r"\b[1-9]\d* problem", verdict) is not None
    ) != ("!!" in marks):
        yield Contradiction(
            "the table itself",
            (
                f"the table's headline is {table.headline!r}, and marks in its rows are"
                f" {sorted(marks)}"
            ),
            None,
        )
    if verdict == "all well" and once.code != 0:
        yield Contradiction(
            "all well",
            f"the table's headline is {table.headline!r}, and --once ends with {once.code}",
            None,
        )
