"""Commands about the host around the NICs: its kernel log and its default route."""

import os
import re
import time

from . import hostlayout

# `mlx5_core 0000:18:00.0: `, as dev_err() and its like begin: of these the record names the device.
_OF_DEVICE = re.compile(r"[\w-]+ ([0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7])(?: [^:]*)?: ")
_RECORD = re.compile(rb"^[0-9]+,([0-9]+),")
# A record has at most some 1000 bytes of text, each of which may take four.
_TAIL_BYTES = 65536


def kmsg(node, text, priority):
    """Append one record in the format of /dev/kmsg, in one write."""
    path = node.path(hostlayout.KMSG)
    # The clock of real records too: whoever turns it into a date gets the present.
    microseconds = time.monotonic_ns() // 1000
    escaped = "".join(
        chr(byte) if 32 <= byte < 127 and byte != 92 else f"\\x{byte:02x}"
        for byte in os.fsencode(text)
    )
    device = _OF_DEVICE.match(text)
    dictionary = f" SUBSYSTEM=pci\n DEVICE=+pci:{device[1]}\n" if device else ""
    with open(path, "ab", buffering=0) as file:
        record = f"{priority},{_next_sequence(path)},{microseconds},-;{escaped}\n{dictionary}"
        file.write(record.encode("ascii"))


def _next_sequence(path):
    with open(path, "rb") as file:
        file.seek(max(0, os.fstat(file.fileno()).st_size - _TAIL_BYTES))
        for line in reversed(file.read().splitlines()):
            match = _RECORD.match(line)
            if match:
                return int(match[1]) + 1
    return 0


def route(node, interface):
    """Make `interface` the only default route; none if it is None."""
    node.write(node.path(hostlayout.ROUTE), hostlayout.route_text(interface))
