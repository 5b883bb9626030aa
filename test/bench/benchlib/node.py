# SPDX-License-Identifier: Apache-2.0
"""A simulated node to measure on, and a scan of it by the real programs."""

import json
import os
import shutil
import subprocess
import tempfile

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "../../.."))
PROGRAMS = os.environ.get("NHM_BIN", os.path.join(ROOT, "bin"))
NICSIM = os.path.join(ROOT, "test/sim/nicsim")


def program(name):
    return os.path.join(PROGRAMS, name)


def run(*command, stdin=None):
    return subprocess.run(command, input=stdin, stdout=subprocess.PIPE, check=True).stdout


class Workplace:
    """A directory that goes when the `with` ends; in memory when there is such a place, as /run
    is."""

    def __enter__(self):
        place = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
        self.path = tempfile.mkdtemp(prefix="bench.", dir=place)
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.path)

    def file(self, name):
        return os.path.join(self.path, name)


class Node:
    """One that nicsim lays out from a file in test/fixtures/platforms, or with so many NICs."""

    def __init__(self, workplace, platform):
        self.path = workplace.file(f"node-{platform}")
        description = os.path.join(ROOT, f"test/fixtures/platforms/{platform}.json")
        if isinstance(platform, int):
            description = workplace.file("platform.json")
            with open(description, "wb") as file:
                file.write(run(NICSIM, "--generate", str(platform)))
        run(NICSIM, self.path, "create", description)

    def ibscan(self):
        """The command, as the service runs it."""
        return [
            program("ibscan"),
            "--sysfs-root",
            f"{self.path}/sys",
            "--node",
            "bench-node",
            "--boot-id-file",
            f"{self.path}/proc/sys/kernel/random/boot_id",
            "--counters",
            "configured",
        ]

    def annotated_scan(self):
        """One scan's records, through topoclass."""
        annotated = run(
            program("topoclass"),
            "--metadata",
            f"{self.path}/var/lib/nvsentinel/gpu_metadata.json",
            "--route",
            f"{self.path}/proc/net/route",
            "--route6",
            f"{self.path}/proc/net/ipv6_route",
            stdin=run(*self.ibscan()),
        )
        return [json.loads(line) for line in annotated.splitlines()]
