# SPDX-License-Identifier: Apache-2.0
"""Every single fault that nicsim knows, and its end, as commands for one NIC (pure).

A fault is what happens to a node that was as its platform describes it: `start` before anybody
looked, then each of `steps` while the service was watching. {dev} is the NIC, {port} its first port
as DEV/N, {new} and {other} names that nobody has, {sister} the other function of its card, {iface}
its network interface, {layer} the link layer that it does not have.
"""

from typing import Callable, NamedTuple


class Fault(NamedTuple):
    """What happens, and to which NICs it can."""

    name: str
    steps: tuple  # each a tuple of commands
    applies: Callable = lambda nic: True
    start: tuple = ()  # commands
    scratch: bool = False  # `restore` does not undo it: the node is made anew
    alike: bool = False  # to others: what holds for some NICs will for the rest
    hour: bool = False  # an hour passes at the end: the window of a counter


# What a command of nicsim does that none of these faults has.
NO_FAULT = {"show": "changes nothing"}

# (state, phys_state), as far as something else may come of each of them.
_STATES = (
    ("DOWN", "LinkUp"), ("DOWN", "Sleep"), ("DOWN", "LinkErrorRecovery"), ("DOWN", "Phy Test"),
    ("INIT", "LinkUp"), ("INIT", "Polling"),
    ("ARMED", "LinkUp"), ("ACTIVE", "Polling"), ("ACTIVE", "Disabled"), ("ACTIVE_DEFER", "LinkUp"),
    ("9: ODD", "9: ODD"),
)  # fmt: skip

# File and how much of it is more than any threshold allows. Of the hour's the rate a second is
# none.
_COUNTS = (
    ("counters/link_downed", 1), ("counters/link_downed", 3),
    ("counters/excessive_buffer_overrun_errors", 1), ("counters/local_link_integrity_errors", 1),
    ("hw_counters/rnr_nak_retry_err", 1), ("counters/symbol_error", 50000),
    ("counters/link_error_recovery", 200), ("counters/port_rcv_errors", 50000),
    ("hw_counters/out_of_sequence", 10**6), ("hw_counters/local_ack_timeout_err", 10**5),
    ("counters/port_xmit_discards", 50000),
    ("counters/port_xmit_wait", 10**8), ("hw_counters/roce_slow_restart", 10**5),
    ("net/carrier_changes", 9),
)  # fmt: skip

# Files whose loss may change what a NIC is taken for.
_PORT_FILES = ("state", "phys_state", "rate", "link_layer", "counters/symbol_error", "gids/0")
_DEVICE_FILES = ("fw_ver", "hca_type", "node_guid", "device/numa_node", "device/vendor")

_NO_GID = "0000:0000:0000:0000:0000:0000:0000:0000"


def _has_pci_function(nic):
    return nic.parent is None


def _is_infiniband(nic):
    """EFA adapters have no such counter."""
    return nic.layer == "Ethernet" and nic.parent is None and nic.has("counters/symbol_error")


def _has_interface(nic):
    return nic.interface is not None


def _has(path):
    return lambda nic: nic.has(path)


def _one(name, *commands, **more):
    return Fault(name, (commands,), **more)


def _files():
    for path in _PORT_FILES:
        for command in ("unreadable", "hang"):
            yield _one(f"{command} {path}", f"{command} {{port}} {path}", applies=_has(path))
    for path in _DEVICE_FILES:
        yield _one(f"unreadable {path}", f"unreadable {{dev}} {path}", applies=_has(path))
    yield _one(
        "hang device/numa_node", "hang {dev} device/numa_node", applies=_has("device/numa_node")
    )
    for command in ("unreadable", "hang"):
        yield Fault(
            f"{command} state, mend", ((f"{command} {{port}} state",), ("mend {port} state",))
        )


def _values():
    for path in ("state", "phys_state", "rate", "link_layer"):
        yield _one(f"set {path} to nothing", f"set {{port}} {path} ''")
    yield _one("set rate", "set {port} rate '10 Gb/sec (1X QDR)'")
    yield _one("set rate of one lane", "set {port} rate '25 Gb/sec (1X EDR)'")
    yield _one("set link_layer", "set {port} link_layer {layer}")
    yield _one("set gids/1", f"set {{port}} gids/1 {_NO_GID}", applies=_has("gids/1"))
    yield _one(
        "set every gid",
        f"set {{port}} gids/0 {_NO_GID}",
        f"set {{port}} gids/1 {_NO_GID}",
        applies=_has("gids/1"),
    )
    yield _one("set numa_node", "set {dev} device/numa_node 7", applies=_has_pci_function)
    yield _one("set numa_node -1", "set {dev} device/numa_node -1", applies=_has_pci_function)
    yield _one("set hca_type", "set {dev} hca_type MT41692")
    yield _one("set fw_ver", "set {dev} fw_ver 1.2.3")


