# SPDX-License-Identifier: Apache-2.0
"""The baseline that one scan deserves, worked out from its records: a second opinion, on purpose
not the program's."""

from collections import Counter

from .scenario import CHECKS, POLL_STALL, show_event

# Counters that are on by default: name, where the record has it, whether a breach is fatal.
_COUNTERS = (
    ("link_downed", "counters", "link_downed", True),
    ("excessive_buffer_overrun_errors", "counters", "excessive_buffer_overrun_errors", True),
    ("local_link_integrity_errors", "counters", "local_link_integrity_errors", True),
    ("rnr_nak_retry_err", "hw_counters", "rnr_nak_retry_err", True),
    ("symbol_error_fatal", "counters", "symbol_error", True),
    ("symbol_error", "counters", "symbol_error", False),
    ("link_error_recovery", "counters", "link_error_recovery", False),
    ("port_rcv_errors", "counters", "port_rcv_errors", False),
    ("out_of_sequence", "hw_counters", "out_of_sequence", False),
    ("local_ack_timeout_err", "hw_counters", "local_ack_timeout_err", False),
    ("port_xmit_discards", "counters", "port_xmit_discards", False),
    ("port_xmit_wait", "counters", "port_xmit_wait", False),
    ("roce_slow_restart", "hw_counters", "roce_slow_restart", False),
    ("carrier_changes", "net", "carrier_changes", False),
    ("efa_no_completion_cmds", "device_hw_counters", "no_completion_cmds", True),
    ("efa_cmds_err", "device_hw_counters", "cmds_err", False),
    ("efa_rx_drops", "hw_counters", "rx_drops", False),
    ("efa_retrans_timeout_events", "hw_counters", "retrans_timeout_events", False),
    ("efa_unresponsive_remote_events", "hw_counters", "unresponsive_remote_events", False),
    ("efa_impaired_remote_conn_events", "hw_counters", "impaired_remote_conn_events", False),
)

# What clears a whole check; about a part of it follows which.
RESET = (
    "Baseline reset (host reboot or discovery-scope change): "
    "clearing all conditions previously reported by this check"
)

# Within a check, in this order; whatever else comes in that scan comes after them.
CLEAR, PORT, CARD, COUNTER, VERDICT = range(5)


def baseline(records, checks, clear=True, without=(), polls=True):
    """[(check, which of the above, event as text)], for the enabled checks; `polls`: it is the
    first one after the boot."""
    enabled = checks.split(",") if checks else CHECKS
    devices = {record["device"]: record for record in records if record["kind"] == "device"}
    watched = [
        record for record in records
        if record["kind"] == "port" and record["monitored"] and not devices[record["device"]]["vf"]
    ]  # fmt: skip
    ports = [port for port in watched if devices[port["device"]]["parent"] is None]
    planes = [port for port in watched if devices[port["device"]]["parent"] is not None]
    events = []
    for check in CHECKS:
        if check not in enabled:
            continue
        if check == "InfiniBandCharDeviceCheck":
            events += _char_device_baseline(check, devices, ports, clear)
            continue
        if not clear:
            events += _clears(check, devices, ports)
        else:
            events.append((check, CLEAR, show_event("healthy", check, "node", "", RESET)))
        if check.endswith("StateCheck"):
            of_layer = [port for port in ports if _layer(port) == check.removesuffix("StateCheck")]
            events += [
                (check, PORT, _healthy_port(check, port)) for port in of_layer if _active(port)
            ]
            events += [(check, CARD, event) for event in _healthy_cards(check, devices, of_layer)]
        events += [(check, COUNTER, event) for event in _healthy_counters(check, ports, without)]
        if check.endswith("StateCheck"):
            of_layer = [port for port in planes if _layer(port) == check.removesuffix("StateCheck")]
            events += [
                (check, VERDICT, _healthy_plane(check, port, devices[port["device"]]["parent"]))
                for port in of_layer
                if _active(port)
            ]
    # Unless a read is under way that does not end.
    if polls and not any("in_flight_ms" in device for device in devices.values()):
        text = "NIC polls are completing"
        events.append((POLL_STALL, VERDICT, show_event("healthy", POLL_STALL, "node", "", text)))
    return events


