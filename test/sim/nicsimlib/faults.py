# SPDX-License-Identifier: Apache-2.0
"""Commands that remove files and devices and restore them.

hang, unreadable, mend: one file. remove, unregister, eject, strip, dangle, restore: a device or
port. reboot: everything.
"""

import os

from . import host, hostlayout, layout, tree
from .errors import Missing, UsageError

# --- one file


def hang(node, target, name):
    """Make opening the file block until `mend`."""
    path = _stash(node, target, name)
    with tree.Changing(os.path.dirname(path)):
        os.mkfifo(path)


def unreadable(node, target, name):
    """Make reading the file fail, while it can be opened."""
    path = _stash(node, target, name)
    with tree.Changing(os.path.dirname(path)):
        os.mkdir(path)


def _stash(node, target, name):
    """Clear a file's place and return it; the file itself is kept for `mend`."""
    path = node.find(target, name)
    if not os.path.lexists(path):
        raise Missing(f"{target}: no file {name}")
    stashed = node.stashed(path)
    if os.path.lexists(stashed):
        node.discard(path)
    elif os.path.isdir(path) and os.listdir(path):
        raise UsageError(f"{name}: is a directory")
    else:
        with tree.Changing(os.path.dirname(path)):
            os.rename(path, stashed)
    return path


def mend(node, target, name):
    """Put the file back; a hanging reader gets the value, as when firmware finally answers."""
    path = node.find(target, name)
    if not os.path.lexists(node.stashed(path)):
        raise Missing(f"{target}: {name} is neither hung nor unreadable")
    _mend(node, path)


def _mend(node, path):
    with tree.Changing(os.path.dirname(path)):
        os.rename(path, node.new)
        os.rename(node.stashed(path), path)
    # Do this last, so that a reader that opens the file again finds the mended one.
    tree.release(node.new, tree.read(path) if os.path.isfile(path) else "")
    node.discard(node.new)


# --- a device or port


def remove(node, target):
    """Remove the device, or one port of it, as when the driver is unbound or the card dies."""
    nic, port = target
    place = _place(target)
    listed = place if port else layout.class_link(nic).path
    if not os.path.lexists(node.path(listed)):
        raise Missing(f"{target}: not there (already removed)")
    if port:
        _take(node, nic, place)
    else:
        _withdraw(node, nic)
        host.interfaces_go(node, _interfaces(nic))


def unregister(node, target):
    """Remove the RDMA device; the PCI function keeps its driver and interfaces."""
    check_listed(node, target.nic)
    withdraw_rdma(node, target.nic)


def check_listed(node, nic):
    """Raise Missing unless the class lists the device."""
    if not os.path.lexists(node.path(layout.class_link(nic).path)):
        raise Missing(f"{nic.device}: not there (already removed)")


def eject(node, target):
    """Remove the PCI function from the bus with everything on it and its virtual functions."""
    nic = target.nic
    if nic.parent is not None:
        raise UsageError(f"{target}: has no PCI function of its own")
    listed = layout.bus_link(nic).path
    if not os.path.lexists(node.path(listed)):
        raise Missing(f"{target}: its PCI function is not there (already ejected)")
    for other in node.platform.nics:
        if other.physfn == nic.pci_address and os.path.lexists(node.path(other.pci_dir)):
            _eject(node, other)
    _eject(node, nic)


def _eject(node, nic):
    _withdraw(node, nic)
    host.interfaces_go(node, _interfaces(nic))
    _unlink(node, layout.bus_link(nic))
    _take(node, nic, nic.pci_dir)


def strip(node, target):
    """Remove the ports of a listed device, as for a moment whenever a driver comes or goes."""
    ports = f"{target.nic.rdma_dir}/ports"
    if not os.path.isdir(node.path(ports)):
        raise Missing(f"{target}: has no ports (removed?)")
    _take(node, target.nic, ports)


def dangle(node, target):
    """Remove the target of the device's class link."""
    if not os.path.isdir(node.path(target.nic.rdma_dir)):
        raise Missing(f"{target}: not there (already removed)")
    _take(node, target.nic, target.nic.rdma_dir)


def restore(node, target):
    """Make a device or port anew, whether it was removed or not."""
    nic, port = target
    if port:
        _restore_port(node, nic, port)
    elif nic.parent is not None:
        register(node, nic)
    else:
        _withdraw(node, nic)
        tree.converge(node.root, layout.function(nic), node.discard)
        body = layout.body(nic, node.platform, dangling=False)
        tree.converge(node.root, body, node.discard)
        tree.converge(node.root, layout.links(node.platform, nic), node.discard)
        host.interfaces_return(node, _interfaces(nic))
    # The old inodes were kept until now, so no new file has the number of one.
    node.dig(_grave(nic))