def _counters():
    for path, amount in _COUNTS:
        yield _one(
            f"add {path} {amount}", f"add {{port}} {path} {amount}", applies=_has(path), alike=True
        )
    path = "counters/symbol_error"
    yield _one(
        "add symbol_error, an hour", f"add {{port}} {path} 200", applies=_has(path), hour=True
    )
    full = "set {port} counters/local_link_integrity_errors 15"
    yield Fault(
        "a counter full from the start", (), applies=_has("counters/symbol_error"), start=(full,)
    )
    yield Fault(
        "counted before the start",
        (),
        applies=_has("counters/symbol_error"),
        start=("add {port} counters/link_downed 3",),
    )
    yield Fault(
        "add, reset",
        (("add {port} counters/link_downed 1",), ("reset {port}",)),
        applies=_has("counters/symbol_error"),
    )


def _comings_and_goings():
    for command in ("remove", "unregister", "eject", "strip", "dangle"):
        applies = _has_pci_function if command in ("unregister", "eject") else lambda nic: True
        yield _one(command, f"{command} {{dev}}", applies=applies)
        yield Fault(
            f"{command}, restore", ((f"{command} {{dev}}",), ("restore {dev}",)), applies=applies
        )
        yield Fault(
            f"{command} before the start", (), applies=applies, start=(f"{command} {{dev}}",)
        )
    yield _one("remove a port", "remove {port}")
    yield Fault("remove a port, restore", (("remove {port}",), ("restore {port}",)))
    yield _one("restore", "restore {dev}")
    yield _one("reboot", "reboot", scratch=True)
    yield Fault("down, reboot", (("down {port}",), ("reboot",)), scratch=True)
    yield _one("rename", "rename {dev} {other}", scratch=True)
    yield Fault(
        "rename, and back", (("rename {dev} {other}",), ("rename {other} {dev}",)), scratch=True
    )
    yield Fault("down, rename", (("down {port}",), ("rename {dev} {other}",)), scratch=True)
    yield _one(
        "smi",
        "smi {new} {dev}",
        applies=lambda nic: nic.planes and nic.parent is None,
        scratch=True,
    )
    sisters = "bond {new} {dev} {sister}"
    yield _one("bond", sisters, applies=lambda nic: nic.sister, scratch=True)
    yield Fault(
        "bond, unbond",
        ((sisters,), ("unbond {new}",)),
        applies=lambda nic: nic.sister,
        scratch=True,
    )


def _ports():
    for command in ("down", "unplug"):
        yield _one(command, f"{command} {{port}}")
        yield Fault(f"{command}, up", ((f"{command} {{port}}",), ("up {port}",)))
        yield Fault(f"{command} before the start", (), start=(f"{command} {{port}}",))
    for state, phys_state in _STATES:
        yield _one(f"state {state} {phys_state}", f"state {{port}} '{state}' '{phys_state}'")
    yield _one("operstate", "state {port} ACTIVE LinkUp down", applies=_has_interface)
    yield _one("carrier", "carrier {port} 0", applies=_has_interface)
    yield Fault("flaps", 3 * (("unplug {port}",), ("up {port}",)))


def _nodes():
    for node in ("uverbs {dev}", "umad {port}"):
        kind = node.split()[0]
        yield _one(f"no {kind}", f"chardev remove {node}", applies=_is_infiniband)
        yield Fault(
            f"no {kind}, restore",
            ((f"chardev remove {node}",), (f"chardev restore {node}",)),
            applies=_is_infiniband,
        )
        yield _one(f"no class of {kind}", f"chardev remove {kind}", scratch=True)
    yield Fault(
        "no umad before the start",
        (),
        applies=_is_infiniband,
        start=("chardev remove umad {port}",),
    )


def _host():
    yield _one("route", "route {iface}", applies=_has_interface, scratch=True)
    yield _one("route none", "route none", scratch=True)
    yield _one(
        "kmsg",
        (
            "kmsg \"mlx5_core {pci}: poll_health:800:(pid 0): device's health compromised - reached"
            " miss count\""
        ),
        scratch=True,
    )


def every():
    """[Fault], in an order that stays the same."""
    return [
        *_ports(),
        *_comings_and_goings(),
        *_files(),
        *_values(),
        *_counters(),
        *_nodes(),
        *_host(),
    ]


def commands_used():
    """{name}: the commands that a fault has."""
    return {
        command.split()[0]
        for fault in every()
        for step in (fault.start, *fault.steps)
        for command in step
    }
