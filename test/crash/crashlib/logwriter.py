# SPDX-License-Identifier: Apache-2.0
"""One writer of the chain: logmatch on its own growing log."""

import json
import os

from .kernellog import KernelLog
from .logmatchrun import options, undisturbed


class LogWriter:
    """Its command, its log and its decisions."""

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
        """Append a little if less than this share of the log is written."""
        if not self.log.done() and self.log.written < share * len(self.log.text):
            self.log.append(self.file)

    def grow_by(self, size):
        """Append at least this many bytes, or the rest."""
        until = min(self.log.written + size, len(self.log.text))
        while self.log.written < until:
            self.log.append(self.file)

    def decided(self):
        """Return (source, seq) of all events of the log, or None before all of it was read."""
        try:
            with open(self.state_path, encoding="utf-8") as file:
                state = json.load(file)
        except FileNotFoundError:
            return None
        if state["position"] != self.log.seq - 1:
            return None
        return [(state["source"], seq) for seq in range(1, state["seq"] + 1)]

    def wanted(self):
        """Return the events of one undisturbed run."""
        return undisturbed(
            "logmatch", self.work, f"{self.name}.undisturbed.json", self.log, self.node
        )[0]
