# SPDX-License-Identifier: Apache-2.0
"""rdmatrace, with a directory that contains the files of a tracefs."""

import os
import re
import subprocess

from . import filters
from .runs import Run, stopped

LINE = b"rping-7 [000] ..... 12.345678: cm_event_handler: cm.id=1\n"
EVENTS = ("cm_event_handler", "ib_qp", "ib_cq", "ib_srq", "ib_wq", "ib_event")


def make_tracefs(room):
    """Like make_tracefs in test/lib/common.bash; the pipe contains one line. Return the pipe, which
    must stay open."""
    instance = os.path.join(room, "tracing/instances/rdmatrace")
    events = [f"rdmatrace/{event}" for event in EVENTS[1:]] + ["rdma_cma/cm_event_handler"]
    files = [f"events/{event}/{file}" for event in events for file in ("filter", "enable")]
    files += ["buffer_size_kb", "trace_clock", "trace", "../../kprobe_events"]
    for event in events:
        os.makedirs(os.path.join(instance, "events", event))
    for file in files:
        with open(os.path.join(instance, file), "wb"):
            pass
    pipe = os.path.join(instance, "trace_pipe")
    os.mkfifo(pipe)
    descriptor = os.open(pipe, os.O_RDWR | os.O_CLOEXEC)
    os.write(descriptor, LINE)
    return descriptor


class Rdmatrace(filters.Filter):
    """Run rdmatrace until it wrote the line: then it has enabled all events. It must report those
    that it does not trace."""

    name = program = "rdmatrace"

    def prepare(self, setting):
        self.sysfs = os.path.join(setting.inputs, "rdmatrace-sys")
        for module in ("ib_core", "ib_uverbs", "rdma_cm"):
            os.makedirs(os.path.join(self.sysfs, "module", module))
        subprocess.run([os.path.join(filters.TEST, "lib", "btf"), self.sysfs], check=True)

    def play(self, setting, room, failure):
        run = Run(setting, room, self.program, failure)
        pipe = make_tracefs(room)
        command = ["rdmatrace", "-v", "--tracefs", os.path.join(room, "tracing")]
        try:
            end = stopped(run, [*command, "--sysfs-root", self.sysfs], lambda text: text == LINE)
        finally:
            os.close(pipe)
        return run.order, end

    def judge(self, ended, reference):
        complaints = super().judge(ended, reference)
        for event in EVENTS if ended.code == 0 else ():
            if not re.search(f"(info: {event}: traced|warning: {event}: not traced)", ended.stderr):
                complaints.append(f"nothing is said of {event}")
        return complaints
