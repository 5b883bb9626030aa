# SPDX-License-Identifier: Apache-2.0
"""A node with a few NICs, and its scans as annotated records: what ibscan and topoclass would
write."""

import datetime
import json

MS = 10**6
SECOND = 10**9
_EPOCH = datetime.datetime(2026, 3, 1)

# state, phys_state, operstate by their short names
STATES = {
    "up": ("ACTIVE", "LinkUp", "up"),
    "down": ("DOWN", "Disabled", "down"),
    "polling": ("DOWN", "Polling", "lowerlayerdown"),
    "init": ("INIT", "LinkUp", "down"),
    "armed": ("ARMED", "LinkUp", "down"),
    "recovery": ("ACTIVE", "LinkErrorRecovery", "up"),
    "defer": ("ACTIVE_DEFER", "LinkUp", "up"),
    "unknown": (None, None, None),
}
RATES = {
    "full": (400, "400 Gb/sec (4X NDR)"),
    "half": (200, "200 Gb/sec (2X NDR)"),
    "other": (100, "100 Gb/sec (4X EDR)"),
    "none": None,
}

# What each port counts, by the record's map; the value at which a counter stops, 0: never.
COUNTERS = {
    "link_downed": ("counters", 255),
    "symbol_error": ("counters", 65535),
    "link_error_recovery": ("counters", 255),
    "rnr_nak_retry_err": ("hw_counters", 0),
    "local_ack_timeout_err": ("hw_counters", 0),
    "carrier_changes": ("net", 0),
}

# Stand for what is different in each scan, in text that is made once.
_SCAN, _STAMP, _BOOTTIME = "@SCAN@", "@STAMP@", "@BOOTTIME@"


