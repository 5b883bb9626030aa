# SPDX-License-Identifier: Apache-2.0
"""The command show: prints one line per port."""

import os

from . import names
from .errors import Missing
from .node import Target


def show(node):
    """Print state, physical state, operstate, nonzero counters and broken files of each port."""
    broken = set(node.all_stashed())
    for nic in node.platform.nics:
        for port in nic.ports:
            print(" ".join(_line(node, Target(nic, port), broken)), flush=True)


def _line(node, target, broken):
    yield str(target)
    try:
        state = node.find(target, "state")
    except Missing:
        # A dangling link is listed but cannot be opened.
        link = node.path(f"sys/class/infiniband/{target.nic.device}")
        yield "dangling" if os.path.lexists(link) and not os.path.exists(link) else "removed"
        return
    for name in ("state", "phys_state"):
        value = node.read(node.find(target, name)) or "-"
        yield value.partition(": ")[2] or value
    directories = [os.path.dirname(state)]
    operstate = None
    if target.port.netdev is not None:
        path = node.find(target, "net/operstate")
        operstate = node.read(path)
        directories.append(os.path.dirname(path))
    yield operstate or "-"
    for name, value in _counters(node, directories):
        yield f"{name}={value}"
    for path in sorted(broken):
        for directory in directories:
            if path.startswith(f"{directory}/"):
                kind = "unreadable" if os.path.isdir(path) else "hung"
                yield f"{kind}:{os.path.relpath(path, directory)}"


def _counters(node, directories):
    for kind in ("counters", "hw_counters", "statistics"):
        for directory in directories:
            place = f"{directory}/{kind}"
            for name in sorted(os.listdir(place)) if os.path.isdir(place) else ():
                value = node.read(f"{place}/{name}")
                if name not in names.TRAFFIC and value not in (None, "0"):
                    yield name, value
