# SPDX-License-Identifier: Apache-2.0
"""Models of what receivers believe of a node, and the standing faults of the node's own programs.

    item.py         a condition of a node, in the terms of both (pure)
    condition.py    NVSentinel's platform connector: a node condition for each check (pure)
    quarantine.py   NVSentinel's fault quarantine: the keys that keep a node cordoned (pure)
    standing.py     emit's spool: what `emit --standing` shows (pure)
    alerts.py       Prometheus' Alertmanager: the alerts that are firing (pure)

    held.py         ctreval's standing faults: its state file, latch by latch (pure)
    courier.py      delivery: random batches, some of them sent again (pure)
    audience.py     all receivers of a node, and where one of them is wrong (pure)

Each model has the rules of one receiver and nothing else; ../../receivers.bats has a small test for
each rule.
"""
