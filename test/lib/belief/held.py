# SPDX-License-Identifier: Apache-2.0
"""ctreval's standing faults: its state file, latch by latch."""

from .item import Item

_SATURATED = "saturated"
_POLL_STALL = "NICPollStallCheck"


def _nowhere(_interface):
    return None


def held(state, layer_of, port_of=_nowhere):
    """Return a set of Items. `state` is the content of the file; `layer_of(device, port)` gives the
    link layer of a port without a state in the file, `port_of(interface)` the (device, port) of a
    counter that the file has under its network interface.
    """
    items = {
        *_ports(state), *_planes(state), *_devices(state), *_cards(state), *_nodes(state),
        *_counters(state, layer_of),
        *_unplaced(state, layer_of, port_of),
        *([Item(_POLL_STALL, (), (), False)] if state["poll_stall_reported"] else []),
    }  # fmt: skip
    # Reports without codes about the same entities are one condition, as severe as the worst.
    return {
        item for item in items if item.codes or item.fatal or item._replace(fatal=True) not in items
    }


class Owed:
    """Faults from before the boot that may still stand, since their baseline is still due."""

    def __init__(self, state):
        # The same holds while the earlier faults are unknown, after an invalid state file.
        self.everything = not state["settled"] or state.get("unknown_past", False)
        self.checks = {*state["clear_owed"], *state["baseline_owed_checks"]}
        if state["poll_stall_owed"]:
            self.checks.add(_POLL_STALL)
        names = {*state["clear_owed_devices"], *state["baseline_owed_devices"]}
        cards = {state["devices"][name]["card"] for name in names if name in state["devices"]}
        self.nics = {("NIC", name) for name in names | cards}

    def __bool__(self):
        return bool(self.everything or self.checks or self.nics)

    def may_linger(self, check, entity):
        """Tell whether a receiver may still believe a fault of this check and entity. A port's
        number does not tell the NIC."""
        if self.everything or check in self.checks:
            return True
        return bool(self.nics) if entity is None or entity[0] == "NICPort" else entity in self.nics


def _check(layer, kind):
    return (layer if layer in ("Ethernet", "EFA") else "InfiniBand") + kind + "Check"


def _port(device, number):
    return (("NIC", device), ("NICPort", str(number)))


def _codes(code):
    return (code,) if code else ()


def _layer(state, device, number, layer_of):
    known = state["port_states"].get(f"{device}_{number}", {}).get("link_layer")
    return known or layer_of(device, int(number))


def _ports(state):
    for port in state["port_states"].values():
        if port.get("said"):
            yield Item(
                _check(port["link_layer"], "State"), _port(port["device"], port["port"]),
                _codes(port["said"]["code"]),
                port["said"]["fatal"],
            )  # fmt: skip


def _planes(state):
    for plane in state["planes"]:
        if plane["said"]:
            yield Item(
                _check(plane["link_layer"], "State"), _port(plane["device"], plane["port"]),
                _codes(plane["said"]["code"]),
                plane["said"]["fatal"],
            )  # fmt: skip


def _devices(state):
    for name, device in state["devices"].items():
        for said in ("gone_said", "unreadable_said"):
            if device.get(said):
                check = _check(device["link_layer"], "State")
                yield Item(
                    check, (("NIC", name),), _codes(device[said]["code"]), device[said]["fatal"]
                )


def _cards(state):
    for card in state["anomalous_cards"]:
        if card["reported"]:
            yield Item(
                _check(card["link_layer"], "State"),
                (("NIC", card["card"]),),
                _codes(card["code"]),
                True,
            )


def _nodes(state):
    """Yield the missing character devices."""
    for node in state["missing_char_devices"].values():
        if node["said"]:
            about = (("NIC", node["device"]),)
            yield Item(
                "InfiniBandCharDeviceCheck",
                _port(node["device"], node["port"]) if node["port"] else about,
                _codes(node["said"]["code"]),
                node["said"]["fatal"],
            )


def _unplaced(state, layer_of, port_of):
    for counter in state["unplaced_counters"]:
        flag, port = counter.get("flag"), port_of(counter["interface"])
        if flag and port:
            check = flag["check_name"] or _check(
                layer_of(*port), "State" if flag["is_fatal"] else "Degradation"
            )
            yield Item(
                check,
                _port(*port),
                () if flag.get("uncoded") else (counter["counter"],),
                flag["is_fatal"],
            )


def _counters(state, layer_of):
    for port in state["disappeared_ports"]:
        layer = _layer(state, port["device"], port["port"], layer_of)
        yield Item(
            _check(layer, "State"), _port(port["device"], port["port"]), _codes(port["code"]), True
        )
    for kind, code in (("slow_ports", "rate_below_peers"), ("flapping_ports", "link_flap")):
        for port in state[kind]:
            if port["reported"]:
                yield Item(
                    _check(port["link_layer"], "Degradation"),
                    _port(port["device"], port["port"]),
                    (code,),
                    False,
                )
    for orphan in state["orphans"]:
        about = (
            _port(orphan["device"], orphan["port"])
            if orphan["port"]
            else (("NIC", orphan["device"]),)
        )
        codes = (
            ()
            if orphan.get("uncoded")
            else (orphan["name"], *([_SATURATED] if orphan["saturated"] else []))
        )
        yield Item(orphan["check_name"], about, codes, orphan["is_fatal"])
    for key, flag in state["breach_flags"].items():
        device, number, name = key.rsplit(":", 2)
        if flag["breached"]:
            codes = () if flag.get("uncoded") else (name,)
            yield Item(flag["check_name"], _port(device, number), codes, flag["is_fatal"])
    for key, saturation in state["saturated_counters"].items():
        device, number, name = key.rsplit(":", 2)
        if saturation["reported"]:
            yield Item(saturation["check_name"], _port(device, number), (name, _SATURATED), False)
