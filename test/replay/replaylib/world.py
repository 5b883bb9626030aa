# SPDX-License-Identifier: Apache-2.0
"""The node of a scenario: laid out and changed by nicsim, looked at by the real ibscan and
topoclass."""

import os
import subprocess

from nicsimlib import node as nicsim

from .errors import Broken
from .scans import Template

_CLASS = "sys/class/infiniband"
# Long enough for a device that answers on a busy machine; one that hangs costs it once for each
# state of the node.
_DEVICE_TIMEOUT = "1s"


class World:
    """One node; `platform` is the path of a description."""

    def __init__(self, programs: str, directory: str, platform: str):
        self.programs = programs
        self.directory = directory
        self.config = os.path.join(directory, "config.yaml")
        self.generation = 0
        self.node = None
        self.template = None  # of the node as it is, unless something has changed since
        self.topoclass = None
        self.become(platform)

    def become(self, platform: str):
        """Other hardware in the same place."""
        self.generation += 1
        self.node = nicsim.create(os.path.join(self.directory, f"node{self.generation}"), platform)
        self.template = None

    def do(self, action):
        """A command of nicsim."""
        with self.node.lock():
            action(self.node)
        self.template = None

    def show_class_directory(self, there: bool):
        """With or without /sys/class/infiniband."""
        place, aside = self.node.path(_CLASS), self.node.path(".nicsim/class")
        os.rename(*((aside, place) if there else (place, aside)))
        self.template = None

    # --- the monitor's eyes: they live as long as the monitor does

    def open_eyes(self, config: str):
        """Start topoclass: it remembers from scan to scan, so that there is one for all of them."""
        with open(self.config, "w", encoding="utf-8") as file:
            file.write(config or "{}\n")
        self.template = None

    def close_eyes(self):
        """Stop it."""
        if self.topoclass is None:
            return
        self.topoclass.stdin.close()
        self.topoclass.stdout.close()
        if self.topoclass.wait(10) != 0:
            raise Broken(f"topoclass ended with {self.topoclass.returncode}")
        self.topoclass = None

    def _start_topoclass(self):
        path = self.node.path
        self.topoclass = subprocess.Popen(
            [f"{self.programs}/topoclass", "--config", self.config,
             "--metadata", path("var/lib/nvsentinel/gpu_metadata.json"),
             "--route", path("proc/net/route"), "--route6", path("proc/net/ipv6_route")],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8",
        )  # fmt: skip

    def look(self) -> Template:
        """A scan of the node as it is; a real one only if something has changed since the last."""
        if self.template is None:
            if self.topoclass is None:
                self._start_topoclass()
            self.template = Template(self._classify(self._scan()))
        return self.template

    def _scan(self):
        path = self.node.path
        run = subprocess.run(
            [f"{self.programs}/ibscan", "--sysfs-root", path("sys"), "--counters", "configured",
             "--config", self.config, "--node", "test-node", "--device-timeout", _DEVICE_TIMEOUT,
             "--boot-id-file", path("proc/sys/kernel/random/boot_id")],
            stdout=subprocess.PIPE, encoding="utf-8", timeout=30, check=False,
        )  # fmt: skip
        if run.returncode != 0:
            raise Broken(f"ibscan ended with {run.returncode}")
        return run.stdout

    def _classify(self, text):
        # topoclass writes nothing before the scan's end has come, so that no pipe fills up in the
        # meantime.
        self.topoclass.stdin.write(text)
        self.topoclass.stdin.flush()
        lines = []
        while not lines or '"kind":"scan.end"' not in lines[-1]:
            lines.append(self.topoclass.stdout.readline())
            if not lines[-1]:
                raise Broken(f"topoclass ended early, with {self.topoclass.wait(10)}")
        return "".join(lines)
