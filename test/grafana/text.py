# SPDX-License-Identifier: Apache-2.0
"""text - numbers with units as Grafana writes them, round numbers for axes, and how wide a text is
about, so that none is drawn beyond its place."""

import math

SI = ["", "K", "M", "G", "T", "P"]
# What stands behind a number, with the prefix.
UNITS = {"cps": "{} c/s", "Bps": " {}B/s", "bps": " {}b/s"}
NARROW = set("fijlrt.,:;|!'()[]/ -I")
WIDE = set("mwMW%@_ABCDEFGHKNOPQRSTUVXYZ")


def with_unit(value, unit):
    if unit == "none":
        return f"{value:.0f}"
    if unit == "s":
        return seconds(value)
    power = 0
    while abs(value) >= 1000 and power + 1 < len(SI):
        value /= 1000
        power += 1
    return f"{value:.3g}" + UNITS[unit].format(SI[power])


def seconds(value):
    if value == 0:
        return "0 s"
    if abs(value) < 0.001:
        return f"{value * 1e6:.3g} µs"
    if abs(value) < 1:
        return f"{value * 1000:.3g} ms"
    if abs(value) < 60:
        return f"{value:.3g} s"
    return f"{value / 60:.3g} min" if abs(value) < 3600 else f"{value / 3600:.3g} h"


def ticks(highest, most, least=0, steps=None):
    """Round numbers from 0 to about the highest: at most so many, at least so far apart."""
    if steps is None:
        power = 10 ** math.floor(math.log10(highest / most))
        steps = [power, 2 * power, 5 * power, 10 * power]
    step = next((step for step in steps if highest / step <= most), steps[-1])
    step = max(step, least)
    return [step * i for i in range(int(highest / step + 1e-9) + 1)]


def width(words, size=11):
    """About, and rather too much, for a font like Helvetica."""
    return sum(0.36 if c in NARROW else 0.72 if c in WIDE else 0.58 for c in words) * size


def fitted(words, wide, size=11):
    """The beginning of a text that is not wider than that, and a mark if it is not all."""
    if width(words, size) <= wide:
        return words
    while words and width(words + "…", size) > wide:
        words = words[:-1]
    return words + "…"
