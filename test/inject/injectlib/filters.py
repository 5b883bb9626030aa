# SPDX-License-Identifier: Apache-2.0
"""Programs that read, write and exit, without any state."""

import errno
import json
import os
import subprocess

from . import truth
from .orders import ERRORS
from .runs import Run, complaints_about_end, documented_codes

TEST = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TOOLS = os.path.join(os.path.dirname(TEST), "tools")
NICS = ("mlx5_0", "mlx5_1", "mlx5_2")


def make_node(setting, name="node", *commands):
    """Make a simulated node with a few NICs and apply the commands. Return its directory."""
    node = os.path.join(setting.inputs, name)
    with open(os.path.join(TEST, "fixtures/platforms/h100-oci.json"), encoding="utf-8") as file:
        platform = json.load(file)
    platform["nics"] = [nic for nic in platform["nics"] if nic["device"] in NICS]
    description = node + ".json"
    with open(description, "w", encoding="utf-8") as file:
        json.dump(platform, file)
    simulator = os.path.join(TEST, "sim", "nicsim")
    for command in (("create", description), *commands):
        subprocess.run([simulator, node, *command], check=True)
    return node


def scan_options(node):
    return [
        "--sysfs-root",
        f"{node}/sys",
        "--boot-id-file",
        f"{node}/proc/sys/kernel/random/boot_id",
        "--node",
        "node",
    ]


def class_options(node):
    return [
        "--metadata",
        f"{node}/var/lib/nvsentinel/gpu_metadata.json",
        "--route",
        f"{node}/proc/net/route",
        "--route6",
        f"{node}/proc/net/ipv6_route",
        "--config",
        f"{node}.yaml",
    ]


def configure(node):
    """Keep the machine's own configuration out of the test."""
    with open(f"{node}.yaml", "w", encoding="ascii") as file:
        file.write("counterDetection: {enabled: true}\n")


def as_line(record):
    return json.dumps(record, separators=(",", ":")).encode() + b"\n"


class Filter:
    """A program that runs once: `command` with `stdin`."""

    name = program = ""
    stdin = os.devnull
    errors = ERRORS
    # With --sample, try each stride-th call.
    stride = 40
    # The exit status after complete success.
    done = 0

    def __init__(self):
        tool = "supervisor" if self.program == "nic-health-monitor" else self.program
        self.codes = documented_codes(os.path.join(TOOLS, tool, f"{self.program}.1"))

    def prepare(self, setting):
        """Prepare what all runs share."""

    def close(self):
        """Stop what prepare() started."""

    def play(self, setting, room, failure):
        """Run the program. Return (order, result)."""
        run = Run(setting, room, self.program, failure)
        return run.order, run.finish(self.command, self.stdin)

    def judge(self, ended, reference):
        complaints = complaints_about_end(ended, [self.program], self.codes)
        if reference.code != self.done:
            complaints.append(f"exit code {reference.code}, undisturbed")
        if ended.code == self.done and not self.is_same(ended, reference):
            complaints += self.complaints_about_rest(ended, reference)
        elif ended.code != self.done:
            complaints += self.complaints_about_part(ended, reference)
        return complaints

    def is_same(self, ended, reference):
        return truth.timeless(ended.stdout) == truth.timeless(reference.stdout)

    def complaints_about_rest(self, ended, reference):
        """The program reported success, but its output differs."""
        return [f"exit code {self.done}, and another output"]

    def complaints_about_part(self, ended, reference):
        """The program failed: its output so far must be a beginning of the true output."""
        said, whole = truth.timeless(ended.stdout), truth.timeless(reference.stdout)
        return [] if whole.startswith(said) else ["what it wrote before it failed is not true"]


class Topoparse(Filter):
    name = program = "topoparse"

    def prepare(self, setting):
        case = os.path.join(TEST, "corpus", "topoparse", "with-query")
        self.stdin = os.path.join(case, "input")
        self.command = ["topoparse", "--gpus", os.path.join(case, "gpus.csv")]


class Lnetread(Filter):
    name = program = "lnetread"

    def prepare(self, setting):
        self.stdin = os.path.join(TEST, "corpus", "lnetread", "two-reads", "input")
        self.command = ["lnetread"]


class Ibscan(Filter):
    """What ibscan cannot read is missing or null, or the device has an error."""

    name = program = "ibscan"
    # In sysfs, open() of an existing file fails only for lack of descriptors.
    errors = {**ERRORS, "open": (errno.EMFILE,)}

    def prepare(self, setting):
        node = make_node(setting, "ibscan-node")
        configure(node)
        self.bus = os.listdir(os.path.join(node, "sys/bus/pci/devices"))
        self.command = ["ibscan", *scan_options(node), "--count", "2", "--interval", "1ms"]

    def complaints_about_rest(self, ended, reference):
        said, complaints = truth.records(ended.stdout)
        true, _ = truth.records(reference.stdout)
        by_name = {name_of(record): record for record in true}
        for record in said:
            known = by_name.get(name_of(record))
            complaints += (
                [f"a record of nothing: {record}"]
                if known is None
                else complaints_about_record(self.without_doubtful(record), known)
            )
        return complaints

    def without_doubtful(self, record):
        """Return the record without functions that may be NICs, because their class was not
        read."""
        functions = record.get("functions")
        if not isinstance(functions, list):
            return record
        doubtful = [{"pci": address, "driver": None} for address in self.bus]
        return record | {"functions": [item for item in functions if item not in doubtful]}

    complaints_about_part = complaints_about_rest


