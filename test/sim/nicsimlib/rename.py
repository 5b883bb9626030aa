# SPDX-License-Identifier: Apache-2.0
"""The command rename: gives a device another name, as udev does (`rdma dev set`).

The device keeps its inodes, values, broken files, PCI function, interfaces and GUID. Files that
others have written with its old name, such as gpu_metadata.json, stay unchanged, too.
"""

import os

from . import layout, tree
from .errors import Missing


def rename(node, target, name):
    """Rename a device to `name`."""
    nic = target.nic
    renamed = nic._replace(device=name)
    if not os.path.isdir(node.path(nic.rdma_dir)):
        raise Missing(f"{target}: not there (removed?)")
    _move(node, nic, renamed)
    node.move_stash(nic.rdma_dir, renamed.rdma_dir)
    for entry in layout.naming(renamed):
        node.put(entry)
    node.describe(lambda nics: call(nics, nic.index, name))


def call(nics, index, name):
    """Rename the device in a description, also in the references of SMI devices."""
    for nic in nics:
        if nic.get("parent") == nics[index]["device"]:
            nic["parent"] = name
    # The first name still gives its place on the bus.
    nics[index].setdefault("first_name", nics[index]["device"])
    nics[index]["device"] = name


def foresee(platform, words):
    """Return the platform after `rename DEV NAME`."""
    device, name = words
    return called(platform, platform.nic(device), name)


def called(platform, nic, name):
    """Return a platform with another name for a device."""
    nics = [
        other._replace(parent=name) if other.parent == nic.device else other
        for other in platform.nics
    ]
    nics[nic.index] = nic._replace(device=name)
    return platform._replace(nics=tuple(nics))


def _move(node, nic, renamed):
    """Give directory and class link the new name.

    A link of real sysfs goes where its target is, whatever that is called at the moment. So here
    too the class has at each moment one name of the device, and what is behind it is the device:
    whoever saw neither, or a link that dangles, would have seen it disappear.
    """
    old, new = node.path(nic.rdma_dir), node.path(renamed.rdma_dir)
    listed, link = node.path(layout.class_link(nic).path), layout.class_link(renamed)
    tree.make(node.new, link)
    with tree.Changing(os.path.dirname(new)), tree.Changing(os.path.dirname(listed)):
        os.symlink(renamed.device, new)
        try:
            # Now the old path is a link to the new one, which is the device.
            tree.exchange(old, new)
        except OSError:
            os.unlink(new)
            raise
        os.rename(node.new, listed)
        os.rename(listed, node.path(link.path))
        os.unlink(old)
