# SPDX-License-Identifier: Apache-2.0
"""Commands about the host around the NICs: its kernel log and its default route."""

import os
import time

from . import hostlayout

# A record has at most some 1000 bytes of text, each of which may take four.
_TAIL_BYTES = 65536


def kmsg(node, text, priority):
    """Append one record in the format of /dev/kmsg, in one write."""
    path = node.path(hostlayout.KMSG)
    # Real records have this clock, too: converting it to a date gives the present.
    microseconds = time.monotonic_ns() // 1000
    escaped = "".join(
        chr(byte) if 32 <= byte < 127 and byte != 92 else f"\\x{byte:02x}"
        for byte in os.fsencode(text)
    )
    device = _device_of(text)
    dictionary = f" SUBSYSTEM=pci\n DEVICE=+pci:{device}\n" if device else ""
    with open(path, "ab", buffering=0) as file:
        record = f"{priority},{_next_sequence(path)},{microseconds},-;{escaped}\n{dictionary}"
        file.write(record.encode("ascii"))


def _device_of(text):
    """Return the address in `mlx5_core 0000:18:00.0: `, the prefix of dev_err(), or None."""
    # Loading it takes a while, and no other command needs it.
    import re  # pylint: disable=import-outside-toplevel

    pattern = r"[\w-]+ ([0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7])(?: [^:]*)?: "
    match = re.match(pattern, text)
    return match[1] if match else None


def _next_sequence(path):
    with open(path, "rb") as file:
        file.seek(max(0, os.fstat(file.fileno()).st_size - _TAIL_BYTES))
        for line in reversed(file.read().splitlines()):
            # `PRIORITY,NUMBER,...;TEXT`; lines of a dictionary begin with a blank.
            priority, number = (line.split(b",", 2) + [b""])[:2]
            if priority.isdigit() and number.isdigit():
                return int(number) + 1
    return 0


def interfaces_go(node, names):
    """Remove the routes over an interface, as the kernel does with the interface."""
    path = node.path(hostlayout.ROUTE)
    lines = node.read(path).splitlines(keepends=True)
    left = [line for line in lines if line.split("\t")[0] not in names]
    if left != lines:
        node.write(path, "".join(left).rstrip("\n") + "\n")


def interfaces_return(node, names):
    """Restore the description's default route over one of them, unless there is another."""
    path = node.path(hostlayout.ROUTE)
    defaults = [line.split("\t")[:2] for line in node.read(path).splitlines()]
    if node.platform.route in names and not any(fields[1:] == ["00000000"] for fields in defaults):
        node.write(path, hostlayout.original_route_text(node.platform))


def route(node, interface):
    """Make `interface` the only default route; none if it is None."""
    node.write(node.path(hostlayout.ROUTE), hostlayout.route_text(interface))
