# SPDX-License-Identifier: Apache-2.0
"""The files of the host around the NICs: interfaces without hardware, routes, metadata. Pure."""

from . import jsontext
from .entries import FILE, LINK, Entry, attribute, attributes

BOOT_ID = "proc/sys/kernel/random/boot_id"
FIRST_BOOT_ID = "11111111-2222-4333-8444-555555555555"
KMSG = "dev/kmsg"
ROUTE = "proc/net/route"

_ROUTE_HEADER = (
    "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT\n"
)

# The lines of a host without IPv6 routes: the unreachable default and the loopback address, both on
# lo. The first is a trap for readers that take each ::/0 line for a default route.
_IPV6_ROUTE = "".join(
    f"{address} {length} {'0' * 32} 00 {'0' * 32} {metric} 00000001 00000000 {flags}       lo\n"
    for address, length, metric, flags in (
        ("0" * 31 + "1", "80", "00000000", "80200001"),
        ("0" * 32, "00", "ffffffff", "00200200"),
    )
)


def entries(platform):
    """Yield everything that belongs to no NIC, except the boot id."""
    yield attribute("sys/devices/system/node/online", _numa_nodes(platform))
    yield attribute("sys/class/infiniband_verbs/abi_version", 6)
    yield attribute("sys/class/infiniband_mad/abi_version", 5)
    yield from _modules(platform)
    yield from _virtual_interface("lo", "unknown", carrier_changes=0, ifindex=1)
    for other in platform.virtual_netdevs:
        yield from _virtual_interface(
            other.name, other.operstate, carrier_changes=1, ifindex=other.ifindex
        )
        if other.bond:
            slaves = f"{virtual_dir(other.name)}/bonding/slaves"
            yield attribute(slaves, " ".join(other.lowers))
    bonds = [other.name for other in platform.virtual_netdevs if other.bond]
    if bonds:
        yield attribute("sys/class/net/bonding_masters", " ".join(bonds))
    yield Entry(ROUTE, FILE, original_route_text(platform))
    yield Entry("proc/net/ipv6_route", FILE, _IPV6_ROUTE)
    yield Entry("var/lib/nvsentinel/gpu_metadata.json", FILE, _gpu_metadata(platform))
    yield Entry(KMSG, FILE)


def _modules(platform):
    """Yield the drivers' modules; mlx5_core is an out-of-tree version."""
    for driver in sorted({nic.driver for nic in platform.nics if nic.driver}):
        module = f"sys/module/{driver.replace('-', '_')}"
        if driver == "mlx5_core":
            yield attribute(f"{module}/version", "24.10-1.1.4")
        yield attribute(f"{module}/srcversion", "5C4E07BF2C3E6E1B9D9D9A0")


def _numa_nodes(platform):
    """Return the NUMA nodes with a function, as the kernel lists them."""
    nodes = {function.numa_node for function in (*platform.gpus, *platform.nics)}
    return ",".join(str(node) for node in sorted(nodes - {None, -1})) or "0"


def original_route_text(platform):
    """Return the description's content of /proc/net/route."""
    return platform.route_text or route_text(platform.route)


def route_text(interface):
    """Return the content of /proc/net/route with that default route, or with none."""
    if interface is None:
        return _ROUTE_HEADER
    return f"{_ROUTE_HEADER}{interface}\t00000000\t0100000A\t0003\t0\t0\t100\t00000000\t0\t0\t0\n"


def virtual_dir(name):
    """Return the directory of an interface without hardware."""
    return f"sys/devices/virtual/net/{name}"


def _virtual_interface(name, operstate, carrier_changes, ifindex):
    top = virtual_dir(name)
    yield from attributes(
        top, operstate=operstate, carrier_changes=carrier_changes, ifindex=ifindex
    )
    yield Entry(f"sys/class/net/{name}", LINK, f"../../devices/virtual/net/{name}")


def _gpu_metadata(platform):
    """Return the file that NVSentinel's metadata collector writes on the node."""
    metadata = {
        "version": "1.0",
        "timestamp": "2026-01-01T00:00:00Z",
        "node_name": platform.name,
        "driver_version": "580.00.00",
        "chassis_serial": None,
        "gpus": [
            {
                "gpu_id": gpu["gpu_id"],
                "uuid": f"GPU-00000000-0000-4000-8000-{gpu['gpu_id']:012d}",
                "pci_address": gpu["pci_address"],
                "serial_number": str(1000 + gpu["gpu_id"]),
                "device_name": platform.gpu_name,
                "nvlinks": [],
                "numa_node": gpu["numa_node"],
            }
            for gpu in platform.described_gpus
        ],
        "nvswitches": [],
    }
    if platform.nic_topology is not None:
        metadata["nic_topology"] = platform.nic_topology
    return jsontext.encode(metadata, indent=2) + "\n"
