# SPDX-License-Identifier: Apache-2.0
"""Commands that make devices from others: smi, bond, unbond. They change the description, too."""

from . import faults, rename

# --- an SMI device: the planes of a multi-plane NIC, for the subnet manager


def add_smi(node, name, parent):
    """Add an SMI device, as `rdma dev add NAME type SMI parent PARENT` does."""
    node.describe(lambda nics: nics.append({"device": name, "parent": parent}))
    faults.register(node, node.platform.nic(name))


def foresee_smi(platform, words):
    """Return the platform after `smi NAME PARENT`, as far as later commands need it."""
    name, parent = words
    nic = platform.nic(parent)
    used = [port.umad for other in platform.nics for port in other.ports if port.umad is not None]
    umads = iter(range(max(used, default=-1) + 1, 1 << 31))
    ports = tuple(
        nic.ports[0]._replace(number=plane + 1, umad=next(umads) if used else None)
        for plane in range(nic.planes)
    )
    added = nic._replace(
        index=len(platform.nics), device=name, parent=parent, planes=None, ports=ports
    )
    return platform._replace(nics=(*platform.nics, added))


# --- a bond: one RDMA device in place of those of two functions of a card


def bond(node, name, first, second):
    """Replace both devices by one on the first function, as when their interfaces are bonded."""
    bonded = [first.device, second.device]
    for nic in (second, first):
        faults.check_listed(node, nic)
    for nic in (second, first):
        faults.withdraw_rdma(node, nic)

    def change(nics):
        rename.call(nics, first.index, name)
        nics[first.index]["bonded"] = bonded

    node.describe(change)
    faults.register(node, node.platform.nic(name))


def foresee_bond(platform, words):
    """Return the platform after `bond NAME DEV DEV`."""
    name, first, second = words
    nic = platform.nic(first)
    return rename.called(platform, nic._replace(bonded=(first, second)), name)


def unbond(node, nic):
    """Restore both devices under their names, as when the bond is dissolved."""
    first, second = nic.bonded
    faults.check_listed(node, nic)
    faults.withdraw_rdma(node, nic)

    def change(nics):
        rename.call(nics, nic.index, first)
        del nics[nic.index]["bonded"]

    node.describe(change)
    for device in (first, second):
        faults.register(node, node.platform.nic(device))


def foresee_unbond(platform, words):
    """Return the platform after `unbond NAME`."""
    nic = platform.nic(words[0])
    return rename.called(platform, nic._replace(bonded=()), nic.bonded[0])
