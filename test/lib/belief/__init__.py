# SPDX-License-Identifier: Apache-2.0
"""What receivers believe of a node, and what the node's own programs hold to stand.

    item.py         what both are said in: a condition of a node (pure)
    condition.py    NVSentinel's platform connector: a node condition for each check (pure)
    quarantine.py   NVSentinel's fault quarantine: the keys that keep a node cordoned (pure)
    standing.py     emit's spool: what `emit --standing` shows (pure)
    alerts.py       Prometheus' Alertmanager: the alerts that are firing (pure)

    held.py         what ctreval holds to stand: its state file, read latch by latch (pure)
    courier.py      what lies between: batches, cut anywhere, some of them sent again (pure)
    audience.py     all receivers of a node, and where one of them is wrong (pure)

Each model has the rules of one receiver and nothing else; ../../receivers.bats has a small test for
each rule.
"""