def _char_device_baseline(check, devices, ports, clear):
    """It waits for devices that cannot be read, and says nothing of what is healthy."""
    if any("error" in device for device in devices.values() if not device["vf"]):
        return
    if clear:
        text = "InfiniBand character-device check: clearing stale conditions after reboot"
        yield check, CLEAR, show_event("healthy", check, "node", "", text)
        return
    for name in dict.fromkeys(p["device"] for p in ports if p["link_layer"] == "InfiniBand"):
        text = f"{RESET} about NIC {name}"
        yield check, CLEAR, show_event("healthy", check, name, "", text)


def _clears(check, devices, ports):
    """What can be read, one by one."""
    of_layer = [port for port in ports if _layer(port) == _layer_of(check)]
    hidden = {d["card"] for d in devices.values() if "error" in d and d["parent"] is None}
    names = [
        n for n in dict.fromkeys(port["device"] for port in of_layer) if "error" not in devices[n]
    ]
    cards = [c for c in dict.fromkeys(port["card"] for port in of_layer) if c not in hidden]
    texts = [(name, f"NIC {name}") for name in names]
    if check.endswith("StateCheck"):
        texts += [(card, f"card {card}") for card in cards]
    for about, text in texts:
        yield check, CLEAR, show_event("healthy", check, about, "", f"{RESET} about {text}")


def _layer_of(check):
    return check.removesuffix("StateCheck").removesuffix("DegradationCheck")


def _layer(port):
    return port["link_layer"] if port["link_layer"] in ("Ethernet", "EFA") else "InfiniBand"


def _active(port):
    if _layer(port) == "EFA" and port["netdev"] is not None:
        return port["operstate"] in ("up", "unknown") and port.get("carrier") != 0
    return (port["state"], port["phys_state"]) == ("ACTIVE", "LinkUp")


def _healthy_port(check, port):
    prefix = {"Ethernet": "RoCE port", "EFA": "EFA port"}.get(_layer_of(check), "Port")
    name, number = port["device"], port["port"]
    return show_event(
        "healthy",
        check,
        f"{name}/{number}",
        "port_state",
        f"{prefix} {name} port {number}: healthy (ACTIVE, LinkUp)",
    )


def _healthy_plane(check, port, nic):
    name, number = port["device"], port["port"]
    text = f"Plane {number} of NIC {nic} ({name} port {number}): healthy (ACTIVE, LinkUp)"
    return show_event("healthy", check, f"{name}/{number}", "plane_down", text)


def _healthy_cards(check, devices, ports):
    # A function that is management or excluded exempts its card, one that cannot be read hides what
    # the card really has.
    whole = [d for d in devices.values() if not d["vf"] and d["parent"] is None]
    unfit = {d["card"] for d in whole if not d["monitored"] or "error" in d}
    groups = {}
    for port in ports:
        device = devices[port["device"]]
        kind = (port["role"], device["reason"], device.get("hca_type"), device.get("board_id"))
        cards = groups.setdefault(kind, {})
        if port["card"] not in unfit:
            cards.setdefault(port["card"], []).append(port)
    for cards in groups.values():
        active = {card: sum(map(_active, members)) for card, members in cards.items()}
        counts = Counter(active.values()).most_common()
        tied = len(counts) > 1 and counts[0][1] == counts[1][1]
        if len(cards) < 2 or tied or counts[0][0] == 0:
            continue
        mode = counts[0][0]
        for card, members in cards.items():
            if active[card] >= mode:
                text = f"Card {card} healthy: {active[card]} active ports meet peer mode {mode}"
                names = ",".join(sorted({port["device"] for port in members}, key=_natural))
                yield show_event("healthy", check, card, "card_ports", text, names)


def _natural(name):
    digits = "".join(filter(str.isdecimal, name))
    return (len(digits), name)


def _healthy_counters(check, ports, without):
    for port in ports:
        for name, group, file, fatal in _COUNTERS:
            kind = "StateCheck" if fatal else "DegradationCheck"
            if name in without or file not in port.get(group, {}) or check != _layer(port) + kind:
                continue
            if group != "net" and (_layer(port) == "EFA") != name.startswith("efa_"):
                continue
            # The carrier of an IPoIB interface is not judged.
            if name == "carrier_changes" and _layer(port) == "InfiniBand":
                continue
            text = (
                f"Counter {name} healthy after reboot on port {port['device']} port {port['port']}"
            )
            yield show_event("healthy", check, f"{port['device']}/{port['port']}", name, text)