def register(node, nic):
    """Make the RDMA device of an existing PCI function (again), as its driver does."""
    if not os.path.isdir(node.path(nic.pci_dir)):
        raise Missing(f"{nic.device}: its PCI function is not there (ejected?)")
    parent = nic.parent and node.platform.nic(nic.parent)
    if parent is not None and not os.path.isdir(node.path(parent.rdma_dir)):
        raise Missing(f"{nic.parent}: not there (removed?)")
    withdraw_rdma(node, nic)
    tree.converge(node.root, layout.rdma_body(nic, node.platform), node.discard)
    tree.converge(node.root, layout.rdma_links(nic), node.discard)


def _restore_port(node, nic, port):
    place = nic.port_dir(port)
    if not os.path.isdir(node.path(nic.rdma_dir)):
        raise Missing(f"{nic.device}: not there (removed?)")
    if os.path.lexists(node.path(place)):
        _take(node, nic, place)
    # Make it aside and rename it: a port that appears half made would lack half its counters.
    tree.converge(node.new, layout.port_entries(nic, port))
    with tree.Changing(os.path.dirname(node.path(place))):
        os.rename(f"{node.new}/{place}", node.path(place))
    node.discard(node.new)
    if port.netdev is not None:
        for entry in layout.link_state(nic, port.netdev):
            node.put(entry)


def _interfaces(nic):
    return {port.netdev.name for port in nic.ports if port.netdev is not None}


def _place(target):
    nic, port = target
    return nic.port_dir(port) if port else nic.rdma_dir


def _withdraw(node, nic):
    """Remove a device and its driver, as far as they exist."""
    withdraw_rdma(node, nic)
    if nic.parent is not None:
        return
    for link in reversed(list(layout.links(node.platform, nic))):
        _unlink(node, link)
    if os.path.lexists(node.path(f"{nic.pci_dir}/net")):
        _take(node, nic, f"{nic.pci_dir}/net")
    if os.path.lexists(node.path(nic.pci_dir)):
        node.put(layout.uevent(nic, bound=False))


def withdraw_rdma(node, nic):
    """Remove the RDMA device, after its SMI devices.

    The links go first: a listed device is whole.
    """
    for sub_device in node.platform.sub_devices(nic):
        withdraw_rdma(node, sub_device)
    for link in reversed(list(layout.rdma_links(nic))):
        _unlink(node, link)
    directories = [nic.rdma_dir, layout.verbs_dir(nic)]
    directories += [mad for port in nic.ports for mad in layout.mad_dirs(nic, port)]
    for directory in directories:
        if os.path.lexists(node.path(directory)):
            _take(node, nic, directory)
    # Remove the directories that are empty now, too.
    for directory in {os.path.dirname(directory) for directory in directories}:
        path = node.path(directory)
        if os.path.isdir(path) and not os.listdir(path):
            _take(node, nic, directory)


def withdraw_node(node, nic, link, directory):
    """Remove a character device, as far as it exists."""
    _unlink(node, link)
    if os.path.lexists(node.path(directory)):
        _take(node, nic, directory)


def _unlink(node, link):
    path = node.path(link.path)
    if os.path.lexists(path):
        with tree.Changing(os.path.dirname(path)):
            os.unlink(path)


def _grave(nic):
    """Return the name under which removed parts of a device are kept."""
    return f"{nic.pci_address}-{nic.index}"


def _take(node, nic, directory):
    node.discard(node.path(directory), name=_grave(nic))
    node.drop_stash(directory)


# --- everything


def reboot(node):
    """Lay the node out anew, with a new boot id.

    What exists is written in place, so a monitor that (unlike a real one) lives through this sees
    no device vanish. The boot id is written last: whoever sees the new one sees a node that is
    new in all the rest.
    """
    for path in node.all_stashed():
        _mend(node, path)
    boot_id = node.path(hostlayout.BOOT_ID)
    entries = [entry for entry in layout.node(node.platform) if entry.path != hostlayout.BOOT_ID]
    _prune(node, entries)
    tree.converge(node.root, entries, node.discard)
    node.write(boot_id, f"{_next_boot_id(tree.read(boot_id))}\n")
    for nic in node.platform.nics:
        node.dig(_grave(nic))


def _prune(node, entries):
    """Remove what commands have added to the devices."""
    planned = set()
    for entry in entries:
        path = entry.path
        while path and path not in planned:
            planned.add(path)
            path = path.rpartition("/")[0]
    for nic in node.platform.nics:
        for directory, directories, files in os.walk(node.path(nic.pci_dir)):
            for name in files + list(directories):
                path = f"{directory}/{name}"
                if os.path.relpath(path, node.root) not in planned:
                    node.discard(path)
                    if name in directories:
                        directories.remove(name)


def _next_boot_id(old):
    """Return a UUID of version 4 that looks random and is the same in each run of a test."""
    # Loading it takes a while, and few commands need it.
    from hashlib import sha256  # pylint: disable=import-outside-toplevel

    digits = sha256(old.encode()).hexdigest()
    variant = "89ab"[int(digits[16], 16) % 4]
    return f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-{variant}{digits[17:20]}-{digits[20:32]}"
