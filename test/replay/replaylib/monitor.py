# SPDX-License-Identifier: Apache-2.0
"""The program under test: ctreval, one process per life of the monitor, fed with all scans of that
life."""

import json
import os
import subprocess
import tempfile
import threading

from .errors import Broken

_PATIENCE_S = 300
_MARK = '{"kind":"replay.mark"}\n'


class Life:
    """From one start of the monitor to its end."""

    def __init__(self, config: str, checks: str):
        self.config = config
        self.checks = checks
        self.scans = []
        self.killed = False
        self.events = []  # (raw line, record)
        self.looks = []  # so many scans have been judged when the state file is to be looked at
        self.states = []  # (the scan before it, how many events were out by then, what was in it)
        self.messages = ""


class Monitor:
    """Runs lives, one after the other, on one state file."""

    def __init__(self, programs: str, directory: str, with_state: bool):
        self.program = f"{programs}/ctreval"
        self.directory = directory
        self.state = os.path.join(directory, "state.json") if with_state else None

    def put_state(self, text: str):
        """A state file from elsewhere."""
        with open(self.state, "w", encoding="utf-8") as file:
            file.write(text)

    def run(self, life: Life):
        """Feed a life's scans to the program, collect what it says."""
        config = os.path.join(self.directory, "ctreval.yaml")
        with open(config, "w", encoding="utf-8") as file:
            file.write(life.config or "{}\n")
        command = [self.program, "--config", config]
        if self.state:
            command += ["--state", self.state]
        if life.checks:
            command += ["--checks", life.checks]
        with tempfile.TemporaryFile("w+", encoding="utf-8", dir=self.directory) as errors:
            with subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                encoding="utf-8",
            ) as process:
                out = self._converse(process, life)
            errors.seek(0)
            life.messages = errors.read()
        if not life.killed and process.returncode != 0:
            raise Broken(f"ctreval ended with {process.returncode}\n{life.messages}")
        life.events = [(line, _record(line)) for line in out]
        self._look(life, len(life.scans), len(out))

    def _converse(self, process, life):
        """Feeds all scans; the lines that came. Where the state is looked at, and where the program
        is killed, it is between two scans: after all that came of those before."""
        timer = threading.Timer(_PATIENCE_S, process.kill)
        timer.start()
        lines, fed = [], 0
        for end in [*life.looks, *([len(life.scans)] if life.killed else [])]:
            _feed(process, "".join(scan.text() for scan in life.scans[fed:end]) + _MARK, lines)
            self._look(life, end, len(lines))
            fed = end
        if life.killed:
            process.kill()
        out = _finish(process, "".join(scan.text() for scan in life.scans[fed:]))
        timer.cancel()
        return lines + [
            line for line in out.splitlines(keepends=True) if '"kind":"update"' not in line
        ]

    def _look(self, life, scans, events):
        if self.state and life.scans and os.path.exists(self.state):
            with open(self.state, encoding="utf-8") as file:
                life.states.append((life.scans[scans - 1], events, json.load(file)))


def _feed(process, text, lines):
    """Filters pass records they do not know, in order: once the mark has come through, all scans
    before it are judged."""

    def write():
        try:
            process.stdin.write(text)
            process.stdin.flush()
        except BrokenPipeError:
            pass  # it has ended; the reader below says so

    feeder = threading.Thread(target=write)
    feeder.start()
    for line in process.stdout:
        if line == _MARK:
            break
        # What becomes of an event that stands is no event.
        if '"kind":"update"' not in line:
            lines.append(line)
    else:
        raise Broken(f"ctreval ended with {process.wait()} before it was through")
    feeder.join()


def _finish(process, text):
    """The rest of a life, up to its end."""
    try:
        return process.communicate(text, timeout=_PATIENCE_S)[0]
    except subprocess.TimeoutExpired:
        process.kill()
        raise Broken("ctreval hangs") from None


def _record(line):
    try:
        record = json.loads(line)
    except ValueError:
        raise Broken(f"ctreval wrote what is not JSON: {line!r}") from None
    if not isinstance(record, dict) or record.get("kind") != "event":
        raise Broken(f"ctreval wrote what is not an event: {line!r}")
    return record
