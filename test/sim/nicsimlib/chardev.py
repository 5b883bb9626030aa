# SPDX-License-Identifier: Apache-2.0
"""The command chardev: removes and restores InfiniBand character devices, for which udev makes
nodes in /dev: one of them or a whole class, as if its module was not loaded."""

import os

from . import faults, hostlayout, layout, tree
from .errors import Missing

ACTIONS = ("remove", "restore")
KINDS = ("uverbs", "umad", "issm")

# The classes that are removed as a whole if a command names only their first kind.
CLASSES = {"uverbs": "infiniband_verbs", "umad": "infiniband_mad"}


def change(node, action, kind, target):
    """Remove or restore a character device, or the class of that kind."""
    if target is None:
        (_remove_class if action == "remove" else _restore_class)(node, CLASSES[kind])
        return
    directory = layout.chardev_dir(target.nic, target.port, kind)
    if directory is None:
        raise Missing(f"{target}: has no {kind}")
    there = os.path.lexists(node.path(directory))
    if action == "remove" and not there:
        raise Missing(f"{target}: no {kind} there (already removed)")
    link = layout.chardev_link(target.nic, directory)
    faults.withdraw_node(node, target.nic, link, directory)
    if action == "restore":
        faults.check_listed(node, target.nic)
        tree.converge(node.root, layout.chardev_files(target.nic, directory), node.discard)
        tree.converge(node.root, [link], node.discard)


def _remove_class(node, name):
    path = node.path(f"sys/class/{name}")
    if not os.path.isdir(path):
        raise Missing(f"class/{name}: not there (already removed)")
    node.discard(path)


def _restore_class(node, name):
    """Make the class with the entries of the existing devices."""
    entries = [
        entry
        for entry in hostlayout.entries(node.platform)
        if entry.path.startswith(f"sys/class/{name}/")
    ]
    for nic in node.platform.nics:
        entries += [
            link
            for link in layout.rdma_links(nic)
            if link.path.startswith(f"sys/class/{name}/")
            and os.path.isdir(node.path(f"sys/{link.text.removeprefix('../../')}"))
        ]
    tree.converge(node.root, entries, node.discard)
