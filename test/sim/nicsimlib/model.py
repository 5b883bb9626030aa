# SPDX-License-Identifier: Apache-2.0
"""The platform description: parses and checks JSON, and returns an immutable Platform.

The format is that of test/fixtures/platforms/*.json; null means that the file does not exist. Names
become parts of paths, so this module rejects all that could leave the node's directory.
"""

import os

from . import forms, jsontext, pcilayout
from .errors import BadData, Missing
from .record import record


@record
class Netdev:
    """A network interface that belongs to a port."""

    name: str
    operstate: str | None
    ifindex: int
    uppers: tuple  # names of the interfaces stacked on it


@record
class Port:
    """One port of an RDMA device; attributes are the raw text of the files."""

    number: int
    link_layer: str | None
    state: str | None
    phys_state: str | None
    rate: str | None
    lid: str
    sm_lid: str
    netdev: Netdev | None
    umad: int | None  # number of its umad and issm, InfiniBand only


@record
class Nic:
    """One RDMA device and the PCI function under it."""

    index: int  # position in the description, also the number of its uverbs
    device: str
    pci_address: str
    pci_dir: str  # directory of the PCI function, relative to the node
    vendor: str | None
    pci_device: str | None
    driver: str | None
    numa_node: int | None
    hca_type: str | None
    fw_ver: str | None
    board_id: str | None
    dangling: bool
    physfn: str | None
    sriov_totalvfs: int | None
    virtual_functions: tuple  # PCI addresses
    planes: int | None  # of a multi-plane NIC: how many planes its port aggregates
    parent: str | None  # of an SMI device: the multi-plane NIC that it belongs to
    bonded: tuple  # of a bond: the names of the devices that it replaced
    absorbed: bool  # a bond has replaced it
    ports: tuple

    @property
    def efa(self):
        """Tell whether it is an EFA adapter of AWS."""
        return self.driver == "efa"

    @property
    def card(self):
        """Return the common part of the PCI addresses of a card's functions."""
        return self.pci_address.rpartition(".")[0]

    @property
    def rdma_dir(self):
        """Return the directory of the RDMA device, relative to the node."""
        return f"{self.pci_dir}/infiniband/{self.device}"

    def port_dir(self, port):
        """Return the directory of one of its ports, relative to the node."""
        return f"{self.rdma_dir}/ports/{port.number}"

    def net_dir(self, netdev):
        """Return the directory of one of its network interfaces, relative to the node."""
        return f"{self.pci_dir}/net/{netdev.name}"


@record
class Gpu:
    """A GPU, as far as the PCI bus shows it."""

    pci_address: str
    pci_dir: str
    vendor: str
    pci_class: str
    numa_node: int | None


@record
class VirtualNetdev:
    """A network interface without hardware: a bond, a bridge."""

    name: str
    operstate: str
    ifindex: int
    bond: bool
    lowers: tuple  # names of the interfaces it is stacked on


@record
class Platform:
    """A whole node."""

    name: str
    gpu_name: str
    gpus: tuple
    described_gpus: tuple  # the description's objects, unchanged
    nic_topology: dict | None
    bridges: tuple  # of the PCI bus
    route: str | None  # interface of the default route
    route_text: str | None  # or the whole of /proc/net/route
    nics: tuple
    virtual_netdevs: tuple

    def nic(self, device):
        """Return the NIC of that device name, or None."""
        return next((nic for nic in self.nics if nic.device == device), None)

    def sub_devices(self, nic):
        """Return the SMI devices that belong to a NIC."""
        return [other for other in self.nics if other.parent == nic.device]


