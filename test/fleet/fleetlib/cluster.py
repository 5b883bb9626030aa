# SPDX-License-Identifier: Apache-2.0
"""The cluster, and what happens to it. Times are seconds from its beginning; those of events are
microseconds, whole ones, so that nothing is off by what a fraction loses."""

import collections

LEAF_NODES = 32
LINKS_PER_FAILURE_AND_MONTH = 1700
FLAPS_PER_LINK_AND_MONTH = 0.5
MONTH_S = 30 * 86400

# Something that a node says: about one of its ports, or about none.
Event = collections.namedtuple("Event", "at_us node port check code fatal healthy")


class Story:
    """Events by node, in any order, and until when there are any."""

    def __init__(self, nodes, ports, length):
        self.nodes, self.ports, self.length = nodes, ports, length
        self.events = [[] for _ in range(nodes)]
        # From when to when a port is busy with something, so that no two things come together.
        self.busy = collections.defaultdict(list)
        self.rebooted = []  # leaf switches

    def say(self, at, node, port, check, code, fatal=False, healthy=False):
        self.events[node].append(Event(round(at * 1e6), node, port, check, code, fatal, healthy))

    def is_free(self, node, port, begin, end):
        """True when nothing else happens there within an hour; and it is busy from then on."""
        for other_begin, other_end in self.busy[node, port]:
            if begin < other_end + 3700 and other_begin < end + 3700:
                return False
        self.busy[node, port].append((begin, end))
        return True

    def down(self, at, node, port, seconds):
        self.say(at, node, port, "InfiniBandStateCheck", "port_state", fatal=True)
        if at + seconds < self.length:
            self.say(at + seconds, node, port, "InfiniBandStateCheck", "port_state", healthy=True)


def happen(rng, nodes, ports, length):
    story = Story(nodes, ports, length)
    links = nodes * ports
    for happens, times in (
        (_reboot_switch, 1),
        (_roll_out, 1),
        (_bad_optics, max(2, links // 200)),
        (_flapping, max(2, links // 400)),
        (_complaining, max(2, nodes // 20)),
        (_driver_and_port, max(2, nodes // 40)),
        (_fail, round(links * length / MONTH_S / LINKS_PER_FAILURE_AND_MONTH) or 1),
        (_flap, round(links * length / MONTH_S * FLAPS_PER_LINK_AND_MONTH) or 1),
    ):
        for turn in range(times):
            happens(rng, story, turn)
    # Each node lives long enough to say that all is over.
    for node in range(nodes):
        story.say(length + 90000, node, None, "InfiniBandStateCheck", None, healthy=True)
    return story


def _somewhere(rng, story, seconds):
    """A port and a moment at which nothing else happens there, or None."""
    for _ in range(20):
        node, port = rng.randrange(story.nodes), rng.randrange(story.ports)
        begin = rng.uniform(0, max(1, story.length - seconds))
        if story.is_free(node, port, begin, begin + seconds):
            return node, port, round(begin, 3)
    return None


def _fail(rng, story, _turn):
    """A link fails for good, and is replaced hours later."""
    seconds = rng.uniform(3600, 12 * 3600)
    place = _somewhere(rng, story, seconds)
    if place:
        node, port, at = place
        story.down(at, node, port, round(seconds, 3))


def _flap(rng, story, _turn):
    seconds = round(rng.uniform(1, 15), 3)
    place = _somewhere(rng, story, seconds)
    if place:
        node, port, at = place
        story.down(at, node, port, seconds)


def _reboot_switch(rng, story, _turn):
    """All ports of its nodes are down for two minutes; each comes back in its own time."""
    first = rng.randrange(max(1, story.nodes // LEAF_NODES)) * LEAF_NODES
    at = round(rng.uniform(0, max(1, story.length - 3600)), 3)
    story.rebooted.append(first // LEAF_NODES)
    for node in range(first, min(first + LEAF_NODES, story.nodes)):
        for port in range(story.ports):
            if story.is_free(node, port, at, at + 240):
                seconds = round(rng.uniform(110, 150), 3)
                story.down(round(at + rng.uniform(0, 3), 3), node, port, seconds)


def _roll_out(rng, story, _turn):
    """Rack by rack the nodes boot, and say then that all is well."""
    begin = rng.uniform(0, max(1, story.length / 2))
    for node in range(story.nodes):
        at = round(begin + node // LEAF_NODES * 600 + rng.uniform(0, 60), 3)
        if at >= story.length:
            break
        for check in ("InfiniBandStateCheck", "InfiniBandDegradationCheck"):
            for port in range(story.ports):
                # Not while something is wrong with it: the answer would be a lie.
                if story.is_free(node, port, at, at + 1):
                    story.say(at, node, port, check, None, healthy=True)
                    story.busy[node, port].pop()


def _bad_optics(rng, story, turn):
    """Some degrade again and again; as many do not do so often enough."""
    apart = 1500 if turn % 2 == 0 else 1830
    place = _somewhere(rng, story, 5 * apart)
    if place:
        node, port, at = place
        for i in range(5):
            story.say(at + i * apart, node, port, "InfiniBandDegradationCheck", "symbol_error")


def _flapping(rng, story, turn):
    """Three times within ten minutes, or in a second more."""
    apart = 299.5 if turn % 2 == 0 else 300
    place = _somewhere(rng, story, 3 * apart)
    if place:
        node, port, at = place
        for i in range(3):
            when = at + i * apart
            story.say(when, node, port, "InfiniBandStateCheck", "link_downed", fatal=True)


def _complaining(rng, story, turn):
    """A driver's warning three times within an hour, or not quite."""
    apart = 1700 if turn % 2 == 0 else 1800
    place = _somewhere(rng, story, 3 * apart)
    if place:
        node, _port, at = place
        if story.is_free(node, "driver", at, at + 3 * apart):
            for i in range(3):
                when = at + i * apart
                story.say(when, node, None, "SysLogsNICDriverError", "netdev_watchdog")


def _driver_and_port(rng, story, turn):
    """A fatal error of the driver and a port that goes down, within ten seconds or not."""
    apart = 9.9 if turn % 2 == 0 else 10.1
    place = _somewhere(rng, story, 60)
    if place:
        node, port, at = place
        story.say(at, node, None, "SysLogsNICDriverError", "cmd_exec_timeout", fatal=True)
        story.down(at + apart, node, port, 3)
