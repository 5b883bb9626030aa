# SPDX-License-Identifier: Apache-2.0
"""metricspage - reads a page of metrics: nic-health-monitor-metrics(5)."""
import os
import re
import struct

LIB = os.path.join(os.path.dirname(os.path.realpath(__file__)), "../../lib")
HEADER, ENTRY = struct.Struct("<IIQQ"), struct.Struct("<IBBBBHHIQQ")
FAMILY, SERIES = 0, 1
SHOWN_REAL = 2
TYPES = ("counter", "gauge", "histogram")


def read(name):
    """Return the text of a header file."""
    with open(os.path.join(LIB, name), encoding="utf-8") as file:
        return file.read()


def definitions():
    """Read the names of the vital metrics, the size of a page and its magic number from the
    header files."""
    header = read("metricskinds.h") + read("metricslayout.h")
    header = re.sub(r"/\*.*?\*/", "", header, flags=re.S)
    names = re.findall(
        r"METRICS_(\w+)", re.search(r"enum metrics_vital \{(.*?)\}", header, re.S).group(1)
    )
    size, shift = re.search(r"METRICS_PAGE_BYTES \(\(size_t\)(\d+) << (\d+)\)", header).groups()
    magic = re.search(r"METRICS_MAGIC (0x[0-9a-f]+)u", header).group(1)
    return [name.lower() for name in names[:-1]], int(size) << int(shift), int(magic, 16)


VITALS, PAGE_BYTES, MAGIC = definitions()
HEADER_BYTES = HEADER.size + 8 * len(VITALS)
# The beginning of a page that no stage has written to.
EMPTY = HEADER.pack(MAGIC, HEADER_BYTES, HEADER_BYTES, 0) + bytes(8 * len(VITALS))


class Family:
    def __init__(self, name, help_text, type_name):
        self.name, self.help, self.type = name, help_text, type_name
        self.series = []  # lines of /metrics


def vitals(page):
    """Return the names and values of the vital metrics."""
    return zip(VITALS, struct.unpack_from(f"<{len(VITALS)}Q", page, HEADER.size))


def value_text(shown, value):
    if shown != SHOWN_REAL:
        return str(value)
    (real,) = struct.unpack("<d", struct.pack("<Q", value))
    return next(
        text for text in (f"{real:.{digits}g}" for digits in (15, 16, 17)) if float(text) == real
    )


def families(page):
    """Return all families in the order of the page. Raise AssertionError if it is invalid."""
    magic, header_bytes, used, dropped = HEADER.unpack_from(page, 0)
    assert (magic, header_bytes) == (MAGIC, HEADER_BYTES), "no page"
    assert dropped == 0, f"{dropped} series dropped"
    found, at = {}, HEADER_BYTES
    while at < used:
        size, kind, type_, _, _, text_bytes, help_bytes, family, shown, value = ENTRY.unpack_from(
            page, at
        )
        start = at + ENTRY.size
        text = page[start : start + text_bytes].decode()
        if kind == FAMILY:
            start += text_bytes + 1
            found[at] = Family(text, page[start : start + help_bytes].decode(), TYPES[type_])
        elif shown:
            found[family].series.append(f"{found[family].name}{text} {value_text(shown, value)}")
        at += size
    assert at == used, "an entry reaches beyond the end"
    return list(found.values())
