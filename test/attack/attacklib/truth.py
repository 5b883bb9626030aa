# SPDX-License-Identifier: Apache-2.0
"""The real state of the node, in the terms of its receivers. Pure."""

from belief.item import Item

from .faults import COUNTED, DEVICES

CHECK = "InfiniBandStateCheck"


class Truth:
    """Follows the nicsim commands that faults.py draws."""

    def __init__(self):
        self.how = dict.fromkeys(DEVICES, "up")
        self.counted = False
        self.lines = []  # of the kernel's log

    def change(self, words):
        """Record a command."""
        command, what = words[0], words[1]
        device = what.partition("/")[0]
        if command == "kmsg":
            self.lines.append(what)
        elif command == "add":
            self.counted = True
        else:
            self.how[device] = {"down": "down", "remove": "gone"}.get(command, "up")

    def stands(self):
        """Return the set of all faults, as Item."""
        items = set()
        for device, how in self.how.items():
            if how == "down":
                items.add(Item(CHECK, (("NIC", device), ("NICPort", "1")), ("port_state",), True))
            elif how == "gone":
                items.add(Item(CHECK, (("NIC", device),), ("nic_gone",), True))
        if self.counted:
            items.add(Item(CHECK, (("NIC", COUNTED), ("NICPort", "1")), ("link_downed",), True))
        return items
