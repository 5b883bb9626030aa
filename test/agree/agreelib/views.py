# SPDX-License-Identifier: Apache-2.0
"""What the table, --once and the service say of a node, each as a list of Said."""

import json
import os
import re
import select
import subprocess
from typing import NamedTuple

PATIENCE_S = 120

# The columns of a table in which nothing is left out.
_COLUMNS = "1000"
_PCI = re.compile(r"\b[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}(?:\.[0-7])?\b")


class Trouble(Exception):
    """A program failed, or wrote what none may write."""


class Said(NamedTuple):
    """One statement of a view."""

    level: str  # of the view's own
    about: frozenset  # names of NICs; empty: the node
    text: str


class Once(NamedTuple):
    """What --once says."""

    code: int
    said: list


class Table(NamedTuple):
    """What a person sees."""

    headline: str
    said: list  # the rows that are marked


def run(command, given=b"", codes=(0,)):
    """Its exit code and standard output."""
    environment = {**os.environ, "COLUMNS": _COLUMNS}
    done = subprocess.run(
        command, input=given, capture_output=True, env=environment, timeout=PATIENCE_S, check=False
    )
    if done.returncode not in codes:
        raise Trouble(
            f"{' '.join(command)} ended with"
            f" {done.returncode}\n{done.stderr.decode(errors='replace')}"
        )
    return done.returncode, done.stdout


class Programs:
    """The programs under test, and how they are told where the node is."""

    def __init__(self, directory, stage, roles=True):
        self.directory, self.roles = directory, roles
        self.sysfs, self.boot_id = stage.path("sys"), stage.path("proc/sys/kernel/random/boot_id")
        self.metadata = stage.path("var/lib/nvsentinel/gpu_metadata.json" if roles else "nowhere")
        self.routes = (stage.path("proc/net/route"), stage.path("proc/net/ipv6_route"))
        self.state = f"{stage.directory}.state"

    def path(self, name):
        """The program of that name."""
        return os.path.join(self.directory, name)

    def scan(self, device_timeout="60s"):
        """The records of one scan, by an ibscan that knows nothing yet. Where nothing hangs a
        device may take its time: on a busy machine it does."""
        return run([self.path("ibscan"), "--sysfs-root", self.sysfs, "--boot-id-file", self.boot_id,
            "--node", "node", "--gids",
                    "--device-timeout", device_timeout])[1]  # fmt: skip

    def classified(self, records):
        """The same with roles, as far as they are known."""
        return run(self._topoclass(), records)[1]

    def _topoclass(self):
        roles = (
            ["--metadata", self.metadata] if os.path.exists(self.metadata) else ["--no-metadata"]
        )
        return [
            self.path("topoclass"),
            *roles,
            "--route",
            self.routes[0],
            "--route6",
            self.routes[1],
        ]

    def classifier(self):
        """The same as it is in a service: a Filter that knows what it has seen before."""
        return Filter(self._topoclass())

    def table(self, records, names):
        """Of classified records."""
        text = run([self.path("nicview")], records)[1].decode()
        headline, *lines = text.splitlines()
        return Table(headline, [said for line in lines[1:] if (said := _row(line, names))])

    def once(self, names):
        """The check of the node as it is."""
        code, text = run(
            [self.path("nic-health-monitor"), "--once", "--settle", "0s", "--json",
            *self.node_options()], codes=(0, 1, 2, 3)
        )  # fmt: skip
        record = json.loads(text)
        if record["exit_code"] != code:
            raise Trouble(f"--once ends with {code} and says {record['exit_code']}")
        return Once(code, [_finding(finding, names) for finding in record["findings"]])

    def node_options(self):
        """Of nic-health-monitor."""
        return ["--sysfs-root", self.sysfs, "--metadata-path", self.metadata, "--route-path",
            self.routes[0], "--route6-path", self.routes[1],
                "--boot-id-path", self.boot_id, "--node-name", "node"]  # fmt: skip

    def events(self, records):
        """What ctreval says of classified records, with state."""
        command = [self.path("ctreval"), "--state", self.state]
        try:
            return run(command, records)[1].splitlines()
        finally:
            for suffix in ("", ".lock"):
                if os.path.exists(self.state + suffix):
                    os.unlink(self.state + suffix)


class Filter:
    """A filter of scans that goes on while the node changes."""

    _END = b'{"kind":"scan.end"'

    def __init__(self, command):
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        os.set_blocking(self.process.stdin.fileno(), False)

    def feed(self, scan):
        """One scan; what comes of it."""
        given, taken = self.process.stdin.fileno(), self.process.stdout.fileno()
        text = b""
        # Nothing comes behind the end of a scan before the next one is given.
        while scan or not (
            text.endswith(b"\n") and text.rfind(self._END) > text.rfind(b"\n", 0, -1)
        ):
            readable, writable, _ = select.select([taken], [given] if scan else [], [], PATIENCE_S)
            if writable:
                scan = scan[os.write(given, scan) :]
            if readable:
                more = os.read(taken, 1 << 20)
                text += more
                if not more:
                    raise Trouble("a filter has ended")
            elif not writable:
                raise Trouble("a filter hangs")
        return text

    def close(self):
        """The end of all scans."""
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait()


# --- reading


def _meant(words, names):
    """NICs that these names, or lists of names, mean."""
    meant = set()
    for word in words:
        for name in (word or "").split(","):
            if name:
                meant |= names.get(name, {name})
    return frozenset(meant)


def _row(line, names):
    mark, device, *cells = line[:2].strip(), *line[3:].split()
    if not mark:
        return None
    # That a card lacks a port stands in the row of one that it has.
    about = [cells[1].rpartition(".")[0]] if "its card has " in line else [device]
    return Said(mark, _meant(about, names), " ".join(line.split()))


def _event_words(event):
    entities = [
        entity["entityValue"]
        for entity in event["entitiesImpacted"]
        if entity["entityType"] == "NIC"
    ]
    return [*entities, event.get("metadata", {}).get("devices")]


def _finding(finding, names):
    words = [finding["device"]]
    if finding["event"] is not None:
        words += _event_words(finding["event"])
    if not any(words):
        words = _PCI.findall(finding["message"])
    return Said(finding["level"], _meant(words, names), finding["message"])


def _key(event):
    return event["checkName"], json.dumps(event["entitiesImpacted"])


def standing(lines, names):
    """What stands after these events: [Said], `fatal` or `non-fatal`."""
    stands = {}  # (check, entities) -> {codes: event}
    for line in lines:
        # Most of them are a baseline's, and end nothing.
        if not stands and b'"isHealthy":true' in line:
            continue
        event = json.loads(line)
        if event["kind"] != "event":
            continue
        key, codes = _key(event), tuple(event.get("errorCode") or ())
        if not event["isHealthy"]:
            stands.setdefault(key, {})[codes] = event
        elif not event["entitiesImpacted"]:
            stands = {
                other: said for other, said in stands.items() if other[0] != event["checkName"]
            }
        elif not codes:
            stands.pop(key, None)
        else:
            stands.get(key, {}).pop(codes, None)
        if key in stands and not stands[key]:
            del stands[key]
    return [
        Said("fatal" if event["isFatal"] else "non-fatal", _meant(_event_words(event), names),
        event["message"])
        for said in stands.values() for event in said.values()
    ]  # fmt: skip
