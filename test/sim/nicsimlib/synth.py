# SPDX-License-Identifier: Apache-2.0
"""Synthetic platform descriptions of any size, for tests of scale.

Two NUMA nodes with four GPUs each, two NICs (functions) per card. Card 0 carries the host's
default route; of the others the even ones are RoCE, the odd ones InfiniBand.
"""

GPUS = 8
NUMA_NODES = 2
FUNCTIONS = 2
# Buses 01..c8 of each PCI domain hold cards, d0..d7 of domain 0 the GPUs.
CARDS_PER_DOMAIN = 200
MOST_NICS = 65536


def describe(count):
    """Return the description of a node with `count` NICs, as an object for JSON."""
    nics = [_nic(index) for index in range(count)]
    return {
        "name": f"synthetic-{count}",
        "description": f"synthetic node with {count} NICs, two functions per card",
        "gpu_name": "Synthetic GPU",
        "gpus": [
            {
                "gpu_id": gpu,
                "pci_address": f"0000:{0xd0 + gpu:02x}:00.0",
                "numa_node": _gpu_numa_node(gpu),
            }
            for gpu in range(GPUS)
        ],
        "default_route_interface": "eth0",
        "other_netdevs": [],
        "nics": nics,
        "nic_topology": {
            nic["device"]: _row(index // FUNCTIONS, nic["numa_node"])
            for index, nic in enumerate(nics)
        },
    }


def _nic(index):
    card, function = divmod(index, FUNCTIONS)
    domain, slot = divmod(card, CARDS_PER_DOMAIN)
    infiniband = card % 2 == 1
    if card == 0:
        netdev = f"eth{function}"
    else:
        netdev = f"{'ib' if infiniband else 'rdma'}{index - FUNCTIONS}"
    link_layer = "InfiniBand" if infiniband else "Ethernet"
    return {
        "device": f"mlx5_{index}",
        "pci_address": f"{domain:04x}:{slot + 1:02x}:00.{function}",
        "vendor": "0x15b3",
        "driver": "mlx5_core",
        "numa_node": card // 2 % NUMA_NODES,
        "link_layer": link_layer,
        "hca_type": "MT4129",
        "fw_ver": "28.41.1000",
        "board_id": "MT_0000000838" if infiniband else "MT_0000000834",
        "netdev": netdev,
        "operstate": "up",
        "is_vf": False,
        "physfn": None,
        "sriov_totalvfs": 16,
        "ports": [
            {
                "port": 1,
                "state": "4: ACTIVE",
                "phys_state": "5: LinkUp",
                "rate": "200 Gb/sec (2X NDR)",
                "link_layer": link_layer,
            }
        ],
    }


def _row(card, numa_node):
    """Return a card's distance to each GPU: all cards but the first share a switch with one."""
    local = [gpu for gpu in range(GPUS) if _gpu_numa_node(gpu) == numa_node]
    nearest = None if card == 0 else local[card // 2 // NUMA_NODES % len(local)]
    return ["PXB" if gpu == nearest else "NODE" if gpu in local else "SYS" for gpu in range(GPUS)]


def _gpu_numa_node(gpu):
    return gpu * NUMA_NODES // GPUS
