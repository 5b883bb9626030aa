"""The program under test: ctreval, one process per life of the monitor, fed with all scans of that life."""

import json
import os
import subprocess
import tempfile
import threading

from .errors import Broken

_PATIENCE_S = 60
_MARK = {"kind": "replay.mark"}


class Life:
    """From one start of the monitor to its end."""

    def __init__(self, config: str, checks: str):
        self.config = config
        self.checks = checks
        self.scans = []
        self.killed = False
        self.events = []  # (raw line, record)
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
        text = "".join(scan.text() for scan in life.scans)
        with tempfile.TemporaryFile("w+", encoding="utf-8", dir=self.directory) as errors:
            with subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, encoding="utf-8"
            ) as process:
                out = _converse_and_kill(process, text) if life.killed else _converse(process, text)
            errors.seek(0)
            life.messages = errors.read()
        if not life.killed and process.returncode != 0:
            raise Broken(f"ctreval ended with {process.returncode}\n{life.messages}")
        life.events = [(line, _record(line)) for line in out.splitlines()]


def _converse(process, text):
    try:
        return process.communicate(text, timeout=_PATIENCE_S)[0]
    except subprocess.TimeoutExpired:
        process.kill()
        raise Broken("ctreval hangs") from None


def _converse_and_kill(process, text):
    """SIGKILL between two scans: after all that came of those before.

    Filters pass records they do not know, in order: once this one has come through, all scans are judged.
    """
    mark = json.dumps(_MARK, separators=(",", ":")) + "\n"

    def feed():
        try:
            process.stdin.write(text + mark)
            process.stdin.flush()
        except BrokenPipeError:
            pass  # it has ended; the reader below says so

    feeder = threading.Thread(target=feed)
    timer = threading.Timer(_PATIENCE_S, process.kill)
    feeder.start()
    timer.start()
    lines = []
    for line in process.stdout:
        if line == mark:
            break
        lines.append(line)
    else:
        raise Broken(f"ctreval ended with {process.wait()} before it was to be killed")
    timer.cancel()
    feeder.join()
    process.kill()
    process.wait()
    try:
        process.stdin.close()
    except BrokenPipeError:
        pass
    return "".join(lines)


def _record(line):
    try:
        record = json.loads(line)
    except ValueError:
        raise Broken(f"ctreval wrote what is no JSON: {line!r}") from None
    if not isinstance(record, dict) or record.get("kind") != "event":
        raise Broken(f"ctreval wrote what is no event: {line!r}")
    return record