def stamp(wall_ns):
    """RFC 3339 with microseconds: such texts sort like the times they are."""
    return (_EPOCH + datetime.timedelta(microseconds=wall_ns // 1000)).strftime(
        "%Y-%m-%dT%H:%M:%S.%fZ"
    )


def seconds(text):
    """The same the other way round."""
    return (datetime.datetime.fromisoformat(text[:-1]) - _EPOCH).total_seconds()


def _line(fields):
    text = json.dumps(fields, separators=(",", ":"))
    return text.replace(f'"{_SCAN}"', _SCAN).replace(f'"{_BOOTTIME}"', _BOOTTIME) + "\n"


class Port:
    """One port of a device."""

    def __init__(self, layer):
        self.layer = layer
        self.listed = True
        self.restart()

    def restart(self):
        """As after a boot or a reload of the driver: up, and nothing counted."""
        self.state, self.rate = "up", "full"
        self.nodes = {"umad": True, "issm": True}  # character devices
        self.values = dict.fromkeys(COUNTERS, 0)
        self.hidden = set()  # counters that cannot be read


class Device:
    """One PCI function with a NIC; or, with a `parent`, the planes of that one's port, on its
    function."""

    def __init__(self, name, pci, role, layers, vf=False, parent=None):
        self.name, self.pci, self.vf, self.parent = name, pci, vf, parent
        self.guid = f"a088:c203:00{pci[5:7]}:0a{pci[-1]}8"
        self.model = "MT4129"
        self.set_role(role)
        self.excluded = self.included = None
        self.ports = [Port(layer) for layer in layers]
        self.restart()

    def set_role(self, role):
        """What topoclass takes the NIC for."""
        self.role, self.monitored = role, role in ("compute", "storage")

    def restart(self):
        """Listed, readable, with all its ports."""
        # Or "unbound": on the bus without a driver; "idle": with one, and no RDMA device; "off":
        # not on the bus; "lost": nobody knows.
        self.where = "listed"
        self.error = None
        # Whether it has its node for verbs, and whether the classes of nodes can be listed.
        self.uverbs = self.nodes_known = True
        self.sees_ports = (
            True  # while it cannot be read: whether its ports' records are there all the same
        )
        for port in self.ports:
            port.listed = True
            port.restart()
        self.changed()

    def changed(self):
        """Something is not as it was: whoever changes anything says so."""
        self.text = None

    @property
    def is_listed(self):
        """Whether the class has it: planes go with their NIC."""
        return self.where == "listed" and (self.parent is None or self.parent.is_listed)

    @property
    def card(self):
        """The PCI address without the function."""
        return self.pci.rpartition(".")[0]

    def shown_ports(self):
        """(number, port) of those that a scan shows."""
        if self.error is not None and not self.sees_ports:
            return []
        return [(number, port) for number, port in enumerate(self.ports, 1) if port.listed]

    def lines(self):
        """Its records with placeholders, made once for each change."""
        # What is said of planes is their NIC's: its name, its role.
        if self.text is None or self.parent is not None:
            ports = [self._port_line(number, port) for number, port in self.shown_ports()]
            self.text = "".join([self._device_line(), *ports])
        return self.text

    def _device_line(self):
        fields = {
            "kind": "device", "scan": _SCAN, "device": self.name, "pci": self.pci,
            "vendor": "0x15b3", "driver": "mlx5_core",
            "hca_type": self.model, "node_guid": self.guid, "numa_node": 0, "vf": self.vf,
            "ports": len(self.shown_ports()),
        }  # fmt: skip
        if self.parent is not None:
            fields["parent"] = self.parent.name
        if self.nodes_known and any(port.layer == "InfiniBand" for _, port in self.shown_ports()):
            fields["uverbs"] = self.uverbs
        if self.error is not None:
            fields["error"] = self.error
        if self.error == "timeout":
            # For longer than the deadline, or not.
            fields["in_flight_ms"] = 800 if self.sees_ports else 11000
            fields["in_flight"] = "state"
        return _line(
            {**fields, **self._verdict(), "reason": "override" if self.included else "test"}
        )

    def _verdict(self):
        """What topoclass adds."""
        role, monitored = self.role, self.monitored
        if self.parent is not None:
            of_nic = self.parent._verdict()  # pylint: disable=protected-access
            role, monitored = of_nic["role"], of_nic["monitored"]
        excluded = self.excluded and self.excluded.search(self.name)
        monitored = (
            bool(self.included.search(self.name)) if self.included else monitored and not excluded
        )
        return {
            "role": None if excluded and not self.included else role,
            "monitored": monitored,
            "card": self.card,
        }

    def _port_line(self, number, port):
        state, phys_state, operstate = STATES[port.state]
        fields = {
            "kind": "port", "scan": _SCAN, "ts": _STAMP, "boottime_ns": _BOOTTIME,
            "device": self.name, "port": number,
            "link_layer": port.layer, "state": state, "phys_state": phys_state,
            "operstate": operstate,
        }  # fmt: skip
        if port.layer == "EFA":
            fields["netdev"] = f"ens{number}"
        if state is None:
            fields = {name: value for name, value in fields.items() if value is not None}
        if RATES[port.rate] and port.state == "up":
            fields["rate_gbps"], fields["rate"] = RATES[port.rate]
        if self.nodes_known and port.layer == "InfiniBand":
            fields |= port.nodes
        for group in ("counters", "hw_counters", "net"):
            fields[group] = {
                name: port.values[name]
                for name, (place, _) in COUNTERS.items()
                if place == group and name not in port.hidden
            }
        return _line({**fields, **self._verdict()})


class Node:
    """The devices and the clocks."""

    def __init__(self, devices, interval_s):
        self.devices = devices
        self.name = "gpu-0"
        self.interval_ms = int(interval_s * 1000)
        self.boots = 1
        self.boot_ns = 1000 * SECOND  # uptime
        self.wall_ns = 0  # since the first day
        self.class_listed = True
        self.scans = 0

    @property
    def boot_id(self):
        """Identifies the boot."""
        return f"boot-{self.boots}"

    def pass_time(self, ns):
        """Both clocks go on."""
        self.boot_ns += ns
        self.wall_ns += ns

    def set_scope(self, excluded, included):
        """Which names are left out, and which alone are looked at: an expression each, or
        nothing."""
        for device in self.devices:
            device.excluded, device.included = excluded, included
            device.changed()

    def reboot(self):
        """All counters anew, all devices as they are when nothing is wrong."""
        self.boots += 1
        self.boot_ns = 30 * SECOND
        self.wall_ns += 120 * SECOND
        self.class_listed = True
        for device in self.devices:
            device.restart()

    def layer_of(self, name, number):
        """The link layer of a port, by the name that its device has, or "" ."""
        for device in self.devices:
            if device.name == name and number <= len(device.ports):
                return device.ports[number - 1].layer
        return ""

    def stall(self, in_flight_s):
        """The text about a scan that has waited so long for a read."""
        return _line(
            {
                "kind": "scan.stall", "node": self.name, "ts": stamp(self.wall_ns),
                "boottime_ns": self.boot_ns, "in_flight_ms": 1000 * in_flight_s,
            }
        )  # fmt: skip

    def scan(self, lost):
        """The text of a scan now, without the records whose places, counted from 0, are in
        `lost`."""
        self.scans += 1
        listed = (
            [device for device in self.devices if device.is_listed] if self.class_listed else []
        )
        listed.sort(key=lambda device: (len(device.name), device.name))
        unreadable = [device.name for device in listed if device.error is not None]
        begin = {
            "kind": "scan.begin", "v": 1, "scan": self.scans, "node": self.name,
            "boot_id": self.boot_id,
            "ts": stamp(self.wall_ns), "boottime_ns": self.boot_ns, "interval_ms": self.interval_ms,
        }  # fmt: skip
        end = {
            "kind": "scan.end", "scan": self.scans, "ts": stamp(self.wall_ns + 2 * MS),
            "boottime_ns": self.boot_ns + 2 * MS,
            "devices": len(listed), "ports": sum(len(device.shown_ports()) for device in listed),
            "complete": self.class_listed and not unreadable, "unreadable": unreadable,
            "duration_us": 800,
        }  # fmt: skip
        if not self.class_listed:
            end["error"] = "ENOENT"
        if all(device.where != "lost" for device in self.devices):
            there = [device for device in self.devices if device.where != "off" and not device.vf]
            end["unbound"] = [device.pci for device in there if device.where == "unbound"]
            end["functions"] = [
                {"pci": device.pci, "driver": None if device.where == "unbound" else "mlx5_core"}
                for device in there
            ]
        text = (
            "".join(device.lines() for device in listed)
            .replace(_SCAN, str(self.scans))
            .replace(_STAMP, stamp(self.wall_ns + MS))
        )
        lines = [
            _line(begin),
            *text.replace(_BOOTTIME, str(self.boot_ns + MS)).splitlines(keepends=True),
            _line(end),
        ]
        return "".join(line for place, line in enumerate(lines) if place not in lost)
