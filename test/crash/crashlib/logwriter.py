# SPDX-License-Identifier: Apache-2.0
"""One writer of the chain: logmatch on a log of its own, which grows."""

import json
import os

from .kernellog import KernelLog
from .logmatchrun import options, undisturbed


class LogWriter:
    """What it is run on, and what it has decided."""

    def __init__(self, name, work, acks, seed, lines):
        self.name, self.work = name, work
        self.node = f"crash-{name}"
        self.log = KernelLog(seed, name, lines)
        self.log_path, self.state_path = os.path.join(work, f"{name}.kmsg"), os.path.join(
            work, f"{name}.json"
        )
        self.file = open(self.log_path, "wb", buffering=0)
        self.command = [
            "logmatch",
            *options(work, f"{name}.json", self.node),
            "--acks",
            acks,
            f"--kmsg={self.log_path}",
        ]

    def close(self):
        self.file.close()

    def grow(self, share):
        """A little, when less than that share of the log is there."""
        if not self.log.done() and self.log.written < share * len(self.log.text):
            self.log.append(self.file)

    def grow_by(self, size):
        """So many bytes at least, or the rest."""
        until = min(self.log.written + size, len(self.log.text))
        while self.log.written < until:
            self.log.append(self.file)

    def decided(self):
        """(source, seq) of all events of the log; None while it has not been read to its end."""
        try:
            with open(self.state_path, encoding="utf-8") as file:
                state = json.load(file)
        except FileNotFoundError:
            return None
        if state["position"] != self.log.seq - 1:
            return None
        return [(state["source"], seq) for seq in range(1, state["seq"] + 1)]

    def wanted(self):
        """The events of one undisturbed run."""
        return undisturbed(
            "logmatch", self.work, f"{self.name}.undisturbed.json", self.log, self.node
        )[0]
