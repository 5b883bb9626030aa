# SPDX-License-Identifier: Apache-2.0
"""The faults of a day, one function each: what happens to the NIC, and which events
doc/specification.md promises for it.

A fault is a generator. Between two changes it yields how long the condition must last:
Hold(seconds) of record time, and then a number of scans that a single ctreval process must have
evaluated. So no condition ends before ctreval saw it, however many scans the kills swallow, and
every expected event must come between its change and the next.
"""

from dataclasses import dataclass

# homogeneity.settleSeconds; a card or port is reported when it has been below its peers for longer.
SETTLE_SECONDS = 30
# How long a port's new state must last to be reported.
CHANGED_SECONDS = 60

STATE_CHECK = {"InfiniBand": "InfiniBandStateCheck", "Ethernet": "EthernetStateCheck"}
DEGRADATION_CHECK = {
    "InfiniBand": "InfiniBandDegradationCheck",
    "Ethernet": "EthernetDegradationCheck",
}

# Enabled checks that concern no port of the node.
WITHOUT_PORTS = ("EFAStateCheck", "EFADegradationCheck", "NICPollStallCheck")

FATAL, DEGRADED, HEALTHY = "fatal", "degraded", "healthy"

# Counters with a threshold: the name in the check, and whether it is fatal.
FATAL_COUNTERS = {
    "link_downed",
    "local_link_integrity_errors",
    "rnr_nak_retry_err",
    "symbol_error_fatal",
}
OTHER_COUNTERS = {
    "symbol_error",
    "link_error_recovery",
    "port_rcv_errors",
    "local_ack_timeout_err",
    "carrier_changes",
}


@dataclass
class Hold:
    """The least duration of a condition."""

    seconds: float = 0
    # Evaluated scans after that: a device is unreadable after three in a row, a rate needs two.
    scans: int = 4
    judged_seconds: float = 0


SETTLED = Hold(judged_seconds=SETTLE_SECONDS + 4)
TOLD = Hold(judged_seconds=CHANGED_SECONDS + 4)


# --- whom an event is about: check, entities, errorCode ---


def port_key(device, code="port_state"):
    return (STATE_CHECK[device.link_layer], (("NIC", device.name), ("NICPort", "1")), (code,))


def nic_key(device, code="nic_gone"):
    return (STATE_CHECK[device.link_layer], (("NIC", device.name),), (code,))


def card_key(device):
    return (STATE_CHECK[device.link_layer], (("NIC", device.card),), ("card_ports",))


def counter_key(device, counter):
    checks = STATE_CHECK if counter in FATAL_COUNTERS else DEGRADATION_CHECK
    return (checks[device.link_layer], (("NIC", device.name), ("NICPort", "1")), (counter,))


def rate_key(device):
    return (
        DEGRADATION_CHECK[device.link_layer],
        (("NIC", device.name), ("NICPort", "1")),
        ("rate_below_peers",),
    )


def changed_key(device):
    return ("NICIdentityCheck", (("NIC", device.name), ("NICPort", "1")), ("changed",))


def clear_key(check):
    return (check, (), ())


# --- counters ---


def counts(counter, count):
    """A counter whose threshold is any increase, or an increase in one scan."""

    def fault(story, device):
        device.add(counter, count)
        severity = FATAL if counter in FATAL_COUNTERS else DEGRADED
        story.expect(
            f"{counter} of {device.name} counts {count}", (counter_key(device, counter), severity)
        )
        yield Hold()
        device.reset(counter)
        story.expect(
            f"{counter} of {device.name} is cleared", (counter_key(device, counter), HEALTHY)
        )
        yield Hold()

    return fault


def grows(counter, per_second, seconds):
    """A rate over its threshold for longer than two of its windows, because the first may have
    begun before the fault."""

    def fault(story, device):
        device.grow(counter, per_second)
        story.expect(
            f"{counter} of {device.name} grows by {per_second} a second",
            (counter_key(device, counter), DEGRADED),
        )
        yield Hold(seconds)
        device.reset(counter)
        story.expect(
            f"{counter} of {device.name} is cleared", (counter_key(device, counter), HEALTHY)
        )
        yield Hold()

    return fault


