# SPDX-License-Identifier: Apache-2.0
"""The real service on a node that breaks, beside the filters that stand for it in all other
combinations."""

import os
import select
import shutil
import subprocess
import tempfile
import time

from . import faults, flaws, play, views

# Platform, role and a fault of one step of which something stands: of each sort of event one.
COMBINATIONS = (
    ("h100-oci", "compute", "eject"),
    ("multi-plane", "plane", "down"),
    ("dgx-h100", "compute", "unplug"),
    ("gb200-nvl4", "compute", "dangle"),
    ("l40s-onprem", "compute", "add counters/link_downed 1"),
    ("dgx-a100", "compute", "remove a port"),
    ("a100-oci", "compute", "unreadable state"),
    ("dgx-a100", "compute", "state INIT LinkUp"),
    ("l40s-oci", "storage", "down"),
)  # fmt: skip

_PATIENCE_S = 120
# As soon as it is looked for, not half a minute later: it comes to the same.
_CONFIGURATION = "homogeneity: {settleSeconds: 1}\n"


class _Running:
    """A service that watches the node, until it is closed."""

    def __init__(self, programs, directory, names):
        self.names, self.directory, self.lines, self.rest = names, directory, [], b""
        with open(f"{directory}/config.yaml", "w", encoding="utf-8") as file:
            file.write(_CONFIGURATION)
        command = [programs.path("nic-health-monitor"), *programs.node_options(), "--interval",
            "100ms", "--config", f"{directory}/config.yaml",
                   "--state-file", f"{directory}/state.json", "--spool", f"{directory}/spool.db",
                   "--kmsg-path", "", "--metrics-port", "",
                   "--sink", "-"]  # fmt: skip
        with open(f"{directory}/stderr", "wb") as errors:
            self.process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors
            )

    def stands(self):
        """What its receiver has been told to stand, so far."""
        while select.select([self.process.stdout], [], [], 0)[0]:
            more = os.read(self.process.stdout.fileno(), 1 << 20)
            if not more:
                raise views.Trouble(f"the service has ended\n{self.messages()}")
            *lines, self.rest = (self.rest + more).split(b"\n")
            self.lines += lines
        return views.standing(self.lines, self.names)

    def messages(self):
        """Its standard error."""
        with open(f"{self.directory}/stderr", encoding="utf-8", errors="replace") as file:
            return file.read()

    def wait(self, what, condition):
        """Until the condition holds."""
        deadline = time.monotonic() + _PATIENCE_S
        while not condition():
            if time.monotonic() > deadline:
                raise views.Trouble(
                    f"the service: waited in vain for {what}; what stands:"
                    f" {sorted(map(_text, self.stands()))}\n{self.messages()}"
                )
            select.select([self.process.stdout], [], [], 0.1)

    def close(self):
        """It ends."""
        self.process.terminate()
        self.process.communicate(timeout=_PATIENCE_S)


def _text(said):
    # Numbers depend on when somebody looked.
    return f"{said.level}: {said.text.partition(' (value=')[0]}"


def compare(run, combination):
    """[text]: where the real service holds something else to stand than its filters do."""
    platform, role, name = combination
    description = next(path for known, path in run.descriptions if known == platform)
    laid_out, programs = run.lay_out(
        "-".join((platform, role, name)).replace("/", "-"), description
    )
    fault = next(fault for fault in faults.every() if fault.name == name)
    slot = next(slot for slot in play.slots(platform, description, programs) if slot.role == role)
    nic = laid_out.nic(slot.device)
    witness = _another(programs, laid_out, nic)
    played = play.play(laid_out, programs, fault, slot.device, programs.scan(), flaws.FLAWS["none"])
    expected = set(map(_text, played.said[0]))
    try:
        stands = _watched(run, laid_out, programs, fault, nic, witness, expected)
    except views.Trouble as error:
        return [f"{slot}: {name}: {error}"]
    finally:
        shutil.rmtree(laid_out.directory)
    if not expected or stands != expected:
        return [
            f"{slot}: {name}: the service holds {sorted(stands)}, its filters {sorted(expected)}"
        ]
    return []


def _watched(run, laid_out, programs, fault, nic, witness, expected):
    """What stands at a service that sees the fault."""
    directory = tempfile.mkdtemp(dir=run.work)
    service = _Running(programs, directory, laid_out.names(nic))
    try:
        service.wait(
            "the first scan", lambda: "ctreval: note: counters available" in service.messages()
        )
        for step in fault.steps:
            for command in step:
                laid_out.do(nic.fill(command))
        service.wait(f"{sorted(expected)}", lambda: expected <= set(map(_text, service.stands())))
        # Once the event of another NIC has come, all that came before it has.
        laid_out.do(f"add {witness}/1 counters/link_downed 1")
        service.wait(
            "the last event", lambda: any(_is_of(said, witness) for said in service.stands())
        )
        return {_text(said) for said in service.stands() if not _is_of(said, witness)}
    finally:
        service.close()


def _is_of(said, device):
    return device in said.about and "link_downed" in said.text


def _another(programs, laid_out, nic):
    """A NIC of another card that is watched."""
    card = nic.pci.rpartition(".")[0]
    return next(
        device["device"] for device in play.devices(programs.classified(programs.scan()), "device")
        if device["monitored"] and not device["parent"] and laid_out.node.platform.nic(
        device["device"]).card != card
    )  # fmt: skip