def load(path):
    """Read and check a description; return (Platform, its text)."""
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read()
    except OSError as error:
        raise Missing(f"{path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise BadData(f"{path}: not UTF-8") from error
    try:
        return parse(jsontext.decode(text)), text
    except ValueError as error:
        raise BadData(f"{path}: {error}") from error
    except (KeyError, TypeError, AttributeError) as error:
        raise BadData(f"{path}: not a platform description ({error!r})") from error


def parse(raw):
    """Check a decoded description; raise ValueError, KeyError or TypeError if it is invalid."""
    virtual = raw.get("other_netdevs") or []
    described = [_whole(nic, raw["nics"]) for nic in raw["nics"]]
    uppers = {}
    for other in virtual:
        for lower in other.get("lower", []):
            uppers.setdefault(lower, []).append(other["netdev"])
    absorbed = {device for nic in described for device in nic.get("bonded", [])}
    functions = {}
    for nic in described:
        if nic.get("physfn"):
            functions.setdefault(nic["physfn"], []).append(nic["pci_address"])

    # Interfaces and umads are numbered in the order of the description; 1 is lo.
    ifindexes = iter(range(2, 1 << 31))
    umads = iter(range(1 << 31))
    described_gpus = raw.get("gpus", [])
    places, bridges = _lay_bus_out(raw, described, described_gpus)
    nics = tuple(
        _nic(index, nic, places, absorbed, functions, uppers, ifindexes, umads)
        for index, nic in enumerate(described)
    )
    virtual_netdevs = tuple(
        VirtualNetdev(
            _name(other["netdev"], "netdev"),
            other.get("operstate", "unknown"),
            next(ifindexes),
            bool(other.get("bond")),
            tuple(_name(lower, "lower") for lower in other.get("lower", [])),
        )
        for other in virtual
    )
    interfaces = [port.netdev.name for nic in nics for port in nic.ports if port.netdev]
    _unique("device", [nic.device for nic in nics])
    _unique("pci_address", [nic.pci_address for nic in nics if nic.parent is None])
    _unique("netdev", interfaces + [other.name for other in virtual_netdevs])
    for lower in uppers.keys() - set(interfaces):
        raise ValueError(f"lower: no NIC has the interface {lower!r}")
    for physfn in functions.keys() - {nic.pci_address for nic in nics}:
        raise ValueError(f"physfn: no NIC has the address {physfn!r}")
    return Platform(
        name=raw["name"],
        gpu_name=raw.get("gpu_name", "GPU"),
        gpus=tuple(_gpu(gpu, places) for gpu in described_gpus),
        described_gpus=tuple(described_gpus),
        nic_topology=raw.get("nic_topology"),
        bridges=bridges,
        route=raw.get("default_route_interface"),
        route_text=raw.get("proc_net_route"),
        nics=nics,
        virtual_netdevs=virtual_netdevs,
    )


def _whole(raw, nics):
    """Return the description of a NIC; that of an SMI device gets the parent's values and a port
    per plane."""
    if raw.get("parent") is None:
        return raw
    parent = next((nic for nic in nics if nic["device"] == raw["parent"]), None)
    if parent is None or parent.get("parent") is not None or not parent.get("planes"):
        raise ValueError(f"parent: {raw['parent']!r} is not a multi-plane NIC")
    shared = ("pci_address", "vendor", "pci_device", "driver", "numa_node", "link_layer",
        "hca_type",
              "fw_ver", "board_id", "sriov_totalvfs")  # fmt: skip
    ports = [
        dict(parent["ports"][0], port=plane, rate="200 Gb/sec (1X XDR)", netdev=None)
        for plane in range(1, parent["planes"] + 1)
    ]
    return {"ports": ports} | raw | {key: parent[key] for key in shared if key in parent}


def _lay_bus_out(raw, nics, gpus):
    """Return the directory of each PCI function, and the bridges."""
    for described in [*nics, *gpus]:
        if not forms.is_pci_address(described["pci_address"]):
            raise ValueError(f"bad pci_address {described['pci_address']!r}")
    rows = raw.get("nic_topology") or {}
    named = {nic.get("first_name", nic["device"]): nic["pci_address"] for nic in nics}
    # A virtual function is at the place of its physical function.
    cards = [(nic.get("physfn") or nic["pci_address"], nic.get("numa_node")) for nic in nics]
    places, bridges = pcilayout.places(
        [(gpu["pci_address"], gpu["numa_node"]) for gpu in gpus],
        cards,
        {address: rows[name] for name, address in named.items() if name in rows},
        raw.get("flat", False),
    )
    for nic, (card, _) in zip(nics, cards):
        places[nic["pci_address"]] = f"{os.path.dirname(places[card])}/{nic['pci_address']}"
    return places, bridges


def _gpu(raw, places):
    return Gpu(
        pci_address=raw["pci_address"],
        pci_dir=places[raw["pci_address"]],
        vendor=raw.get("vendor", "0x10de"),
        pci_class=raw.get("pci_class", "0x030200"),
        numa_node=raw["numa_node"],
    )


def _nic(index, raw, places, absorbed, functions, uppers, ifindexes, umads):
    pci_address = raw["pci_address"]
    if not raw["ports"]:
        raise ValueError(f"{raw['device']}: no ports")
    ports = tuple(
        _port(index, position, raw, port, uppers, ifindexes, umads)
        for position, port in enumerate(raw["ports"])
    )
    _unique(f"port of {raw['device']}", [port.number for port in ports])
    driver = raw.get("driver")
    return Nic(
        index=index,
        device=_name(raw["device"], "device"),
        pci_address=pci_address,
        pci_dir=places[pci_address],
        vendor=raw.get("vendor"),
        pci_device=raw.get("pci_device", _pci_device(raw.get("hca_type"))),
        driver=None if driver is None else _name(driver, "driver"),
        numa_node=raw.get("numa_node"),
        hca_type=raw.get("hca_type"),
        fw_ver=raw.get("fw_ver"),
        board_id=raw.get("board_id"),
        dangling=bool(raw.get("dangling")),
        physfn=raw.get("physfn"),
        sriov_totalvfs=raw.get("sriov_totalvfs"),
        virtual_functions=tuple(sorted(functions.get(pci_address, []))),
        planes=raw.get("planes"),
        parent=raw.get("parent"),
        bonded=tuple(_name(device, "bonded") for device in raw.get("bonded", [])),
        absorbed=raw["device"] in absorbed,
        ports=ports,
    )


def _port(index, position, nic, raw, uppers, ifindexes, umads):
    number = raw["port"]
    if type(number) is not int or number < 1:
        raise ValueError(f"{nic['device']}: bad port {number!r}")
    # An interface of the NIC belongs to its first port.
    owner = raw if "netdev" in raw else nic if position == 0 else {}
    netdev = None
    if owner.get("netdev") is not None:
        name = _name(owner["netdev"], "netdev")
        netdev = Netdev(name, owner.get("operstate"), next(ifindexes), tuple(uppers.get(name, ())))
    link_layer = raw.get("link_layer")
    infiniband = link_layer == "InfiniBand"
    return Port(
        number=number,
        link_layer=link_layer,
        state=raw.get("state"),
        phys_state=raw.get("phys_state"),
        rate=raw.get("rate"),
        # The subnet manager has LID 1; RoCE ports have no LID.
        lid=raw.get("lid", f"{2 + index:#x}" if infiniband else "0x0"),
        sm_lid=raw.get("sm_lid", "0x1" if infiniband else "0x0"),
        netdev=netdev,
        umad=next(umads) if infiniband else None,
    )


def _pci_device(hca_type):
    """Convert NVIDIA's hca_type, the PCI device id in decimal: MT4129 is 0x1021."""
    number = (hca_type or "").removeprefix("MT")
    return f"{int(number):#06x}" if number != hca_type and forms.is_number(number) else None


def _name(text, what):
    if not forms.is_name(text):
        raise ValueError(f"bad {what} {text!r}")
    return text


def _unique(what, values):
    seen = set()
    for value in values:
        if value in seen:
            raise ValueError(f"{what} {value!r} occurs twice")
        seen.add(value)
