# SPDX-License-Identifier: Apache-2.0
"""A node's entries, made from its Platform. Pure, without access to the disk.

Every path is relative to the node. A NIC comes in three parts, because they come and go apart:
the PCI function (survives its driver), the body (the directories of the RDMA device and its
interfaces) and the links by which the classes and the driver list it. Of an SMI device only what
is the RDMA device's own is laid out: the function is its parent's.
"""

import os

from . import hostlayout, names
from .entries import FILE, LINK, UNREADABLE, Entry, attribute, attributes

# The number of entries of a GID table; real ones have up to 1024.
_GIDS = 4
_ZERO_GID = ":".join(["0000"] * 8)


def node(platform):
    """Yield all entries in an order in which nothing is listed before it exists."""
    for bridge in platform.bridges:
        yield from _bus_entries(bridge, "0x8086", "0x060400")
    for gpu in platform.gpus:
        yield from _bus_entries(gpu, gpu.vendor, gpu.pci_class)
    for nic in platform.nics:
        yield from function(nic)
        yield from body(nic, platform)
    for nic in platform.nics:
        yield from links(platform, nic)
    yield from hostlayout.entries(platform)
    yield attribute(hostlayout.BOOT_ID, hostlayout.FIRST_BOOT_ID)


def function(nic):
    """Yield the PCI function without its driver."""
    if nic.parent is not None:
        return
    top = nic.pci_dir
    yield bus_link(nic)
    yield from attributes(
        top,
        vendor=nic.vendor,
        device=nic.pci_device,
        numa_node=nic.numa_node,
        **_pci_link(nic),
        sriov_totalvfs=nic.sriov_totalvfs,
    )
    yield Entry(f"{top}/class", FILE, f"{_pci_class(nic):#08x}\n")
    if nic.sriov_totalvfs is not None:
        yield attribute(f"{top}/sriov_numvfs", len(nic.virtual_functions))
    for number, address in enumerate(nic.virtual_functions):
        yield Entry(f"{top}/virtfn{number}", LINK, f"../{address}")
    if nic.physfn is not None:
        yield Entry(f"{top}/physfn", LINK, f"../{nic.physfn}")


def _pci_link(nic):
    """Return the PCI link's attributes; those of a virtual function are unknown to the kernel."""
    speed, width = ("32.0 GT/s PCIe", 16) if nic.physfn is None else ("Unknown", 0)
    return {"current_link_speed": speed, "current_link_width": width}


def _bus_entries(function, vendor, pci_class):
    """Yield a function that is not a NIC's."""
    yield bus_link(function)
    yield from attributes(
        function.pci_dir, vendor=vendor, numa_node=function.numa_node, **{"class": pci_class}
    )


def bus_link(function):
    """Return the link in bus/pci/devices."""
    target = f"../../../{_below_sys(function.pci_dir)}"
    return Entry(f"sys/bus/pci/devices/{function.pci_address}", LINK, target)


def uevent(nic, bound):
    """Return the uevent file of the PCI function; `bound` tells whether it has a driver."""
    text = f"DRIVER={nic.driver}\n" if bound and nic.driver else ""
    text += f"PCI_CLASS={_pci_class(nic):X}\n"
    if nic.vendor and nic.pci_device:
        text += f"PCI_ID={nic.vendor[2:].upper()}:{nic.pci_device[2:].upper()}\n"
    return Entry(f"{nic.pci_dir}/uevent", FILE, f"{text}PCI_SLOT_NAME={nic.pci_address}\n")


def body(nic, platform, dangling=None):
    """Yield what the driver adds below the function, without the RDMA device if it is dangling."""
    if nic.parent is None:
        yield uevent(nic, bound=True)
        for port in nic.ports:
            if port.netdev is not None:
                yield from _interface(nic, port)
    yield from rdma_body(nic, platform, nic.dangling if dangling is None else dangling)


def rdma_body(nic, platform, dangling=False):
    """Yield the part of it that belongs to the RDMA device."""
    if not nic.absorbed:
        if not dangling:
            yield from _rdma_device(nic, platform)
        yield from _nodes(nic)


def _nodes(nic):
    """Yield the entries of its device nodes. An SMI device is for management only."""
    if nic.parent is None:
        yield from attributes(verbs_dir(nic), ibdev=nic.device, abi_version=1)
    for port in nic.ports:
        for mad in mad_dirs(nic, port):
            yield from attributes(mad, ibdev=nic.device, port=port.number)


