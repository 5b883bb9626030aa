# SPDX-License-Identifier: Apache-2.0
"""Define when the table, --once and the service contradict each other (pure).

Each of the three views makes statements about NICs: the service holds it fatal or non-fatal, --once
finds it fatal, degraded, unknown or a note, the table marks a row as a problem `!!`, a warning `!`
or unclear `?`.
A rule gives the levels that another view must report for the same NIC. If that view has no such
statement about one of the NICs, the two views contradict each other.
"""

import re
from typing import NamedTuple

SERVICE, ONCE, TABLE = "the service", "--once", "the table"

_ANY_MARK = ("!!", "!", "?")
_ANY_FINDING = ("fatal", "degraded", "unknown", "note")
_ANY_EVENT = ("fatal", "non-fatal")

# (view, its levels, other view, levels of which the other view must report one)
RULES = (
    # A fault that kills the job is neither healthy nor merely degraded in any view.
    (SERVICE, ("fatal",), ONCE, ("fatal", "unknown")),
    (SERVICE, ("fatal",), TABLE, ("!!",)),
    (SERVICE, ("non-fatal",), ONCE, ("fatal", "degraded", "unknown")),
    (SERVICE, ("non-fatal",), TABLE, _ANY_MARK),
    # --once must not drain a node for a fault that the service, which saw it happen, does not
    # report as fatal.
    (ONCE, ("fatal",), SERVICE, ("fatal",)),
    (ONCE, ("fatal",), TABLE, ("!!",)),
    (ONCE, ("degraded",), SERVICE, _ANY_EVENT),
    (ONCE, ("degraded",), TABLE, _ANY_MARK),
    # A NIC whose health is unknown has an event and a mark.
    (ONCE, ("unknown",), SERVICE, _ANY_EVENT),
    (ONCE, ("unknown",), TABLE, _ANY_MARK),
    # A row marked for a person is not healthy to a script.
    (TABLE, ("!!",), SERVICE, _ANY_EVENT),
    (TABLE, ("!!",), ONCE, ("fatal", "unknown")),
    (TABLE, ("!", "?"), ONCE, _ANY_FINDING),
)

_CODES = {"fatal": 1, "degraded": 2, "unknown": 3, "note": 0}


class Contradiction(NamedTuple):
    """Two views that cannot both be right."""

    rule: str  # `VIEW LEVEL, OTHER VIEW`, by which exceptions name the rule
    text: str
    said: object  # the unmet Said; None: a view contradicts itself
    answers: tuple = ()  # statements of the other view about the same NICs


def contradictions(service, once, table):
    """Return the contradictions between the service's active conditions (None: no service runs), a
    views.Once and a views.Table."""
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
    """Return the name of a rule for one level."""
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
    """Yield a contradiction if the exit code or headline of a view does not fit its other lines."""
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
