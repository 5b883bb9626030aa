# SPDX-License-Identifier: Apache-2.0
"""emit's spool: the conditions that `emit --standing` shows, made from the events in the order of
their storage.

Conditions differ by check, agent, entities and error codes. A healthy event ends those of its check
that have all its entities and no other codes than its own; without codes, all that have its
entities; without entities, all of its check. A condition that turns fatal starts anew, and a fatal
one stays fatal until it ends. A kernel log condition ends with the node's boot, and after an hour
if it is not fatal.
"""

from .item import codes_of, entities_of, item_of

LOG_CHECK = "SysLogsNICDriverError"
LOG_SECONDS = 3600


class Standing:
    """The conditions of one node. Times are seconds of the caller's clock."""

    def __init__(self):
        self.conditions = {}  # (check, agent, entities, codes) -> (Item, end or None)

    def take(self, event, now):
        """Store one event; `now` is its time."""
        check, agent, about, codes = (
            event["checkName"],
            event.get("agent"),
            entities_of(event),
            codes_of(event),
        )
        if not event["isHealthy"]:
            known = self.conditions.get((check, agent, about, codes))
            if known and known[0].fatal and not event["isFatal"]:
                return
            passes = check == LOG_CHECK and not event["isFatal"]
            self.conditions[check, agent, about, codes] = (
                item_of(event),
                now + LOG_SECONDS if passes else None,
            )
            return
        self._end(
            lambda key: key[0] == check
            and (
                not about
                or set(about) <= set(key[2])
                and (not codes or bool(key[3]) and set(key[3]) <= set(codes))
            )
        )

    def boot(self):
        """End the kernel log conditions at a boot of the node."""
        self._end(lambda key: key[0] == LOG_CHECK)

    def believed(self, now):
        """Return the set of standing Items."""
        return {item for item, end in self.conditions.values() if end is None or end > now}

    def _end(self, is_over):
        self.conditions = {key: value for key, value in self.conditions.items() if not is_over(key)}
