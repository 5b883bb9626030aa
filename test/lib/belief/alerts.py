# SPDX-License-Identifier: Apache-2.0
"""Alertmanager: an alert is known by its labels, and fires from the start to the end that were
posted last.

https://github.com/prometheus/alertmanager/blob/main/api/v2/openapi.yaml
"""

# Of an alert that was posted without an end: Alertmanager's `resolve_timeout`.
RESOLVE_SECONDS = 300


class AlertSet:
    """The alerts of one Alertmanager. Times are seconds."""

    def __init__(self):
        self.alerts = {}  # labels -> (start, end, annotations)

    def post(self, alerts, now):
        """[{"labels", "annotations", "startsAt", "endsAt"}], times as seconds or None. How many
        were refused."""
        refused = 0
        for alert in alerts:
            # An empty label is none, and an alert needs one.
            labels = frozenset((name, value) for name, value in alert["labels"].items() if value)
            end = alert.get("endsAt")
            start = alert.get("startsAt")
            start = start if start is not None else now
            if not labels or (end is not None and end < start):
                refused += 1
                continue
            known = self.alerts.get(labels)
            if known and known[1] > now:
                start = min(start, known[0])  # the same alert, which goes on
            end = end if end is not None else now + RESOLVE_SECONDS
            self.alerts[labels] = (start, end, alert.get("annotations", {}))
        return refused

    def firing(self, now):
        """The labels of each, as dictionaries."""
        return [dict(labels) for labels, (_, end, _) in self.alerts.items() if now < end]
