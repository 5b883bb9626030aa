# SPDX-License-Identifier: Apache-2.0
"""An existing node: its paths, its stash, and its lock for one command at a time.

Private data in NODE/.nicsim:
    platform.json   the description the node was made from, with the names its devices have now
    lock            locked by a command while it works
    stash/PATH      the real file of PATH (| for /) while something unreadable is in its place
    grave/NAME      what was taken away, kept so that inode numbers are not given out again
    new             a file or directory that is being made, to be renamed into its place
"""

import fcntl
import os

from . import jsontext, layout, model, tree
from .entries import FILE, UNREADABLE, Entry
from .errors import Missing, UsageError
from .record import record

PRIVATE = ".nicsim"
DESCRIPTION = f"{PRIVATE}/platform.json"


@record
class Target:
    """The target of a command: a device, or a port of it."""

    nic: model.Nic
    port: model.Port | None

    def __str__(self):
        return f"{self.nic.device}/{self.port.number}" if self.port else self.nic.device


def create(root, description):
    """Lay a new node out and return it."""
    platform, text = model.load(description)
    if os.path.lexists(root) and (not os.path.isdir(root) or os.listdir(root)):
        raise UsageError(f"{root}: exists and is not an empty directory")
    os.makedirs(f"{root}/{PRIVATE}/stash")
    tree.converge(root, layout.node(platform))
    # The directories of the service's state.
    for place in ("var/lib/nic-health-monitor", "var/run"):
        os.makedirs(f"{root}/{place}")
    # Write the description last, since it makes the directory a node.
    private = (Entry(f"{PRIVATE}/lock", FILE), Entry(DESCRIPTION, FILE, text))
    tree.converge(root, private)
    return Node(root, platform)


def load(root):
    """Return the node in that directory."""
    if not os.path.isfile(f"{root}/{DESCRIPTION}"):
        raise Missing(f"{root}: not a simulated node")
    node = Node(root, None)
    node.refresh()
    return node


class _Lock:
    """The lock of a node while a command works on it."""

    def __init__(self, node):
        self.node = node
        self.file = None

    def __enter__(self):
        node = self.node
        self.file = open(f"{node.root}/{PRIVATE}/lock", "wb")
        fcntl.flock(self.file, fcntl.LOCK_EX)
        if os.path.lexists(node.new):  # left by a killed command
            node.discard(node.new)
        node.refresh()

    def __exit__(self, failed, *_):
        if failed is None:
            self.node.dig("files")
        self.file.close()


class Node:
    """The methods' paths start with `root`; they are never relative to it."""

    def __init__(self, root, platform):
        self.root = root
        self.platform = platform
        self.stamp = None  # of the description read last
        self.new = f"{root}/{PRIVATE}/new"

    def lock(self):
        """Return a context manager that keeps other commands on this node out."""
        return _Lock(self)

    # --- the description

    def refresh(self):
        """Read the description if it has changed: another command may have renamed a device."""
        path = self.path(DESCRIPTION)
        status = os.stat(path)
        # Take the stamp before reading: a file replaced meanwhile is read again.
        stamp = (status.st_ino, status.st_mtime_ns)
        if stamp != self.stamp:
            self.platform = model.load(path)[0]
            self.stamp = stamp

    def describe(self, change):
        """Apply `change` to the description's NICs, at once for all commands."""
        path = self.path(DESCRIPTION)
        raw = jsontext.decode(model.load(path)[1])
        change(raw["nics"])
        tree.make(self.new, Entry(self.new, FILE, jsontext.encode(raw)))
        os.rename(self.new, path)
        self.refresh()

    def path(self, relative):
        """Return the path of an entry of the layout."""
        return f"{self.root}/{relative}"

    # --- files of a device or port

    def find(self, target, name):
        """Return the path of a target's file NAME; raise Missing if the target is absent."""
        nic, port = target
        base = nic.port_dir(port) if port else nic.rdma_dir
        if name.startswith("net/"):
            netdev = (port or nic.ports[0]).netdev
            if netdev is None:
                raise Missing(f"{target}: has no network interface")
            base, name = nic.net_dir(netdev), name.removeprefix("net/")
        if not os.path.isdir(self.path(base)):
            raise Missing(f"{target}: not there (removed?)")
        path = self.path(f"{base}/{name}")
        # `device/...` leads through a link; the stash uses real paths only.
        directory = os.path.realpath(os.path.dirname(path))
        place = os.path.relpath(directory, os.path.realpath(self.root))
        return self.path(f"{place}/{os.path.basename(path)}")

    def write(self, path, text):
        """Change a value in place; of an unreadable file, the value that it will have."""
        self.put(Entry(os.path.relpath(path, self.root), FILE, text))

    def read(self, path):
        """Return the value of a file, readable or not, without the newline, or None."""
        real = self.real(path)
        return tree.read(real).rstrip("\n") if os.path.isfile(real) else None

    def put(self, entry):
        """Make an entry exist, in the stash if its file is stashed away."""
        path = self.path(entry.path)
        real = self.real(path)
        if entry.kind == FILE and os.path.isfile(real):
            tree.write_in_place(real, entry.text)
        elif not (entry.kind == UNREADABLE and os.path.isdir(real)):
            # Make it aside and rename it: no reader may see a new file empty.
            tree.make(self.new, entry)
            os.makedirs(os.path.dirname(real), exist_ok=True)
            with tree.Changing(os.path.dirname(real)):
                if os.path.lexists(real):
                    self.discard(real)
                os.rename(self.new, real)

    # --- the stash

    def stashed(self, path):
        """Return the path of the real file while something else is at `path`."""
        # The directory is flat: names are checked to have no such character.
        name = os.path.relpath(path, self.root).replace("/", "|")
        return f"{self.root}/{PRIVATE}/stash/{name}"

    def real(self, path):
        """Return the current path of the real file of `path`."""
        stashed = self.stashed(path)
        return stashed if os.path.lexists(stashed) else path

    def all_stashed(self):
        """Return the paths in the node of all stashed files."""
        stash = f"{self.root}/{PRIVATE}/stash"
        return [self.path(name.replace("|", "/")) for name in sorted(os.listdir(stash))]

    def drop_stash(self, relative):
        """Discard the stashed files of a directory of the layout."""
        for path in self.all_stashed():
            if path.startswith(self.path(f"{relative}/")):
                self.discard(self.stashed(path))

    def move_stash(self, old, new):
        """Move the stashed files of a directory of the layout that has a new path."""
        for path in self.all_stashed():
            if path.startswith(self.path(f"{old}/")):
                moved = self.path(new) + path.removeprefix(self.path(old))
                os.rename(self.stashed(path), self.stashed(moved))

    # --- the grave

    def discard(self, path, name="files"):
        """Remove something for good; it is kept until dig(name), files until the command's end."""
        tree.bury(path, f"{self.root}/{PRIVATE}/grave/{name}")

    def dig(self, name):
        """Delete what was removed under that name."""
        tree.clear(f"{self.root}/{PRIVATE}/grave/{name}")
