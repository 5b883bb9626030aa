# SPDX-License-Identifier: Apache-2.0
"""Runs logmatch on a generated log, and finds the events of an undisturbed run."""

import json
import os
import shlex
import subprocess

from .kernellog import BOOT_SECONDS, seconds_stamp


def options(work, state, node="crash", booted=BOOT_SECONDS):
    """Keep the machine's own configuration and devices out of the test."""
    config = os.path.join(work, "config.yaml")
    with open(config, "w", encoding="ascii") as file:
        file.write("counterDetection: {enabled: true}\n")
    return [
        "--boot-time",
        seconds_stamp(booted) + "Z",
        "--node",
        node,
        "--config",
        config,
        "--sysfs-root",
        work,
        "--boot-id-file",
        os.path.join(work, "boot_id"),
        "--state",
        os.path.join(work, state),
    ]


def set_boot_id(work, number):
    with open(os.path.join(work, "boot_id"), "w", encoding="ascii") as file:
        file.write(f"{number:08x}-0000-4000-8000-000000000000\n")


def undisturbed(program, work, state, log, node="crash"):
    """Return the events and gaps of one run over the whole log, read from a pipe, which ends."""
    command = [*shlex.split(program), *options(work, state, node, log.booted), "--kmsg=/dev/stdin"]
    output = subprocess.run(command, input=log.text, stdout=subprocess.PIPE, check=True).stdout
    records = [json.loads(line) for line in output.splitlines()]
    return (
        [record for record in records if record["kind"] == "event"],
        {(record["source"], record["lost"]) for record in records if record["kind"] == "gap"},
    )
