# SPDX-License-Identifier: Apache-2.0
"""The command rename: the same device under another name, as udev gives them (`rdma dev set`).

What the device is stays: inodes, values, broken files, PCI function, interfaces, GUID. What others
have written about it by its old name, such as gpu_metadata.json, stays as well.
"""

import os

from . import layout, tree
from .errors import Missing


def rename(node, target, name):
    """Call a device `name` from now on."""
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
    """In a description: the device has that name, also where SMI devices refer to it."""
    for nic in nics:
        if nic.get("parent") == nics[index]["device"]:
            nic["parent"] = name
    # Where it is on the bus stays known by the name that it had first.
    nics[index].setdefault("first_name", nics[index]["device"])
    nics[index]["device"] = name


def foresee(platform, words):
    """The platform after `rename DEV NAME`."""
    device, name = words
    return called(platform, platform.nic(device), name)


def called(platform, nic, name):
    """A platform with another name for a device."""
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
