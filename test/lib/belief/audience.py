# SPDX-License-Identifier: Apache-2.0
"""All receivers: each gets the stored events in its own way, and its beliefs are checked."""

from .condition import NodeConditions
from .courier import Courier
from .held import Owed, held
from .quarantine import Quarantine
from .standing import Standing


class Audience:
    """The receivers of one node's events. `has_ports(device)` tells whether a device has several
    ports."""

    def __init__(self, chance, has_ports, courier=Courier):
        self.has_ports = has_ports
        self.events = []  # stored, in order
        self.conditions, self.quarantine, self.standing = (
            NodeConditions(chance),
            Quarantine(),
            Standing(),
        )
        self.courier = courier(self.events, self._deliver)

    def store(self, event, now):
        """Store an event as emit does; `now` is its time in seconds."""
        self.events.append(event)
        self.standing.take(event, now)

    def forget(self, kept, seconds):
        """Lose all stored events after the first `kept`; none of these was delivered.
        `seconds(text)` parses a time."""
        del self.events[kept:]
        self.standing = Standing()
        for event in self.events:
            self.standing.take(event, seconds(event["generatedTimestamp"]))

    def send(self, chance, careful):
        """Deliver all stored events."""
        self.courier.send(chance, careful)

    def believed(self, now):
        """Return everything that any receiver believes, as texts."""
        items = self.conditions.believed() | self.standing.believed(now)
        return {str(item) for item in items} | {
            f"key {check} {'='.join(entity or ('node',))} {code}"
            for check, entity, code in self.quarantine.believed()
        }

    def _deliver(self, batch):
        self.conditions.take(batch)
        for event in batch:
            self.quarantine.take(event)

    def problems(self, state, ports, now):
        """Return texts about each fault that a receiver believes and this state file does not have,
        or the other way round. `ports` are the arguments of held() after the state."""
        stands, owed = held(state, *ports), Owed(state)
        wrong = [*self._compare(stands, owed, now)]
        return [*wrong, "what stands:", *sorted(f"    {item}" for item in stands)] if wrong else []

    def _compare(self, stands, owed, now):
        fatal = {item for item in stands if item.fatal}
        for name, believed, due in (
            ("the node condition", self.conditions.believed(), fatal),
            ("emit --standing", self.standing.believed(now), stands),
        ):
            for item in sorted(believed - due, key=str):
                if not owed.may_linger(item.check, item.entities[0] if item.entities else None):
                    yield f"{name} has what does not stand: {item}"
            for item in sorted(due - believed, key=str):
                # It may still be fatal from before the boot, since its clear is still due.
                if item._replace(fatal=True) in believed and owed.may_linger(
                    item.check, item.entities[0] if item.entities else None
                ):
                    continue
                yield f"{name} does not have: {item}"
        yield from self._compare_quarantine(fatal, owed)

    def _compare_quarantine(self, fatal, owed):
        keys = self.quarantine.believed()
        due = {
            (item.check, entity, code): item
            for item in fatal
            for entity in item.entities
            for code in item.codes or ("",)
        }
        for check, entity, code in sorted(keys - set(due), key=str):
            if not owed.may_linger(check, entity):
                yield (
                    "quarantine has a key of what does not stand:"
                    f" {check} {'='.join(entity or ('node',))} {code}"
                )
        for key, item in sorted(due.items(), key=str):
            if key not in keys and not self._is_excused(key, item):
                yield f"quarantine does not have the key {'='.join(key[1])} of: {item}"
        if fatal and not keys and not any(self._is_one_port_of_several(item) for item in fatal):
            yield "the node does not count as one to be cordoned"

    def _is_excused(self, key, item):
        """Tell whether a known limit of quarantine explains it: the recovery of another port also
        removed the key of this port's number or NIC."""
        removed = next(
            (by for one, by in self.quarantine.removed.items() if (one[0][2], *one[1:]) == key),
            None,
        )
        if removed is None or removed == item.entities:
            return False
        return key[1][0] == "NICPort" or self._is_one_port_of_several(item)

    def _is_one_port_of_several(self, item):
        return len(item.entities) > 1 and self.has_ports(item.entities[0][1])
