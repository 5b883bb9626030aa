# SPDX-License-Identifier: Apache-2.0
"""The faults on the nodes of the scenarios: the truth (pure, except config())."""

import json
import os

from crashlib.kernellog import KernelLog, seconds_stamp

BEGAN = 1_700_000_000
# Per scan and port: state, physical state, link_downed, symbol_error.
GOOD, DOWN = ("ACTIVE", "LinkUp"), ("DOWN", "Disabled")
STORY = [
    {"mlx5_0": (*GOOD, 0, 0), "mlx5_1": (*GOOD, 0, 0)},
    {"mlx5_0": (*GOOD, 0, 0), "mlx5_1": (*GOOD, 0, 0)},
    {"mlx5_0": (*GOOD, 1, 0), "mlx5_1": (*GOOD, 0, 0)},
    {"mlx5_0": (*GOOD, 1, 0), "mlx5_1": (*DOWN, 0, 0)},
    {"mlx5_0": (*GOOD, 1, 9), "mlx5_1": (*DOWN, 0, 0)},
    {"mlx5_0": (*GOOD, 0, 0), "mlx5_1": (*DOWN, 0, 0)},
    {"mlx5_1": (*GOOD, 0, 0)},
    {"mlx5_0": (*GOOD, 0, 0), "mlx5_1": (*GOOD, 0, 0)},
]


def stamp(seconds):
    return seconds_stamp(seconds) + "Z"


def scan(number, world):
    """Return the records of scan `number`, one second after the previous one."""
    both = {
        "scan": number,
        "ts": seconds_stamp(BEGAN + number) + ".000000Z",
        "boottime_ns": number * 1_000_000_000,
    }
    lines = [
        {
            **{"kind": "scan.begin", "v": 1, "node": "node", "boot_id": "b1"},
            **{"interval_ms": 1000},
            **both,
        }
    ]
    for place, (device, (state, phys_state, downed, errors)) in enumerate(sorted(world.items())):
        pci = f"0000:{18 + place:02}:00.0" if device == "mlx5_0" else "0000:3a:00.0"
        lines += [
            {
                **{"kind": "device", "scan": number, "device": device, "pci": pci},
                **{"vf": False, "ports": 1},
            },
            {
                **{"kind": "port", "device": device, "port": 1, "link_layer": "InfiniBand"},
                **{"state": state, "phys_state": phys_state, "operstate": "up"},
                **{"counters": {"link_downed": downed, "symbol_error": errors}},
                **{"hw_counters": {}, "net": {}},
                **both,
            },
        ]
    count = len(world)
    lines.append(
        {
            **{"kind": "scan.end", "devices": count, "ports": count, "complete": True},
            **{"unreadable": []},
            **both,
        }
    )
    return b"".join(json.dumps(line).encode() + b"\n" for line in lines)


def scans():
    return [scan(number, world) for number, world in enumerate(STORY, 1)]


def kernel_log():
    return KernelLog(19, 0, 40)


def config(setting):
    """Keep the machine's own configuration out of the test."""
    path = os.path.join(setting.inputs, "config.yaml")
    with open(path, "w", encoding="ascii") as file:
        file.write("counterDetection: {enabled: true}\n")
    return path
