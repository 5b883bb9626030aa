"""Commands that take files and devices away and bring them back.

hang, unreadable, mend: one file. remove, dangle, restore: a device or port. reboot: everything.
"""

import os
import uuid
from hashlib import sha256

from . import hostlayout, layout, tree
from .errors import Missing, UsageError

# --- one file


def hang(node, target, name):
    """Whoever opens the file waits, until `mend`."""
    path = _stash(node, target, name)
    with tree.changing(os.path.dirname(path)):
        os.mkfifo(path)


def unreadable(node, target, name):
    """The file can be opened, reading it fails."""
    path = _stash(node, target, name)
    with tree.changing(os.path.dirname(path)):
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
        with tree.changing(os.path.dirname(path)):
            os.rename(path, stashed)
    return path


def mend(node, target, name):
    """Put the file back; a reader that hung gets the value, as when firmware answers at last."""
    path = node.find(target, name)
    if not os.path.lexists(node.stashed(path)):
        raise Missing(f"{target}: {name} is neither hung nor unreadable")
    _mend(node, path)


def _mend(node, path):
    with tree.changing(os.path.dirname(path)):
        os.rename(path, node.new)
        os.rename(node.stashed(path), path)
    # Only now, so that a reader that comes back at once finds the mended file.
    tree.release(node.new, tree.read(path) if os.path.isfile(path) else "")
    node.discard(node.new)


# --- a device or port


def remove(node, target):
    """The device, or one port of it, vanishes as when the driver is unbound or the card dies."""
    nic, port = target
    place = _place(target)
    listed = place if port else layout.class_link(nic).path
    if not os.path.lexists(node.path(listed)):
        raise Missing(f"{target}: not there (already removed)")
    if port:
        _take(node, nic, place)
    else:
        _withdraw(node, nic)


def dangle(node, target):
    """The class link stays, what it points to is gone."""
    if not os.path.isdir(node.path(target.nic.rdma_dir)):
        raise Missing(f"{target}: not there (already removed)")
    _take(node, target.nic, target.nic.rdma_dir)


def restore(node, target):
    """Bring a device or port back, freshly made. One that is there is made anew as well."""
    nic, port = target
    if port:
        _restore_port(node, nic, port)
    else:
        _withdraw(node, nic)
        tree.converge(node.root, layout.function(nic), node.discard)
        tree.converge(node.root, layout.body(nic, dangling=False), node.discard)
        tree.converge(node.root, layout.links(node.platform, nic), node.discard)
    # The old inodes were kept to here, hence none of the new files got the number of one.
    node.dig(nic.pci_address)


def _restore_port(node, nic, port):
    place = nic.port_dir(port)
    if not os.path.isdir(node.path(nic.rdma_dir)):
        raise Missing(f"{nic.device}: not there (removed?)")
    if os.path.lexists(node.path(place)):
        _take(node, nic, place)
    # Made aside and renamed, for a port that appears half made would lack half its counters.
    tree.converge(node.new, layout.port_entries(nic, port))
    with tree.changing(os.path.dirname(node.path(place))):
        os.rename(f"{node.new}/{place}", node.path(place))
    node.discard(node.new)
    if port.netdev is not None:
        for entry in layout.link_state(nic, port.netdev):
            node.put(entry)


def _place(target):
    nic, port = target
    return nic.port_dir(port) if port else nic.rdma_dir


def _withdraw(node, nic):
    """Take a device away, as far as it is there. The links go first: a listed device is whole."""
    for link in reversed(list(layout.links(node.platform, nic))):
        path = node.path(link.path)
        if os.path.lexists(path):
            with tree.changing(os.path.dirname(path)):
                os.unlink(path)
    for kind in ("infiniband", "infiniband_verbs", "infiniband_mad", "net"):
        if os.path.lexists(node.path(f"{nic.pci_dir}/{kind}")):
            _take(node, nic, f"{nic.pci_dir}/{kind}")
    node.put(layout.uevent(nic, bound=False))


def _take(node, nic, directory):
    node.discard(node.path(directory), name=nic.pci_address)
    node.drop_stash(directory)


# --- everything


def reboot(node):
    """The node as it was laid out, but for a new boot id.

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
        node.dig(nic.pci_address)


def _prune(node, entries):
    """Take away what commands have added to the devices."""
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
    """Random in looks, yet the same in each run of a test."""
    return uuid.UUID(bytes=sha256(old.encode()).digest()[:16], version=4)
