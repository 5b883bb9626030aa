# SPDX-License-Identifier: Apache-2.0
"""Writes below the node, so that a concurrent reader sees the same as on real sysfs.

A value changes in place: same inode, kept descriptors see it at the next pread at 0, and at no
moment is the file empty. Whatever replaces a file, by contrast, renames or unlinks, and the
directory's mtime moves: that is how a reader that keeps descriptors learns that they are stale.
"""

import os
import stat

from .entries import FILE, LINK

# <fcntl.h>, <linux/fs.h>
_AT_FDCWD = -100
_RENAME_EXCHANGE = 2


def write_in_place(path, text):
    """Give an existing file a new content without any moment at which it is empty.

    Size and content change in separate steps, and a reader may come between them. So a file that
    grows is first extended with newlines, a file that shrinks is cut last: but for the nanoseconds
    of the copy itself the text up to the first newline is the old value or the new one.
    """
    data = os.fsencode(text)
    descriptor = os.open(path, os.O_WRONLY)
    try:
        size = os.fstat(descriptor).st_size
        if size < len(data):
            os.pwrite(descriptor, b"\n" * (len(data) - size), size)
        os.pwrite(descriptor, data, 0)
        os.ftruncate(descriptor, len(data))
    finally:
        os.close(descriptor)


def read(path):
    """Return the content of a file."""
    with open(path, "rb") as file:
        return os.fsdecode(file.read())


def is_fifo(path):
    """Tell whether there is a FIFO, without opening it, which could hang."""
    return os.path.lexists(path) and stat.S_ISFIFO(os.lstat(path).st_mode)


class Changing:
    """A context manager for changes of a directory's entries: makes its mtime increase.

    The file system's clock ticks in milliseconds, so two changes may get the same time.
    """

    def __init__(self, directory):
        self.directory = directory
        self.before = None

    def __enter__(self):
        self.before = os.stat(self.directory).st_mtime_ns

    def __exit__(self, failed, *_):
        status = os.stat(self.directory)
        if failed is None and status.st_mtime_ns <= self.before:
            os.utime(self.directory, ns=(status.st_atime_ns, self.before + 1))


def exchange(one, other):
    """Exchange two entries in one step, which the module os cannot do."""
    # Loading it takes a while, and few commands need it.
    import ctypes  # pylint: disable=import-outside-toplevel

    libc = ctypes.CDLL(None, use_errno=True)
    paths = (_AT_FDCWD, os.fsencode(one), _AT_FDCWD, os.fsencode(other))
    if libc.renameat2(*paths, _RENAME_EXCHANGE) != 0:
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error), one)


def converge(root, entries, discard=None):
    """Make the entries exist below root with their content, in order.

    An existing entry of the same kind keeps its inode; discard(path) removes any other. Without
    discard, no entry may exist yet.
    """
    known = set()
    for entry in entries:
        path = f"{root}/{entry.path}"
        parent = os.path.dirname(path)
        if parent not in known:
            os.makedirs(parent, exist_ok=True)
            known.add(parent)
        if discard is None:
            make(path, entry)
        else:
            _put(path, entry, discard)


def make(path, entry):
    """Make an entry at a free path."""
    if entry.kind == FILE:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
        try:
            os.write(descriptor, os.fsencode(entry.text))
        finally:
            os.close(descriptor)
    elif entry.kind == LINK:
        os.symlink(entry.text, path)
    else:
        # A directory in a file's place can be opened but not read (EISDIR), even by root.
        os.mkdir(path)


def _put(path, entry, discard):
    there = os.path.lexists(path)
    if there and _is_kind(os.lstat(path).st_mode, entry.kind):
        if entry.kind == FILE:
            write_in_place(path, entry.text)
            return
        if entry.kind != LINK or os.readlink(path) == entry.text:
            return
    with Changing(os.path.dirname(path)):
        if there:
            discard(path)
        make(path, entry)


def _is_kind(mode, kind):
    if kind == FILE:
        return stat.S_ISREG(mode)
    if kind == LINK:
        return stat.S_ISLNK(mode)
    return stat.S_ISDIR(mode)


def bury(path, grave):
    """Move a file or a whole directory at once into the directory `grave`.

    Nothing is deleted: while the grave stands no inode number of it is given to another file, so
    what comes back later is visibly new. Directories end up empty, for a reader that still has
    one open finds nothing in it in the kernel either. Readers that hang on a FIFO wake up with
    end of file.
    """
    os.makedirs(grave, exist_ok=True)
    # The node's lock keeps others out, and a grave is only emptied as a whole.
    plot = f"{grave}/{len(os.listdir(grave))}"
    os.mkdir(plot)
    with Changing(os.path.dirname(path)):
        top = f"{plot}/0"
        os.rename(path, top)
    count = 0
    for directory, directories, files in os.walk(top, topdown=False):
        for name in directories + files:
            count += 1
            os.rename(f"{directory}/{name}", f"{plot}/{count}")
            release(f"{plot}/{count}")
    release(top)


def release(path, text=""):
    """Write the text and end of file to the readers of a FIFO, if it is one."""
    if not is_fifo(path):
        return
    # Opening it in both directions does not block, and wakes readers that wait for a writer.
    descriptor = os.open(path, os.O_RDWR | os.O_NONBLOCK)
    try:
        if text:
            os.write(descriptor, os.fsencode(text))
    finally:
        os.close(descriptor)


def clear(directory):
    """Delete a directory with its content, if it exists."""
    for place, directories, files in os.walk(directory, topdown=False):
        for name in files:
            os.unlink(f"{place}/{name}")
        for name in directories:
            path = f"{place}/{name}"
            (os.unlink if os.path.islink(path) else os.rmdir)(path)
        if place == directory:
            os.rmdir(place)
