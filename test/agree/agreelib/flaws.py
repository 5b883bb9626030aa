# SPDX-License-Identifier: Apache-2.0
"""Ways of breaking one view on purpose, so that it is seen that a contradiction would be (pure).

Each takes what stands at the service, a views.Once and a views.Table, and gives the same with a
flaw.
"""


def _none(stands, once, table):
    return stands, once, table


def _once_healthy(stands, once, table):
    """--once calls everything healthy."""
    return (
        stands,
        once._replace(code=0, said=[said for said in once.said if said.level == "note"]),
        table,
    )


def _once_timid(stands, once, table):
    """--once calls what is fatal degraded."""
    softer = [
        said._replace(level="degraded") if said.level == "fatal" else said for said in once.said
    ]
    return stands, once._replace(code=2 if once.code == 1 else once.code, said=softer), table


def _once_alarmed(stands, once, table):
    """--once calls what cannot be told fatal."""
    harder = [
        said._replace(level="fatal") if said.level == "unknown" else said for said in once.said
    ]
    return stands, once._replace(code=1 if once.code == 3 else once.code, said=harder), table


def _table_blind(stands, once, table):
    """The table marks no row, and says that all is well."""
    return stands, once, table._replace(headline="node: all well", said=[])


def _table_headline(stands, once, table):
    """The table's first line does not know of its rows."""
    return stands, once, table._replace(headline="node: all well")


def _service_deaf(_stands, once, table):
    """The service has seen nothing."""
    return [], once, table


FLAWS = {
    "none": _none, "once-healthy": _once_healthy, "once-timid": _once_timid,
    "once-alarmed": _once_alarmed,
    "table-blind": _table_blind, "table-headline": _table_headline, "service-deaf": _service_deaf,
}  # fmt: skip