def name_of(record):
    return tuple(record.get(key) for key in ("kind", "scan", "device", "port"))


# Members that describe an incomplete scan.
OF_SCAN = {"error", "complete", "unreadable", "devices", "ports"}


# Members of a device that was not read. The NUMA node may be unknown for every device.
UNKNOWN = {"numa_node": -1, "netdevs": [], "vf": False}


def complaints_about_record(record, known):
    """Return complaints about untrue members of a record."""
    own = OF_SCAN if record["kind"] in ("device", "scan.end") else set()
    if record["kind"] == "scan.end" and record["complete"] and record != known:
        # Functions are omitted if they cannot be listed.
        own = set()
    rest = {key: value for key, value in record.items() if key not in own}
    unknown = UNKNOWN if "error" in record else {"numa_node": -1}
    rest = {key: value for key, value in rest.items() if (key, value) not in unknown.items()}
    wrong = [key for key, value in rest.items() if not truth.is_less(value, known.get(key))]
    return [f"{name_of(record)} {key}: {rest[key]!r}, not {known.get(key)!r}" for key in wrong]


class Topoclass(Filter):
    """Routes that cannot be read count as none, as the manual says."""

    name = program = "topoclass"

    def prepare(self, setting):
        node = make_node(setting, "topoclass-node")
        configure(node)
        self.stdin = os.path.join(setting.inputs, "scan")
        with open(self.stdin, "wb") as file:
            subprocess.run(
                [os.path.join(setting.programs, "ibscan"), *scan_options(node), "--count", "2"],
                stdout=file,
                check=True,
            )
        self.command = ["topoclass", *class_options(node)]
        nowhere = os.path.join(setting.inputs, "nowhere")
        with open(self.stdin, "rb") as file:
            self.routeless = subprocess.run(
                [
                    *(os.path.join(setting.programs, "topoclass"), *self.command[1:]),
                    *("--route", nowhere, "--route6", nowhere),
                ],
                stdin=file,
                capture_output=True,
                check=True,
            ).stdout

    def complaints_about_rest(self, ended, reference):
        said, complaints = truth.records(ended.stdout)
        true, _ = truth.records(reference.stdout)
        routeless, _ = truth.records(self.routeless)
        if len(said) != len(true):
            complaints.append("exit code 0, and not as many records")
        for one, whole, part in zip(said, true, routeless):
            if one not in (whole, without_route_now(whole), part):
                complaints.append(f"exit code 0, and not true: {one}")
        return complaints


def without_route_now(record):
    """Return the record of a scan whose routes alone were not read: roles from earlier scans
    remain."""
    if "topology" not in record:
        return record
    return record | {"topology": record["topology"] | {"default_route_device": None}}


def without(record, keys):
    return {key: value for key, value in record.items() if key not in keys}


class Nicview(Filter):
    """nicview prints the table of a capture."""

    name = program = "nicview"

    def prepare(self, setting):
        node = make_node(setting, "nicview-node", ("unplug", "mlx5_1/1"))
        configure(node)
        path = os.path.join(setting.inputs, "nicview-scan")
        with open(path, "wb") as file:
            subprocess.run(
                [os.path.join(setting.programs, "ibscan"), *scan_options(node), "--count", "1"],
                stdout=file,
                check=True,
            )
        self.command = ["nicview", path]


class Ctreval(Filter):
    name = program = "ctreval"

    def prepare(self, setting):
        from .stories import config, scans

        self.stdin = os.path.join(setting.inputs, "ctreval-scans")
        with open(self.stdin, "wb") as file:
            file.write(b"".join(scans()))
        self.command = ["ctreval", "--config", config(setting)]


class CtrevalRules(Filter):
    """ctreval prints the rules of a configuration, which must have all counters."""

    name, program = "ctreval-rules", "ctreval"
    stride = 1

    def prepare(self, setting):
        path = os.path.join(setting.inputs, "rules.toml")
        with open(path, "w", encoding="ascii") as file:
            for name in ("symbol_error", "link_downed", "local_link_integrity_errors"):
                file.write(f'[[counterDetection.counters]]\nname = "{name}"\n')
        self.command = ["ctreval", "--config", path, "--check-config"]


class Logmatch(Filter):
    name = program = "logmatch"

    def prepare(self, setting):
        from .stories import config, kernel_log

        path = os.path.join(setting.inputs, "log")
        log = kernel_log()
        with open(path, "wb") as file:
            file.write(log.text)
        self.command = ["logmatch", *logmatch_options(setting, config(setting), log), path]


def logmatch_options(setting, config, log):
    from .stories import stamp

    sysfs = os.path.join(setting.inputs, "empty")
    boot_id = os.path.join(setting.inputs, "boot_id")
    os.makedirs(sysfs, exist_ok=True)
    with open(boot_id, "w", encoding="ascii") as file:
        file.write("00000001-0000-4000-8000-000000000000\n")
    return [
        *("--boot-time", stamp(log.booted), "--node", "node", "--config", config),
        *("--sysfs-root", sysfs, "--boot-id-file", boot_id),
    ]