def verbs_dir(nic):
    """Return the directory of the device's verbs node."""
    return f"{nic.pci_dir}/infiniband_verbs/uverbs{nic.index}"


def mad_dirs(nic, port):
    """Return the directories of a port's nodes for management datagrams.

    The port of a multi-plane NIC is not a port of the subnet: its planes are, as the ports of the
    SMI device.
    """
    if port.umad is None:
        return []
    kinds = ("umad",) if nic.planes else ("umad", "issm")
    return [f"{nic.pci_dir}/infiniband_mad/{kind}{port.umad}" for kind in kinds]


def chardev_dir(nic, port, kind):
    """Return the directory of a device's or port's node of that kind, or None."""
    if kind == "uverbs":
        return verbs_dir(nic) if nic.parent is None else None
    directories = [mad for mad in mad_dirs(nic, port) if os.path.basename(mad).startswith(kind)]
    return directories[0] if directories else None


def chardev_files(nic, directory):
    """Return the files of a node."""
    return [entry for entry in _nodes(nic) if os.path.dirname(entry.path) == directory]


def chardev_link(nic, directory):
    """Return the link to a node in its class."""
    kind, name = directory.split("/")[-2:]
    return _class_link(nic.pci_dir, kind, name)


def naming(nic):
    """Return the files that have the name of the RDMA device."""
    return [entry for entry in _nodes(nic) if entry.path.endswith("/ibdev")]


def links(platform, nic):
    """Yield the links of classes, driver and stacked interfaces to the device."""
    top = nic.pci_dir
    if nic.parent is None and nic.driver is not None:
        yield Entry(f"{top}/driver", LINK, _from(top, f"sys/bus/pci/drivers/{nic.driver}"))
        bound = f"sys/bus/pci/drivers/{nic.driver}/{nic.pci_address}"
        yield Entry(bound, LINK, f"../../../../{_below_sys(top)}")
    for port in nic.ports:
        if port.netdev is not None:
            yield _class_link(top, "net", port.netdev.name)
    for other in platform.virtual_netdevs:
        for port in nic.ports:
            if port.netdev is not None and port.netdev.name in other.lowers:
                virtual = hostlayout.virtual_dir(other.name)
                target = _from(virtual, nic.net_dir(port.netdev))
                yield Entry(f"{virtual}/lower_{port.netdev.name}", LINK, target)
    yield from rdma_links(nic)


def rdma_links(nic):
    """Yield those links that belong to the RDMA device."""
    if nic.absorbed:
        return
    top = nic.pci_dir
    for port in nic.ports:
        for mad in mad_dirs(nic, port):
            yield _class_link(top, "infiniband_mad", os.path.basename(mad))
    # The link that scanners list comes last, but for uverbs: as in the kernel, a device that comes
    # or goes never has that without the other.
    yield class_link(nic)
    if nic.parent is None:
        yield _class_link(top, "infiniband_verbs", os.path.basename(verbs_dir(nic)))


def class_link(nic):
    """Return the link in class/infiniband."""
    return _class_link(nic.pci_dir, "infiniband", nic.device)


def _class_link(top, kind, name):
    target = f"../../{_below_sys(top)}/{kind}/{name}"
    return Entry(f"sys/class/{kind}/{name}", LINK, target)


def _from(directory, path):
    """Return the target of a link in `directory` that leads to `path`."""
    return os.path.relpath(path, directory)


def _below_sys(path):
    """Remove sys/: a link never leads out of /sys, so that it works wherever sysfs is mounted."""
    return path.removeprefix("sys/")


def _pci_class(nic):
    """Return the class of the network controller: InfiniBand or Ethernet, like the first port."""
    return 0x020700 if nic.ports[0].link_layer == "InfiniBand" else 0x020000


def _rdma_device(nic, platform):
    top = nic.rdma_dir
    yield Entry(f"{top}/device", LINK, f"../../../{nic.pci_address}")
    yield Entry(f"{top}/subsystem", LINK, _from(top, "sys/class/infiniband"))
    named_after = nic.index if nic.parent is None else platform.nic(nic.parent).index
    yield from attributes(
        top,
        hca_type=nic.hca_type,
        fw_ver=nic.fw_ver,
        board_id=nic.board_id,
        node_type="5: <unknown>" if nic.efa else "1: CA",
        node_guid=f"0c42:a103:00{named_after >> 16:02x}:{named_after & 0xFFFF:04x}",
    )
    if nic.efa:
        yield from _counters(f"{top}/hw_counters", names.EFA_DEVICE_COUNTERS)
    for port in nic.ports:
        yield from port_entries(nic, port)