def symbol_burst(story, device):
    """A minute of symbol errors exceeds the threshold per second at once, and the one per hour at
    the end of the hour."""
    device.grow("symbol_error", 50)
    story.expect(
        f"symbol errors of {device.name} grow by 50 a second",
        (counter_key(device, "symbol_error"), DEGRADED),
    )
    # The hour ends between here and an hour after the burst.
    story.expect_until_next(
        f"symbol errors of {device.name} in an hour",
        (counter_key(device, "symbol_error_fatal"), FATAL),
    )
    yield Hold(60)
    device.grow("symbol_error", 0)
    yield Hold(3600)
    device.reset("symbol_error")
    story.expect(
        f"symbol_error of {device.name} is cleared",
        (counter_key(device, "symbol_error"), HEALTHY),
        (counter_key(device, "symbol_error_fatal"), HEALTHY),
    )
    yield Hold()


# --- ports ---


def port_down(story, device):
    device.down()
    story.expect(f"{device.name} goes down", (port_key(device), FATAL))
    yield Hold()
    device.up()
    story.expect(f"{device.name} comes up", (port_key(device), HEALTHY))
    yield Hold()


def link_flap(story, device):
    """The port goes down and counts it. After the port returns, the breach still stands."""
    device.down()
    device.add("link_downed", 1)
    story.expect(
        f"{device.name} goes down and counts it",
        (port_key(device), FATAL),
        (counter_key(device, "link_downed"), FATAL),
    )
    yield Hold()
    device.up()
    story.expect(f"{device.name} comes up, link_downed stands", (port_key(device), HEALTHY))
    yield Hold()
    device.reset("link_downed")
    story.expect(
        f"link_downed of {device.name} is cleared", (counter_key(device, "link_downed"), HEALTHY)
    )
    yield Hold()


def stuck(state, phys_state):
    """A port that is not up and not reported as fatal: its card has fewer ports than its peers."""

    def fault(story, device):
        device.set_state(state, phys_state, "down")
        story.expect(
            f"{device.name} is stuck in {state}/{phys_state}",
            (port_key(device), DEGRADED),
            (card_key(device), FATAL),
        )
        yield SETTLED
        device.up()
        story.expect(
            f"{device.name} works again", (port_key(device), HEALTHY), (card_key(device), HEALTHY)
        )
        yield Hold()

    return fault


def stuck_then_down(story, device):
    device.set_state("INIT", "LinkUp", "down")
    story.expect(
        f"{device.name} is stuck in INIT", (port_key(device), DEGRADED), (card_key(device), FATAL)
    )
    yield SETTLED
    device.down()
    story.expect(f"{device.name} goes from INIT to DOWN", (port_key(device), FATAL))
    yield Hold()
    device.up()
    story.expect(
        f"{device.name} comes up", (port_key(device), HEALTHY), (card_key(device), HEALTHY)
    )
    yield Hold()


def training(story, device):
    """An Ethernet port that is coming up is not reported: any event is wrong."""
    device.set_state("INIT", "LinkUp", "down")
    yield Hold()
    device.up()
    yield Hold()


def slow(story, device):
    """A port below its peers is reported once, however its rate changes meanwhile. Each state after
    that is reported if it lasts."""
    changed = (changed_key(device), HEALTHY)
    device.set_rate(100, 2)
    story.expect(f"{device.name} is slow", (rate_key(device), DEGRADED), changed)
    yield TOLD
    device.set_rate(25, 1)
    story.expect(f"{device.name} is slower", changed, required=False)
    yield Hold()
    device.set_rate(400, 4)
    story.expect(f"{device.name} is fast again", (rate_key(device), HEALTHY), changed)
    yield TOLD


