# SPDX-License-Identifier: Apache-2.0
"""A story: a node, how the monitor is configured, and what happens, step by step. Made from a seed,
and from nothing else (pure).

Steps are data: (what, argument...). Each makes sense whatever came before it, or does nothing, so
that a story remains one when steps are left out of it.
"""

import random
from typing import NamedTuple

from .node import COUNTERS, RATES, STATES, Device

CHECKS = (
    "InfiniBandStateCheck",
    "InfiniBandDegradationCheck",
    "InfiniBandCharDeviceCheck",
    "EthernetStateCheck",
    "EthernetDegradationCheck",
    "EFAStateCheck",
    "EFADegradationCheck",
)
# So many names there are for devices.
_NAMES = 10


class Setup(NamedTuple):
    """What a story begins with."""

    # of (PCI address, role, link layers, virtual function, place of the NIC whose planes these are
    # or None)
    layout: tuple
    interval_s: int
    acks: bool
    careful: bool  # of the sender, see courier.py
    configs: tuple  # of Config; the first is the one at the start, and at the end of the story


class Config(NamedTuple):
    """One configuration of ctreval."""

    settings: dict  # the file
    checks: tuple  # those that are enabled
    excluded: str  # of names, or ""
    included: str


class Story(NamedTuple):
    """All of it."""

    seed: int
    setup: Setup
    steps: tuple


# (role, link layers of a device's ports) of the cards; a string of functions per card
_LAYOUTS = (
    [("compute", "I")] * 4,
    [("storage", "E")] * 4,
    [("compute", "I")] * 3 + [("storage", "EE")] * 2,
    [("storage", "EE")] * 3,
    [("compute", "I"), ("compute", "I"), ("compute", "I"), ("storage", "E"), ("management", "E")],
    [("compute", "I")],
    [("storage", "E"), ("storage", "E")],
    [("compute", "II")] * 3,
    [("compute", "A")] * 4,
)
_TWO_PORTS = ([("storage", "2")] * 3, [("compute", "1"), ("compute", "1"), ("storage", "2")])
_LAYERS = {
    "I": ("InfiniBand",),
    "E": ("Ethernet",),
    "A": ("EFA",),
    "1": ("InfiniBand", "InfiniBand"),
    "2": ("Ethernet", "Ethernet"),
}


def generate(seed):
    """The story of this seed."""
    chance = random.Random(seed)
    setup = _setup(chance)
    size = len(setup.layout)
    # A third of the stories stay with one or two devices, so that things meet.
    actors = (
        chance.sample(range(size), min(size, 2)) if chance.random() < 0.4 else list(range(size))
    )
    weights = _moods(chance)
    # A counter that is full when it is first seen tells nothing any more, which is a condition of
    # its own.
    steps = [
        step for _ in range(chance.choice((0, 0, 0, 0, 2))) for step in _full(chance, actors, setup)
    ]
    steps.append(("scan", 0, ()))
    for _ in range(chance.choice((8, 15, 25, 40))):
        for _ in range(chance.choice((0, 1, 1, 1, 2, 3))):
            what = chance.choices(list(weights), list(weights.values()))[0]
            steps += _MAKERS[what](chance, actors, setup)
        steps.append(_scan(chance))
        if chance.random() < 0.75:
            steps.append(("send", chance.randrange(1 << 30)))
        if chance.random() < 0.3:
            steps.append(("acks",))
    return Story(seed, setup, tuple(steps))


# --- what a story begins with


def _setup(chance):
    cards = list(chance.choice(_TWO_PORTS if chance.random() < 0.15 else _LAYOUTS))
    layout = []
    for place, (role, functions) in enumerate(cards):
        for function, layers in enumerate(functions):
            layout.append(
                (f"0000:{0x18 + 16 * place:02x}:00.{function}", role, _LAYERS[layers], False, None)
            )
    if chance.random() < 0.1:
        layout.append(("0000:18:00.7", "compute", ("InfiniBand",), True, None))
    if chance.random() < 0.25 and layout[0][2] == ("InfiniBand",):
        for place in range(
            chance.choice((1, 1, 2)) if len(layout) > 1 and layout[1][2] == ("InfiniBand",) else 1
        ):
            layout.append(
                (layout[place][0], "compute", ("InfiniBand",) * chance.choice((2, 4)), False, place)
            )
    configs = [_config(chance)]
    while chance.random() < 0.4:
        configs.append(_other(chance, configs[0], len(layout)))
    return Setup(
        tuple(layout),
        chance.choice((1, 5, 5, 30)),
        chance.random() < 0.8,
        chance.random() < 0.5,
        tuple(configs),
    )


