# SPDX-License-Identifier: Apache-2.0
"""How a server is to behave: steps, one a line, `[N] BEHAVIOUR [ARGUMENT]...`, each for one
request, or for N, the last for ever."""

import os
import threading


class Script:
    """Steps from a file, which may be replaced while the server runs: then it begins anew. No file,
    or an empty one, is `ok`."""

    def __init__(self, path):
        self.path = path
        self.lock = threading.Lock()
        self.seen = None
        self.steps = []

    def next(self):
        """The behaviour for this request, a list of words: its name and its arguments."""
        with self.lock:
            self.look()
            if not self.steps:
                return ["ok"]
            left, words = self.steps[0]
            if len(self.steps) > 1:
                self.steps[0] = (left - 1, words)
                if left == 1:
                    del self.steps[0]
            return words

    def look(self):
        if self.path is None:
            return
        try:
            with open(self.path, encoding="utf-8") as file:
                status = os.fstat(file.fileno())
                name = (status.st_ino, status.st_mtime_ns, status.st_size)
                if name != self.seen:
                    self.seen, self.steps = name, [
                        parse_step(line) for line in file if line.strip()
                    ]
        except FileNotFoundError:
            self.seen, self.steps = None, []


def parse_step(line):
    words = line.split()
    times = int(words.pop(0)) if words[0].isdigit() else 1
    return times, words


def add_argument(parser):
    parser.add_argument(
        "--script",
        metavar="FILE",
        help="how to behave, looked at for each request; see the list of behaviours",
    )
