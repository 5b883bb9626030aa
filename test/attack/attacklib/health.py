# SPDX-License-Identifier: Apache-2.0
"""What /healthz says, against what works. Pure."""

import re

from .faults import STAGES

# The service starts a stage again after this at the earliest.
_RESTART_SECONDS = 1.0
# Without a scan that was evaluated the service is not well after this.
_SCAN_SECONDS = 5.0
# The scan before may have been evaluated a little after the stage was seen to stop.
_SLACK_SECONDS = 0.5
# The disk of the spool hangs when it has not answered for 2 s.
_HANG_SECONDS = 3.0
_SCANNING = ("ibscan", "topoclass", "ctreval")
# The service is well without these.
_OPTIONAL = ("ibevent", "logmatch", "correlate")
_DOWN = re.compile(r"^stage (\S+) is down", re.MULTILINE)


class Watch:
    """Takes who lives, and the answers. Times are seconds of one clock, each taken before the look
    or question it is of."""

    def __init__(self):
        self.complaints = []
        self.answers = {}  # status -> how many
        self._forget(None)

    def _forget(self, service):
        self.service = service
        self.alive = {}  # stage -> (pid, first seen, last seen)
        self.gone = {}  # stage -> when it was first missed
        self.idle = {}  # stage -> when it was first seen to do nothing
        self.hanging = (
            None  # (since when, pid) of an emit that its disk keeps waiting; None: there is none
        )
        # when one that evaluates scans has begun to, or gone on: it may have had some before it
        self.began = 0.0
        self.doubted = []  # (stage, pid, begun, ended) of answers that somebody is down
        self.status, self.text = None, ""

    def saw(self, now, living, stopped, service):
        """Who lives now: stage -> pid; the pids of those that do nothing; what the service is,
        which may be another one."""
        if service is not self.service:
            self._forget(service)
        for stage, pid in living.items():
            known = self.alive.get(stage)
            if stage in _SCANNING and (
                known is None or known[0] != pid or (stage in self.idle and pid not in stopped)
            ):
                self.began = now
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
        """These pids are kept waiting by a disk that hangs."""
        pid = self.alive.get("emit", (None,))[0]
        if pid not in waiting or "emit" in self.gone or "emit" in self.idle:
            self.hanging = None
        elif self.hanging is None or self.hanging[1] != pid:
            self.hanging = (now, pid)

    def answered(self, begun, ended, status, text):
        """An answer to a question of `begun`."""
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
            # It was gone before the question, and nobody can have started it before the answer.
            seen = self.alive[stage][2]
            is_needed = stage not in _OPTIONAL
            if is_needed and since <= begun and ended < seen + _RESTART_SECONDS:
                self.complaints.append(
                    f"/healthz said 200 {ended - seen:.2f} s after {stage} was seen for the last"
                    " time"
                )
        for stage, since in self.idle.items():
            if (
                stage in _SCANNING
                and begun > max(since, self.began) + _SCAN_SECONDS + _SLACK_SECONDS
            ):
                self.complaints.append(
                    f"/healthz said 200 when {stage} had done nothing for {begun - since:.1f} s"
                )

        if self.hanging is not None and begun > self.hanging[0] + _HANG_SECONDS:
            self.complaints.append(
                "/healthz said 200 when emit's disk had not answered for"
                f" {begun - self.hanging[0]:.1f} s"
            )

    def is_well(self, living):
        """The last answer was 200, and everybody lives."""
        return self.status == 200 and len(living) == len(STAGES)
