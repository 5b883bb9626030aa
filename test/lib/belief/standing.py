# SPDX-License-Identifier: Apache-2.0
"""emit's spool: the conditions that `emit --standing` shows, made of the events in the order in
which they are stored.

They are told apart by check, agent, entities and error codes. A healthy event ends those of its
check that are about all its entities and have no other codes than its own; without codes, all that
are about its entities; without entities, all of its check. What was not fatal and is said to be is
said anew; what is fatal stays so until it ends. What the kernel's log said ends with the boot of
the node, and after an hour when it is not fatal.
"""

from .item import codes_of, entities_of, item_of

LOG_CHECK = "SysLogsNICDriverError"
LOG_SECONDS = 3600


class Standing:
    """The conditions of one node. Times are seconds, of whatever clock the caller likes."""

    def __init__(self):
        self.conditions = {}  # (check, agent, entities, codes) -> (Item, end or None)

    def take(self, event, now):
        """One event, at the time that it has."""
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
        """The node has been booted: its old log says nothing any more."""
        self._end(lambda key: key[0] == LOG_CHECK)

    def believed(self, now):
        """Set of Item."""
        return {item for item, end in self.conditions.values() if end is None or end > now}

    def _end(self, is_over):
        self.conditions = {key: value for key, value in self.conditions.items() if not is_over(key)}
