# SPDX-License-Identifier: Apache-2.0
"""A simulated node: laid out once, broken and mended case by case, in this process."""

import os
import shlex
import shutil
from typing import NamedTuple, Optional

from nicsimlib import commands, node

# A name that no platform has, as the driver makes it when it joins two functions.
NEW = "mlx5_bond_0"
OTHER = "renamed_9"


class Nic(NamedTuple):
    """One of a platform's NICs, as a fault sees it."""

    device: str
    port: str  # its first, DEV/N
    pci: str
    layer: str  # the link layer that it does not have
    interface: Optional[str]
    sister: Optional[str]  # the other function of its card
    planes: Optional[int]
    parent: Optional[str]
    has: object  # has(path): whether its port, or the device, has that file

    def fill(self, command):
        """The command with what it is about."""
        return command.format(
            dev=self.device,
            port=self.port,
            pci=self.pci,
            layer=self.layer,
            iface=self.interface,
            sister=self.sister,
            new=NEW,
            other=OTHER,
        )


class Stage:
    """The node of one platform in a directory that it may remove and make again."""

    def __init__(self, directory, description):
        self.directory, self.description = directory, description
        self.node = None
        self.lay_out()

    def lay_out(self):
        """As described."""
        shutil.rmtree(self.directory, ignore_errors=True)
        self.node = node.create(self.directory, self.description)

    def do(self, command):
        """One command of nicsim."""
        words = shlex.split(command)
        with self.node.lock():
            commands.prepare(self.node.platform, words[0], words[1:])(self.node)

    def mend(self, fault, nic):
        """As described, after this fault of that NIC; counters at 0."""
        if fault.scratch:
            self.lay_out()
            return
        # A part of a NIC has the files of the NIC's function.
        self.do(f"restore {nic.parent or nic.device}")
        # Parts of it, and virtual functions, have gone with it.
        for other in self.node.platform.nics:
            if not os.path.lexists(self.path(f"sys/class/infiniband/{other.device}")):
                self.do(f"restore {other.device}")

    def path(self, relative):
        """A file of the node."""
        return os.path.join(self.directory, relative)

    def nic(self, device):
        """The Nic of that name."""
        found = self.node.platform.nic(device)
        port = found.ports[0]
        bases = (found.port_dir(port), found.rdma_dir)

        def has(path):
            if path.startswith("net/"):
                return port.netdev is not None and os.path.exists(
                    self.path(f"{found.net_dir(port.netdev)}/{path[4:]}")
                )
            return any(os.path.exists(self.path(f"{base}/{path}")) for base in bases)

        # Both have ports of their own: the driver joins no others.
        sisters = [
            other.device for other in self.node.platform.nics
            if other.card == found.card and other.pci_address != found.pci_address
            and not other.physfn and not found.physfn
        ]  # fmt: skip
        return Nic(
            device, f"{device}/{port.number}", found.pci_address, "InfiniBand"
            if port.link_layer == "Ethernet" else "Ethernet",
            port.netdev and port.netdev.name, sisters[0] if sisters else None, found.planes,
            found.parent, has,
        )  # fmt: skip

    def names(self, nic):
        """{what a view may call it: the set of NICs it means}, by the names in the description.
        `nic` may have got another."""
        known = {}
        for other in self.node.platform.nics:
            for key in (
                (other.device, other.card)
                if other.parent
                else (other.device, other.pci_address, other.card)
            ):
                known.setdefault(key, set()).add(other.device)
        known[OTHER] = known[nic.device]
        known[NEW] = known[nic.device] | known.get(nic.sister, set())
        return known