def _counters(top, files):
    """Yield a directory of the driver's own counters."""
    for name in files:
        yield Entry(f"{top}/{name}", FILE, "0\n")
    yield attribute(f"{top}/{names.LIFESPAN}", names.LIFESPAN_MS)


def port_entries(nic, port):
    """Yield the directory of one port."""
    top = nic.port_dir(port)
    yield from attributes(
        top,
        phys_state=port.phys_state,
        state=port.state,
        rate=port.rate,
        link_layer=port.link_layer,
        lid=port.lid,
        sm_lid=port.sm_lid,
    )
    if nic.efa:
        yield from _counters(f"{top}/hw_counters", names.EFA_PORT_COUNTERS)
        return
    if nic.driver in names.OTHER_PORT_COUNTERS:
        yield from _counters(f"{top}/hw_counters", names.OTHER_PORT_COUNTERS[nic.driver])
    else:
        yield from _mlx5_counters(top, port)
    if port.link_layer == "Ethernet" and port.netdev is not None:
        yield from _gid_table(top, port.netdev)


def _mlx5_counters(top, port):
    """Yield the parts of a port that are specific to mlx5."""
    for name in names.COUNTERS:
        yield Entry(f"{top}/counters/{name}", FILE, "0\n")
    yield from _counters(f"{top}/hw_counters", names.HW_COUNTERS)
    if port.link_layer == "Ethernet":
        for name in names.ROCE_HW_COUNTERS:
            yield Entry(f"{top}/hw_counters/{name}", FILE, "0\n")


def _gid_table(top, netdev):
    """Yield two used entries, link-local and IPv4-mapped; reading the others' attributes fails."""
    high, low = netdev.ifindex >> 8 & 0xFF, netdev.ifindex & 0xFF
    used = (
        f"fe80:0000:0000:0000:0e42:a1ff:fe{high:02x}:00{low:02x}",
        f"0000:0000:0000:0000:0000:ffff:0a00:{high:02x}{low:02x}",
    )
    for index in range(_GIDS):
        types, ndevs = (f"{top}/gid_attrs/{name}/{index}" for name in ("types", "ndevs"))
        if index < len(used):
            yield attribute(f"{top}/gids/{index}", used[index])
            yield attribute(types, "RoCE v2")
            yield attribute(ndevs, netdev.name)
        else:
            yield attribute(f"{top}/gids/{index}", _ZERO_GID)
            yield Entry(types, UNREADABLE)
            yield Entry(ndevs, UNREADABLE)


def _interface(nic, port):
    """Yield the directory of a port's network interface."""
    netdev = port.netdev
    top = nic.net_dir(netdev)
    # A link that is up was usually down once before.
    ups, downs = (1, 1) if netdev.operstate == "up" else (0, 1)
    yield Entry(f"{top}/device", LINK, f"../../../{nic.pci_address}")
    yield from link_state(nic, netdev)
    yield from attributes(
        top,
        carrier_changes=ups + downs,
        carrier_up_count=ups,
        carrier_down_count=downs,
        type=32 if port.link_layer == "InfiniBand" else 1,
        ifindex=netdev.ifindex,
        dev_port=nic.ports.index(port),
    )
    for name in names.STATISTICS:
        yield Entry(f"{top}/statistics/{name}", FILE, "0\n")
    for upper in netdev.uppers:
        yield Entry(f"{top}/upper_{upper}", LINK, _from(top, hostlayout.virtual_dir(upper)))


def link_state(nic, netdev):
    """Yield operstate and carrier of an interface as the description has them."""
    top = nic.net_dir(netdev)
    yield from attributes(top, operstate=netdev.operstate)
    yield carrier(top, netdev.operstate)


def carrier(top, operstate):
    """Return the carrier file for an operstate: reading it fails while administratively down."""
    path = f"{top}/carrier"
    if operstate in ("down", "notpresent"):
        return Entry(path, UNREADABLE)
    return attribute(path, 0 if operstate == "lowerlayerdown" else 1)
