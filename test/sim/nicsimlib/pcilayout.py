# SPDX-License-Identifier: Apache-2.0
"""The places of a node's PCI functions: their root buses and bridges. Pure.

A description says how far each NIC is from each GPU, in the words of `nvidia-smi topo -m`. Here is
a bus on which they are that far apart: what is PIX is behind one switch, what is PXB is behind
switches that are behind one switch, what is PHB is on one root bus. The bus that a guest sees may
be flat: there are no bridges then, and distances say nothing.
"""

from .record import record

_FUNCTIONS_PER_BUS = [
    f"{device:02x}.{function}" for function in range(8) for device in range(1, 32)
]


@record
class Bridge:
    """A bridge between the root bus and a function."""

    pci_address: str
    numa_node: int | None
    pci_dir: str


class _Groups:
    """A union-find structure: groups of things, joined two at a time."""

    def __init__(self):
        self.parents = {}

    def of(self, thing):
        """Return the representative of its group."""
        while (parent := self.parents.setdefault(thing, thing)) != thing:
            thing = parent
        return thing

    def join(self, one, other):
        """Join the groups of two things."""
        self.parents[self.of(one)] = self.of(other)


def slot(pci_address):
    """Return the common part of the addresses of a card's functions."""
    return pci_address.rpartition(".")[0]


def places(gpus, nics, rows, flat=False):
    """Return the directories of the functions, and the bridges above them.

    `gpus` and `nics` are pairs of an address and a NUMA node; of a virtual function the address is
    that of the function that it is one of. `rows` are the rows of the matrix, by the NIC's address.
    Returns the directory of each address, relative to the node, and the bridges, from the root on.
    """
    near = {word: _Groups() for word in ("PIX", "PXB", "PHB")}
    # A nearer distance implies the farther ones.
    for address, row in rows.items():
        for (gpu, _), cell in zip(gpus, row):
            for word in list(near)[list(near).index(cell) :] if cell in near else []:
                near[word].join(slot(address), slot(gpu))
    numa_nodes = {slot(address): numa for address, numa in [*nics, *gpus]}
    tree = _Tree(near, numa_nodes, flat)
    directories = {address: f"{tree.place(slot(address))}/{address}" for address, _ in nics}
    directories |= {address: f"{tree.place(slot(address))}/{address}" for address, _ in gpus}
    return directories, tuple(tree.bridges)


class _Tree:
    """The bus, made as the places of cards are requested."""

    def __init__(self, near, numa_nodes, flat):
        self.near = near
        self.numa_nodes = numa_nodes
        self.flat = flat
        self.bridges = []
        self.roots = {}  # by the cards behind them
        self.made = {}  # directories by their purpose
        self.taken = set()  # addresses
        self.members = {}  # cards by the switch and the root bus they are behind
        for card in sorted(numa_nodes):
            for word, groups in near.items():
                self.members.setdefault((word, groups.of(card)), []).append(card)

    def place(self, card):
        """Return the directory of a card's functions."""
        if self.flat:
            return f"sys/devices/pci{card.rpartition(':')[0]}"
        pix, pxb, phb = (groups.of(card) for groups in self.near.values())
        root = self._root(phb)
        if self._is_alone("PXB", pxb):
            return self._bridge(root, ("port", card), card)
        port = self._bridge(root, ("port", pxb), card)
        top = self._bridge(port, ("top", pxb), card)
        if self._switches(pxb) == 1:
            return self._bridge(top, ("slot", card), card)
        down = self._bridge(top, ("down", pix), card)
        switch = self._bridge(down, ("switch", pix), card)
        return self._bridge(switch, ("slot", card), card)

    def _is_alone(self, word, group):
        return len(self.members[word, group]) == 1

    def _switches(self, pxb):
        return len({self.near["PIX"].of(card) for card in self.members["PXB", pxb]})

    def _root(self, phb):
        """Return the root bus. Its number is one less than that of the first card behind it, if
        free."""
        if phb not in self.roots:
            domain, bus, _ = self.members["PHB", phb][0].split(":")
            number = int(bus, 16)
            root = f"sys/devices/pci{domain}:{max(number - 1, 0):02x}"
            taken = root in self.roots.values()
            self.roots[phb] = f"sys/devices/pci{domain}:{number:02x}" if taken else root
        return self.roots[phb]

    def _bridge(self, above, purpose, card):
        """Return the directory of the bridge for a purpose, made at the first request."""
        if purpose not in self.made:
            address = self._free_address(above)
            self.made[purpose] = f"{above}/{address}"
            self.bridges.append(Bridge(address, self.numa_nodes[card], self.made[purpose]))
        return self.made[purpose]

    def _free_address(self, above):
        """Return a free address on the root bus or on a bus behind it."""
        domain, bus = above.split("/")[2].removeprefix("pci").split(":")
        for number in range(int(bus, 16), 256):
            for function in _FUNCTIONS_PER_BUS:
                address = f"{domain}:{number:02x}:{function}"
                if address not in self.taken and slot(address) not in self.numa_nodes:
                    self.taken.add(address)
                    return address
        raise ValueError(f"no free PCI address behind {above}")
