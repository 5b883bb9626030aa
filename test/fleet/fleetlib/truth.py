# SPDX-License-Identifier: Apache-2.0
"""What is to be found in a story: [node, check, NIC or null, action, how often], where the action
of what is over is OVER. It follows the words of the rules, one port or node at a time."""

import collections

S = 1_000_000
DAY_US = 86400 * S


def find(story):
    found = collections.Counter()
    for node, events in enumerate(story.events):
        by_port = collections.defaultdict(list)
        for event in sorted(events):
            by_port[event.port].append(event)
        for port, own in by_port.items():
            for check, action in _of_port(own):
                nic = None if port is None else f"mlx5_{port}"
                found[f"node-{node:05d}", check, nic, action] += 1
        for action in _of_node(sorted(events)):
            found[f"node-{node:05d}", "DriverErrorWithPortDown", None, action] += 1
    return [[*key, count] for key, count in sorted(found.items(), key=str)]


def find_switches(story):
    """The same of switches: each that was rebooted is found once, and that is over."""
    return [
        [f"leaf-{leaf:03}", "FabricSuspect", f"leaf-{leaf:03}", action, 1]
        for leaf in story.rebooted
        for action in ("NONE", "OVER")
    ]


def _of_port(events):
    yield from _outages([e for e in events if e.code == "port_state"], events)
    for check, code, within, action in (
        ("RepeatedNICDegradation", "symbol_error", 3600 * S, "CONTACT_SUPPORT"),
        ("RepeatedNICLinkFlap", "link_downed", 600 * S, "REPLACE_VM"),
        ("RepeatedNICDriverError", "netdev_watchdog", 3600 * S, "CONTACT_SUPPORT"),
    ):
        for word in _three([e.at_us for e in events if e.code == code], within):
            yield check, action if word == "NEW" else word


def _three(times, within):
    """NEW when three are within that time, and OVER when none has come for as long."""
    window, stands = [], False
    for at in times:
        if window and at - window[-1] >= within:
            if stands:
                yield "OVER"
            window, stands = [], False
        window = [t for t in window if at - t < within] + [at]
        if len(window) >= 3 and not stands:
            stands = True
            yield "NEW"
    if stands:
        yield "OVER"


def _outages(states, events):
    """Of a port that goes down and comes up in turn."""
    spans, stands = [], False
    for begin, end in zip(states[::2], states[1::2]):
        us = end.at_us - begin.at_us
        link = any(
            e.code == "link_downed" and begin.at_us < e.at_us <= begin.at_us + 240 * S
            for e in events
        )
        if us >= 7.5 * S:
            yield "NICPortDownLong", "NONE"
        if us >= 30 * S:
            yield "NICPortDownLong", "REPLACE_VM"
        if us >= 7.5 * S:
            yield "NICPortDownLong", "OVER"
        if us >= 240 * S and not link:
            yield "NICPortDrop", "REPLACE_VM"
            yield "NICPortDrop", "OVER"
        if spans and begin.at_us - spans[-1][1] >= DAY_US:
            if stands:
                yield "NICPortDowntime", "OVER"
            spans, stands = [], False
        spans.append((begin.at_us, end.at_us))
        # While it is down, as much comes as slides out, or more: the end has the most.
        total = sum(max(0, t - max(f, end.at_us - DAY_US)) for f, t in spans)
        if total >= 60 * S and not stands:
            stands = True
            yield "NICPortDowntime", "CONTACT_SUPPORT"
    if stands:
        yield "NICPortDowntime", "OVER"


def _of_node(events):
    """A fatal error of a driver and a port that goes down within ten seconds are one."""
    latest, stands = {}, False
    for event in events:
        driver = event.check == "SysLogsNICDriverError" and event.fatal
        port = event.code == "port_state" and event.fatal
        if not driver and not port:
            continue
        if latest and event.at_us - max(latest.values()) >= 10 * S:
            if stands:
                yield "OVER"
            latest, stands = {}, False
        latest[driver] = event.at_us
        if len(latest) == 2 and abs(latest[True] - latest[False]) < 10 * S and not stands:
            stands = True
            yield "NONE"
    if stands:
        yield "OVER"
