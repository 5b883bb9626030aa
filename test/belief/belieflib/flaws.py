# SPDX-License-Identifier: Apache-2.0
"""Ways of breaking the property on purpose: a stand-in between ctreval and those who believe it. A
test that cannot see them is none."""

import json

from belief.courier import Courier


class Flaw:
    """None: everything goes on as it is."""

    careless = False  # the sender looks at no times
    courier = Courier

    def begin(self, player):
        """A story begins."""
        self.player = player
        self.names = {}  # id -> the line that went on, so that the same goes on again

    def scan(self):
        """There is a scan now."""

    def lines(self, lines):
        """What goes on of a scan's lines."""
        return lines


class _Change(Flaw):
    """Some events are others."""

    def lines(self, lines):
        out = []
        for line in lines:
            event = json.loads(line)
            if event["kind"] != "event":
                out.append(line)
                continue
            if event["id"] not in self.names:
                self.change(event)
                self.names[event["id"]] = json.dumps(event).encode() + b"\n"
            out.append(self.names[event["id"]])
        return out

    def change(self, event):
        """The event as it is to be."""
        raise NotImplementedError


class Code(_Change):
    """A port's recovery has no errorCode."""

    def change(self, event):
        if event["isHealthy"] and event.get("errorCode") == ["port_state"]:
            del event["errorCode"]


class Stamp(_Change):
    """All events of a scan have the same time, and the sender does not look at it."""

    careless = True

    def scan(self):
        self.time = None

    def change(self, event):
        self.time = self.time or event["generatedTimestamp"]
        event["generatedTimestamp"] = self.time


class Clear(_Change):
    """What clears a whole check is younger than what follows it, and the sender does not look at
    it."""

    careless = True

    def change(self, event):
        if event["isHealthy"] and not event.get("entitiesImpacted"):
            minute = (int(event["generatedTimestamp"][14:16]) + 1) % 60
            event[
                "generatedTimestamp"
            ] = f"{event['generatedTimestamp'][:14]}{minute:02}{event['generatedTimestamp'][16:]}"


class Rename(_Change):
    """What still stands is not said under a device's new name."""

    def begin(self, player):
        super().begin(player)
        self.before = self.named()
        self.renamed = False

    def named(self):
        """The devices' names."""
        return [device.name for device in self.player.node.devices]

    def scan(self):
        self.renamed = self.named() != self.before
        self.before = self.named()

    def change(self, event):
        if self.renamed:
            event["isHealthy"], event["isFatal"] = True, False


class Node(_Change):
    """What is cleared under the node's former name has the present one."""

    def change(self, event):
        event["nodeName"] = self.player.node.name


class _Disorderly(Courier):
    """Behind one batch in three comes the end of the one before it, again."""

    def send_one(self, chance, careful):
        before, end = self.position, super().send_one(chance, careful)
        if before >= 3 and end % 3 == 0:
            self.deliver(self.events[before - 3 : before])
        return end


class Batch(Flaw):
    """Now and then an old batch comes again, behind a later one."""

    courier = _Disorderly


FLAWS = {
    "none": Flaw,
    "code": Code,
    "stamp": Stamp,
    "clear": Clear,
    "rename": Rename,
    "node": Node,
    "batch": Batch,
}
