# SPDX-License-Identifier: Apache-2.0
"""Alertmanager: its labels identify an alert, which fires from the start to the end that were
posted last.

https://github.com/prometheus/alertmanager/blob/main/api/v2/openapi.yaml
"""

# Duration of an alert posted without an end: Alertmanager's `resolve_timeout`.
RESOLVE_SECONDS = 300


class AlertSet:
    """The alerts of one Alertmanager. Times are seconds."""

    def __init__(self):
        self.alerts = {}  # labels -> (start, end, annotations)

    def post(self, alerts, now):
        """Post [{"labels", "annotations", "startsAt", "endsAt"}], times in seconds or None.
        Return how many were rejected."""
        refused = 0
        for alert in alerts:
            # Empty labels do not count, and an alert needs a label.
            labels = frozenset((name, value) for name, value in alert["labels"].items() if value)
            end = alert.get("endsAt")
            start = alert.get("startsAt")
            start = start if start is not None else now
            if not labels or (end is not None and end < start):
                refused += 1
                continue
            known = self.alerts.get(labels)
            if known and known[1] > now:
                start = min(start, known[0])  # the same alert continues
            end = end if end is not None else now + RESOLVE_SECONDS
            self.alerts[labels] = (start, end, alert.get("annotations", {}))
        return refused

    def firing(self, now):
        """Return the labels of each firing alert as a dictionary."""
        return [dict(labels) for labels, (_, end, _) in self.alerts.items() if now < end]
