# SPDX-License-Identifier: Apache-2.0
"""A node with six NICs, and its scans as annotated records (what ibscan and topoclass would
write)."""

import datetime
import json
import time

# Midnight of the first day; nothing depends on the date.
FIRST_DAY = 1_772_323_200

# name, PCI address, role, link layer. Of the four InfiniBand cards, three healthy ones outvote one;
# two Ethernet cards can only tie, so neither decides about the other.
DEVICES = (
    ("mlx5_0", "0000:18:00.0", "compute", "InfiniBand"),
    ("mlx5_1", "0000:3a:00.0", "compute", "InfiniBand"),
    ("mlx5_2", "0000:5d:00.0", "compute", "InfiniBand"),
    ("mlx5_3", "0000:9a:00.0", "compute", "InfiniBand"),
    ("mlx5_4", "0000:ab:00.0", "storage", "Ethernet"),
    ("mlx5_5", "0000:cc:00.0", "storage", "Ethernet"),
)

# The counters of each port, by their record's map.
COUNTERS = {
    "counters": (
        "link_downed",
        "local_link_integrity_errors",
        "symbol_error",
        "link_error_recovery",
        "port_rcv_errors",
    ),
    "hw_counters": ("rnr_nak_retry_err", "local_ack_timeout_err"),
    "net": ("carrier_changes",),
}

# Placeholders for scan number, wall clock and boot time in the prepared text of a scan.
SCAN, STAMP, BOOTTIME = "@SCAN@", "@STAMP@", "@BOOTTIME@"


def stamp(seconds):
    """Format as RFC 3339 with microseconds, as in records: the texts sort like the times."""
    whole = int(seconds)
    return (
        time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(whole))
        + f".{round((seconds - whole) * 1e6):06d}Z"
    )


def stamp_seconds(text):
    """Parse the format of stamp()."""
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


def record(**fields):
    """Format one line; placeholders of numbers lose their quotes."""
    text = json.dumps(fields, separators=(",", ":"))
    return text.replace(f'"{SCAN}"', SCAN).replace(f'"{BOOTTIME}"', BOOTTIME) + "\n"


class Device:
    """One NIC with one port. Call changed() after each change, so that the node formats it
    again."""

    def __init__(self, name, pci, role, link_layer):
        self.name, self.pci, self.role, self.link_layer = name, pci, role, link_layer
        self.card = pci.rpartition(".")[0]
        self.text = None
        self.restart()

    def restart(self):
        """The state after a reboot or a reload of the driver: healthy, and all counters at 0."""
        self.listed, self.error, self.has_port = True, None, True
        self.values = {name: 0 for names in COUNTERS.values() for name in names}
        self.growth = {}
        self.set_rate(400, 4)
        self.set_state("ACTIVE", "LinkUp", "up")

    def changed(self):
        self.text = None

    def set_state(self, state, phys_state, operstate):
        self.state, self.phys_state, self.operstate = state, phys_state, operstate
        self.changed()

    def set_rate(self, rate_gbps, lanes):
        self.rate_gbps, self.rate = rate_gbps, f"{rate_gbps} Gb/sec ({lanes}X NDR)"
        self.changed()

    def up(self):
        self.set_state("ACTIVE", "LinkUp", "up")

    def down(self):
        self.set_state("DOWN", "Disabled", "down")

    def add(self, counter, count):
        self.values[counter] += count
        self.changed()

    def grow(self, counter, per_second):
        """Let the counter grow by this much from now on; 0 stops it."""
        self.growth = {counter: per_second} if per_second else {}

    def reset(self, *counters):
        """Reset the counters, like an administrator."""
        self.growth = {}
        for counter in counters:
            self.values[counter] = 0
        self.changed()

    def pass_time(self, seconds):
        for counter, per_second in self.growth.items():
            self.add(counter, int(per_second * seconds))

    def render(self):
        if self.text is None:
            self.text = self.render_device() + (self.render_port() if self.port_count() else "")
        return self.text

    def port_count(self):
        return int(self.error is None and self.has_port)

    def render_device(self):
        fields = dict(
            kind="device",
            scan=SCAN,
            device=self.name,
            pci=self.pci,
            vendor="0x15b3",
            driver="mlx5_core",
            hca_type="MT4129",
            numa_node=0,
            vf=False,
            ports=self.port_count(),
        )
        if self.error is not None:
            fields["error"] = self.error
        return record(
            **fields, role=self.role, monitored=True, reason="topo_pix_pxb", card=self.card
        )

    def render_port(self):
        maps = {
            group: {name: self.values[name] for name in names} for group, names in COUNTERS.items()
        }
        return record(
            kind="port",
            scan=SCAN,
            ts=STAMP,
            boottime_ns=BOOTTIME,
            device=self.name,
            port=1,
            link_layer=self.link_layer,
            state=self.state,
            phys_state=self.phys_state,
            operstate=self.operstate,
            rate_gbps=self.rate_gbps,
            rate=self.rate,
            **maps,
            role=self.role,
            monitored=True,
            card=self.card,
        )


class Node:
    """The devices and the clock. scan() returns the current scan."""

    def __init__(self, interval):
        self.interval = interval
        self.devices = [Device(*row) for row in DEVICES]
        self.boots = 0
        self.now = FIRST_DAY
        self.boot()

    def boot(self):
        self.boots += 1
        # Minutes pass without a scan.
        self.now += 300
        self.booted = self.now - 40
        self.scans = 0
        for device in self.devices:
            device.restart()

    def seconds_of_boot(self):
        return self.now - self.booted

    def pass_time(self):
        self.now += self.interval
        for device in self.devices:
            device.pass_time(self.interval)

    def scan(self):
        self.scans += 1
        listed = [device for device in self.devices if device.listed]
        unreadable = [device.name for device in listed if device.error is not None]
        begin = record(
            kind="scan.begin",
            v=1,
            scan=SCAN,
            node="gpu-42",
            boot_id=f"boot-{self.boots}",
            ts=STAMP,
            boottime_ns=BOOTTIME,
            interval_ms=int(self.interval * 1000),
            topology={"gpu_numa": [0], "default_route_device": None, "nics": len(listed)},
        )
        end = record(
            kind="scan.end",
            scan=SCAN,
            ts=STAMP,
            boottime_ns=BOOTTIME,
            devices=len(listed),
            ports=sum(device.port_count() for device in listed),
            complete=not unreadable,
            unreadable=unreadable,
            duration_us=800,
        )
        text = begin + "".join(device.render() for device in listed) + end
        boottime = str(int(self.seconds_of_boot() * 1e9))
        return (
            text.replace(SCAN, str(self.scans))
            .replace(STAMP, stamp(self.now))
            .replace(BOOTTIME, boottime)
        )

    def layer_of(self, name, _port):
        """Return the link layer of a device's port, or "" if it never had the device."""
        return next((device.link_layer for device in self.devices if device.name == name), "")
