# SPDX-License-Identifier: Apache-2.0
"""Commands that change values: set, add, reset, state, down, unplug, up, carrier. All in place."""

import os

from . import forms, layout, names
from .errors import BadData, Missing


def set_value(node, target, name, value):
    """Write a value to a file, which is created if missing."""
    node.write(node.find(target, name), f"{value}\n")


def add(node, target, name, amount):
    """Increase a counter without wrapping or saturating, for which there is `set`."""
    path = node.find(target, name)
    value = node.read(path)
    if value is None:
        raise Missing(f"{target}: no file {name}")
    if not forms.is_number(value):
        raise BadData(f"{target}: {name} is not a number: {value!r}")
    node.write(path, f"{int(value) + amount}\n")


def reset(node, target):
    """Set all counters of a port to 0, as perfquery -x and a firmware reset do."""
    for kind in ("counters", "hw_counters"):
        directory = os.path.dirname(node.find(target, f"{kind}/any"))
        # An EFA adapter's port has no counters/.
        for name in sorted(os.listdir(directory)) if os.path.isdir(directory) else ():
            if name != names.LIFESPAN:
                node.write(f"{directory}/{name}", "0\n")


def set_states(node, target, state=None, phys_state=None, operstate=None):
    """Write the given raw texts.

    The order matters, since nobody reads the three files at one instant. DOWN is the accusation
    and the others are its circumstances: DOWN next to a stale LinkUp would count as fatal where
    DOWN and Polling does not. So state is written last when the link goes down and first when it
    comes up, and a reader that begins with state never sees DOWN without the reason.
    """
    writes = [("state", state), ("phys_state", phys_state), ("net/operstate", operstate)]
    if state != names.state_text("ACTIVE"):
        writes.reverse()
    # Write all or nothing: find each file before writing any.
    found = [(node.find(target, name), text) for name, text in writes if text is not None]
    for path, text in found:
        node.write(path, f"{text}\n")


def down(node, target):
    """Disable the port, as `ip link set down` does."""
    _link(node, target, "DOWN", "Disabled", "down")


def unplug(node, target):
    """Pull the cable."""
    nic, _ = target
    down = "Disabled" if nic.driver in names.NEVER_POLLING else "Polling"
    _link(node, target, "DOWN", down, "lowerlayerdown")


def up(node, target):
    """Make the link trained and active."""
    _link(node, target, "ACTIVE", "LinkUp", "up")


def carrier(node, target, value):
    """Change only the carrier of the interface."""
    path = node.find(target, "net/carrier")
    if node.read(path) != value:
        node.write(path, f"{value}\n")
        add(node, target, "net/carrier_changes", 1)
        add(node, target, f"net/carrier_{'up' if value == '1' else 'down'}_count", 1)


def _link(node, target, state, phys_state, operstate):
    nic, port = target
    state_text = names.state_text(state)
    before = node.read(node.find(target, "state"))
    if nic.efa:
        # Its driver always reports ACTIVE and LinkUp.
        before, state_text = node.read(node.find(target, "net/operstate")), operstate
        set_states(node, target, operstate=operstate)
    elif port.netdev is None:
        set_states(node, target, state_text, names.phys_state_text(phys_state))
        return
    else:
        set_states(node, target, state_text, names.phys_state_text(phys_state), operstate)
    node.put(layout.carrier(nic.net_dir(port.netdev), operstate))
    if before != state_text:
        # The test sets the port's own link_downed if it wants to.
        add(node, target, "net/carrier_changes", 1)
        add(node, target, f"net/carrier_{'up' if state == 'ACTIVE' else 'down'}_count", 1)
