# SPDX-License-Identifier: Apache-2.0
"""The entries of a tree. layout.py makes them, tree.py writes them."""

from .record import record

FILE, LINK, UNREADABLE = "file", "link", "unreadable"


@record
class Entry:
    """A file with its whole content, a link with its target, or a file that cannot be read."""

    path: str  # relative to the node
    kind: str
    text: str = ""


def attribute(path, value):
    """Return a file like those of sysfs: a value and a newline."""
    return Entry(path, FILE, f"{value}\n")


def attributes(directory, **values):
    """Return the files of a directory, without those whose value is None."""
    return [
        attribute(f"{directory}/{name}", value)
        for name, value in values.items()
        if value is not None
    ]
