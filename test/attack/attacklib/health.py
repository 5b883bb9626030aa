# SPDX-License-Identifier: Apache-2.0
"""Compares the responses of /healthz with the state of the processes. Pure."""

import re

from .faults import STAGES

# The service waits at least this long before it restarts a stage.
_RESTART_SECONDS = 1.0
# /healthz must fail if no scan was evaluated for this long.
_SCAN_SECONDS = 5.0
# It must fail if none was evaluated for this long since the service started.
_FIRST_SCAN_SECONDS = 15.0
# The last scan may have been evaluated a little after ctreval was seen to read it.
_SLACK_SECONDS = 0.5
# /healthz reports a hanging spool disk after 2 s.
_HANG_SECONDS = 3.0
_SCANNING = ("ibscan", "topoclass", "ctreval")
# /healthz does not depend on these stages.
_OPTIONAL = ("ibevent", "logmatch", "correlate")
_DOWN = re.compile(r"^stage (\S+) is down", re.MULTILINE)


class Watch:
    """Gets the living processes and the responses of /healthz. Times are seconds of one clock,
    taken before each check or request."""

    def __init__(self):
        self.complaints = []
        self.answers = {}  # status -> how many
        self._forget(0.0, None)

    def _forget(self, now, service):
        self.service, self.started = service, now
        self.has_scanned = False  # whether this service is known to have evaluated a scan
        self.alive = {}  # stage -> (pid, first seen, last seen)
        self.gone = {}  # stage -> when it was first missed
        self.idle = {}  # stage -> when it was first seen to do nothing
        self.hanging = (
            None  # (since when, pid) of an emit that its disk keeps waiting; None: there is none
        )
        # what ctreval had done, and when that last changed; a scan may have been evaluated until
        # then, also one that waited in a pipe for a ctreval that has just started
        self.progress, self.progressed = None, 0.0
        self.doubted = []  # (stage, pid, begun, ended) of answers that somebody is down
        self.status, self.text = None, ""

    def saw(self, now, living, stopped, service, progress):
        """Record the living processes: stage -> pid; the stopped pids; the service, which may be a
        new one; and a value that changes when ctreval does something."""
        if service is not self.service:
            self._forget(now, service)
        if progress != self.progress:
            self.progress, self.progressed = progress, now
        for stage, pid in living.items():
            known = self.alive.get(stage)
            self.alive[stage] = (
                pid,
                known[1] if known is not None and known[0] == pid else now,
                now,
            )
            self.gone.pop(stage, None)
            if pid in stopped:
                self.idle.setdefault(stage, now)
            else:
                self.idle.pop(stage, None)
        for stage in set(self.alive) - set(living):
            self.gone.setdefault(stage, now)
            self.idle.pop(stage, None)
        for stage, pid, begun, ended in self.doubted:
            if living.get(stage) == pid:
                self.complaints.append(
                    f"/healthz said that {stage} is down, which lived {now - begun:.2f} s before"
                    f" and {now - ended:.2f} s after that"
                )
        self.doubted = []

    def saw_hanging(self, now, waiting):
        """Record the pids that a hanging disk blocks."""
        pid = self.alive.get("emit", (None,))[0]
        if pid not in waiting or "emit" in self.gone or "emit" in self.idle:
            self.hanging = None
        elif self.hanging is None or self.hanging[1] != pid:
            self.hanging = (now, pid)

    def answered(self, begun, ended, status, text):
        """Check the response to a request sent at `begun`."""
        self.status, self.text = status, text
        self.answers[status] = self.answers.get(status, 0) + 1
        if status == 200:
            self._must_be_well(begun, ended)
        elif status == 503:
            for stage in _DOWN.findall(text):
                pid, since, _ = self.alive.get(stage, (None, ended, 0))
                if since < begun and stage not in self.gone:
                    self.doubted.append((stage, pid, begun, ended))

    def _must_be_well(self, begun, ended):
        for stage, since in self.gone.items():
            # The stage was gone before the request and cannot have been restarted before the
            # response.
            seen = self.alive[stage][2]
            is_needed = stage not in _OPTIONAL
            if is_needed and since <= begun and ended < seen + _RESTART_SECONDS:
                self.complaints.append(
                    f"/healthz said 200 {ended - seen:.2f} s after {stage} was seen for the last"
                    " time"
                )
        for stage, since in self.idle.items():
            if stage in _SCANNING and begun > self._misses_scan_at(since) + _SLACK_SECONDS:
                self.complaints.append(
                    f"/healthz said 200 when {stage} had done nothing for {begun - since:.1f} s"
                )

        if self.hanging is not None and begun > self.hanging[0] + _HANG_SECONDS:
            self.complaints.append(
                "/healthz said 200 when emit's disk had not answered for"
                f" {begun - self.hanging[0]:.1f} s"
            )

    def _misses_scan_at(self, idle_since):
        """Return when /healthz must fail because a stage of the scans does nothing."""
        at = max(idle_since, self.progressed) + _SCAN_SECONDS
        return at if self.has_scanned else max(at, self.started + _FIRST_SCAN_SECONDS)

    def is_well(self, living):
        """Return whether the last response was 200 and all stages live."""
        return self.status == 200 and len(living) == len(STAGES)