def _config(chance):
    settings = {"counterDetection": {"enabled": True, "counters": []}}
    if chance.random() < 0.2:
        settings["fatalCounterCheck"] = "degradation"
    if chance.random() < 0.6:
        settings["homogeneity"] = {"settleSeconds": chance.choice((0, 1, 10))}
    if chance.random() < 0.5:
        settings["disappearance"] = _disappearance(chance)
    if chance.random() < 0.3:
        settings["stateCheck"] = {"portStateHoldDown": chance.choice(("3s", "12s", "2m"))}
    if chance.random() < 0.3:
        settings["bootGrace"] = chance.choice(("20s", "1m", "3m"))
    return Config(settings, CHECKS, "", "")


def _disappearance(chance):
    settings = {"confirmScans": chance.choice((1, 2, 3))}
    if chance.random() < 0.5:
        settings["driverReloadGrace"] = chance.choice(("7s", "40s", "2h"))
    return settings


def _other(chance, config, size):
    """One that differs from it in one way."""
    settings = {**config.settings, "counterDetection": {"enabled": True, "counters": []}}
    counters = settings["counterDetection"]["counters"]
    name = chance.choice([*COUNTERS, "symbol_error_fatal"])
    what = chance.randrange(9)
    if what == 8:
        settings["stateCheck"] = {"portStateHoldDown": chance.choice(("", "7s", "40s"))}
    elif what == 0:
        settings["counterDetection"]["enabled"] = False
    elif what == 1:
        counters.append({"name": name, "enabled": False})
    elif what == 2:
        counters.append({"name": name, "isFatal": chance.random() < 0.5})
    elif what == 3:
        settings["fatalCounterCheck"] = (
            "state" if settings.get("fatalCounterCheck") else "degradation"
        )
    elif what == 4:
        return config._replace(checks=tuple(chance.sample(CHECKS, chance.choice((1, 2, 3)))))
    elif what in (5, 6):
        names = [f"mlx5_{chance.randrange(size)}" for _ in range(chance.choice((1, 1, 2)))]
        return config._replace(
            **{"excluded" if what == 5 else "included": f"^({'|'.join(names)})$"}
        )
    elif what == 7:
        settings["charDeviceCheck"] = {"issm": "always"}
    else:
        settings["disappearance"] = _disappearance(chance)
    return config._replace(settings=settings)


def devices_of(setup):
    """The devices as they are at the beginning."""
    devices = []
    for place, (pci, role, layers, vf, parent) in enumerate(setup.layout):
        nic = None if parent is None else devices[parent]
        devices.append(Device(f"mlx5_{place}", pci, role, layers, vf, nic))
    return devices


# --- what happens


def _moods(chance):
    """How often what happens, which is not the same in every story."""
    weights = {what: chance.choice((0, 1, 1, 3)) * weight for what, weight in _WEIGHTS.items()}
    return weights if any(weights.values()) else dict(_WEIGHTS)


def _scan(chance):
    if chance.random() < 0.05:
        seconds = chance.choice((600, 3600, 4000, 90000))
    else:
        seconds = chance.choice((0, 0, 0, 0, 2, 31))  # beside the interval
    lost = (
        tuple(chance.sample(range(16), chance.choice((1, 1, 2)))) if chance.random() < 0.05 else ()
    )
    return ("scan", seconds, lost)


def _port_of(chance, actors, setup):
    device = chance.choice(actors)
    return device, chance.randrange(len(setup.layout[device][2]))


def _port(chance, actors, setup):
    kinds = ("up", "up", "up", "down", "down", "polling", "init", "armed", *STATES)
    return [("port", *_port_of(chance, actors, setup), chance.choice(kinds))]


def _flap(chance, actors, setup):
    port, steps = _port_of(chance, actors, setup), []
    for _ in range(chance.choice((1, 1, 3, 4))):
        if chance.random() < 0.5:
            steps += [("port", *port, "down"), ("scan", 0, ())]  # and it is seen
        steps += [("port", *port, "up"), ("count", *port, "link_downed", 1), ("scan", 0, ())]
    return steps


def _count(chance, actors, setup):
    name = chance.choice([*COUNTERS, "link_downed", "link_downed", "symbol_error"])
    return [
        ("count", *_port_of(chance, actors, setup), name, chance.choice((1, 1, 3, 50, 400, 100000)))
    ]


def _reset(chance, actors, setup):
    return [("reset", *_port_of(chance, actors, setup), chance.choice([None, None, *COUNTERS]))]


def _full(chance, actors, setup):
    name = chance.choice(("link_downed", "symbol_error", "link_error_recovery"))
    return [("full", *_port_of(chance, actors, setup), name)]


def _hide(chance, actors, setup):
    return [
        (
            "hide",
            *_port_of(chance, actors, setup),
            chance.choice(list(COUNTERS)),
            chance.random() < 0.5,
        )
    ]