def port_gone(story, device):
    device.has_port = False
    device.changed()
    story.expect(f"port 1 of {device.name} disappears", (port_key(device, "port_gone"), FATAL))
    yield Hold()
    device.has_port = True
    device.changed()
    story.expect(
        f"port 1 of {device.name} is back",
        (port_key(device, "port_gone"), HEALTHY),
        (port_key(device), HEALTHY),
    )
    yield Hold()


# --- devices ---


def nic_gone(story, device):
    device.listed = False
    story.expect(f"{device.name} disappears", (nic_key(device), FATAL))
    yield Hold()
    device.restart()
    story.expect(f"{device.name} is back", (nic_key(device), HEALTHY), (port_key(device), HEALTHY))
    yield Hold()


def nic_replaced(story, device):
    """The new card's counters are 0, so the old one's breach is over."""
    device.add("link_downed", 2)
    story.expect(
        f"link_downed of {device.name} counts 2", (counter_key(device, "link_downed"), FATAL)
    )
    yield Hold()
    device.listed = False
    story.expect(f"{device.name} disappears", (nic_key(device), FATAL))
    yield Hold()
    device.restart()
    story.expect(
        f"{device.name} is replaced",
        (nic_key(device), HEALTHY),
        (port_key(device), HEALTHY),
        (counter_key(device, "link_downed"), HEALTHY),
    )
    yield Hold()


def unreadable(story, device):
    device.error = "timeout"
    device.changed()
    story.expect(f"{device.name} cannot be read", (nic_key(device, "nic_unreadable"), DEGRADED))
    yield Hold()
    device.error = None
    device.changed()
    story.expect(f"{device.name} can be read again", (nic_key(device, "nic_unreadable"), HEALTHY))
    yield Hold()


# --- all of them ---

# name -> fault. Faults of cards and rates need peers.
ON_COUNTERS = {
    "link_downed": counts("link_downed", 1),
    "local_link_integrity_errors": counts("local_link_integrity_errors", 3),
    "rnr_nak_retry_err": counts("rnr_nak_retry_err", 2),
    "port_rcv_errors": grows("port_rcv_errors", 100, 0),
    "local_ack_timeout_err": grows("local_ack_timeout_err", 10, 0),
    "link_error_recovery": grows("link_error_recovery", 1, 180),
}
ON_HOURS = {"symbol_burst": symbol_burst}
ON_STATES = {
    "port_down": port_down,
    "link_flap": link_flap,
    "port_gone": port_gone,
    "nic_gone": nic_gone,
    "nic_replaced": nic_replaced,
    "unreadable": unreadable,
}
ON_CARDS = {
    "stuck_init": stuck("INIT", "LinkUp"),
    "stuck_armed": stuck("ARMED", "LinkUp"),
    "stuck_polling": stuck("DOWN", "Polling"),
    "stuck_recovery": stuck("DOWN", "LinkErrorRecovery"),
    "stuck_then_down": stuck_then_down,
}
ON_RATES = {"slow": slow}
# Carrier changes of IPoIB are not evaluated.
ON_ETHERNET = {"training": training, "carrier_changes": counts("carrier_changes", 5)}
BASELINE = "baseline"
ALL = (BASELINE, *ON_COUNTERS, *ON_HOURS, *ON_STATES, *ON_CARDS, *ON_RATES, *ON_ETHERNET)


def baseline_events(devices):
    """The events of the first complete scan after a boot: every check is cleared, everything is
    healthy."""
    for check in (*STATE_CHECK.values(), *DEGRADATION_CHECK.values(), *WITHOUT_PORTS):
        yield clear_key(check), HEALTHY
    for device in devices:
        yield port_key(device), HEALTHY
        yield card_key(device), HEALTHY
        counters = FATAL_COUNTERS | OTHER_COUNTERS
        if device.link_layer == "InfiniBand":
            counters -= {"carrier_changes"}
        for counter in sorted(counters):
            yield counter_key(device, counter), HEALTHY