def _rate(chance, actors, setup):
    return [("rate", *_port_of(chance, actors, setup), chance.choice(("full", "half", *RATES)))]


def _go(chance, actors, _setup):
    device = chance.choice(actors)
    steps = [("go", device, chance.choice(("off", "off", "unbound", "unbound", "idle", "lost")))]
    if chance.random() < 0.5:
        steps += [("scan", 0, ())] * chance.choice((1, 2, 3, 4))
        steps.append(("return", device, chance.random() < 0.5))
    return steps


def _return(chance, actors, _setup):
    return [("return", chance.choice(actors), chance.random() < 0.5)]


def _break(chance, actors, _setup):
    return [
        ("break", chance.choice(actors), chance.choice(("timeout", "EIO")), chance.random() < 0.5)
    ]


def _mend(chance, actors, _setup):
    return [("mend", chance.choice(actors))]


def _lose_port(chance, actors, setup):
    return [("lose", *_port_of(chance, actors, setup), chance.random() < 0.6)]


def _rename(chance, actors, _setup):
    return [("rename", chance.choice(actors), chance.randrange(_NAMES))]


def _role(chance, actors, _setup):
    return [
        ("role", chance.choice(actors), chance.choice(("compute", "storage", "management", None)))
    ]


def _layer(chance, actors, setup):
    return [
        (
            "layer",
            *_port_of(chance, actors, setup),
            chance.choice(("InfiniBand", "Ethernet", "EFA")),
        )
    ]


def _node(chance, actors, setup):
    """A character device goes, most of them for long enough to be missed."""
    node = (*_port_of(chance, actors, setup), chance.choice(("uverbs", "umad", "umad", "issm")))
    steps = [("node", *node, False)]
    if chance.random() < 0.6:
        steps += [("scan", 0, ())] * chance.choice((2, 3, 3, 4))
    if chance.random() < 0.5:
        steps.append(("node", *node, True))
    return steps


def _nodes(chance, _actors, _setup):
    return [("nodes", chance.random() < 0.5)]


def _class(chance, _actors, _setup):
    return [("class", chance.random() < 0.4)]


def _clock(chance, _actors, _setup):
    return [("clock", chance.choice((-86400, -3600, -7, -1, 1, 3600, 86400)))]


def _stop(chance, _actors, setup):
    steps = [("stop",)]
    if chance.random() < 0.5:
        steps = [("dies", _moment(chance)), *steps]
    if chance.random() < 0.5:
        steps.append(("config", chance.randrange(len(setup.configs))))
    return steps


def _kill(chance, _actors, _setup):
    return [("kill",), *([("dies", _moment(chance))] if chance.random() < 0.7 else [])]


def _moment(chance):
    """Of a life's calls: most of them soon."""
    return int(chance.expovariate(1 / chance.choice((5, 20, 60)))) + 1


def _node_name(chance, _actors, _setup):
    steps = [("node_name", chance.randrange(3))]
    return steps + _stall(chance, _actors, _setup) if chance.random() < 0.3 else steps


def _stall(chance, _actors, _setup):
    return [("stall", chance.choice((5, 20)))]


def _receiver(chance, _actors, _setup):
    return [("receiver", chance.randrange(1 << 30))]


def _reboot(chance, _actors, _setup):
    steps = [("kill",)] if chance.random() < 0.5 else []
    return [*steps, ("reboot", chance.random() < 0.5)]


def _forget(chance, _actors, _setup):
    return [("forget", chance.choice(("gone", "spoilt")))]


_MAKERS = {
    "port": _port, "flap": _flap, "count": _count, "reset": _reset, "full": _full, "hide": _hide,
    "rate": _rate, "go": _go,
    "return": _return, "break": _break, "mend": _mend, "lose": _lose_port, "rename": _rename,
    "role": _role, "layer": _layer,
    "node": _node, "nodes": _nodes, "class": _class, "clock": _clock, "stop": _stop,
    "kill": _kill, "node_name": _node_name, "stall": _stall, "receiver": _receiver,
    "reboot": _reboot, "forget": _forget,
}  # fmt: skip
_WEIGHTS = {
    "port": 14, "flap": 5, "count": 8, "reset": 5, "full": 1, "hide": 1, "rate": 2, "go": 4,
    "return": 4, "break": 3, "mend": 3,
    "lose": 2, "rename": 2, "role": 1, "layer": 1, "node": 4, "nodes": 1, "class": 1,
    "clock": 2, "stop": 3, "kill": 5,
    "node_name": 1, "stall": 1, "receiver": 3, "reboot": 1,
    "forget": 0.5,
}  # fmt: skip
# What a step can be.
KINDS = ("scan", "send", "acks", "dies", "config", *_MAKERS)
