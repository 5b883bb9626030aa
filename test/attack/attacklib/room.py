# SPDX-License-Identifier: Apache-2.0
"""A room: a node, the service on it and its server. Applies the faults and tracks the living
processes."""

import contextlib
import json
import os
import select
import signal
import socket
import sqlite3
import subprocess
import time

from crashlib import delivery, server
from havoc.orders import Orders
from nicsimlib import commands
from nicsimlib import node as nicsim

from . import damage, told
from .faults import SERVER, SERVICE, STAGES

# Settling takes longer than any round: a card with fewer ports than its peers would be another,
# random fault.
_CONFIG = "homogeneity: {settleSeconds: 86400}\ndisappearance: {confirmScans: 2}\n"
_PORTS_FROM, _PORTS = 10000, 20000
# Time limit for a death by SIGKILL.
_DEATH_SECONDS = 10


class Trouble(Exception):
    """A program did something that is never allowed."""


def free_port(seed):
    """Return a port on which no process listens, outside the range of ephemeral ports."""
    for number in range(_PORTS):
        port = _PORTS_FROM + (os.getpid() * 37 + seed * 11 + number) % _PORTS
        with contextlib.suppress(OSError), socket.socket() as one:
            one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            one.bind(("127.0.0.1", port))
            return port
    raise Trouble("no free port")


class Reader:
    """Reads the service's messages from a pipe and writes them to a file."""

    def __init__(self, log):
        self.log = log
        self.end, self.write_end = os.pipe2(os.O_CLOEXEC)
        os.set_blocking(self.end, False)
        self.until = 0.0  # it reads nothing before

    def stall(self, until):
        """Read nothing until then, and fill the pipe."""
        self.until = until
        if self.end is None:
            return
        with contextlib.suppress(BlockingIOError):
            filler = os.open(
                f"/proc/self/fd/{self.end}", os.O_WRONLY | os.O_NONBLOCK | os.O_CLOEXEC
            )
            try:
                while True:
                    os.write(filler, b"(what nobody reads)\n" * 200)
            finally:
                os.close(filler)

    def leave(self):
        """Close the pipe."""
        if self.end is not None:
            os.close(self.end)
        self.end = None

    def read(self, now):
        """Read what is in the pipe."""
        if self.end is None or now < self.until:
            return
        with contextlib.suppress(BlockingIOError):
            while data := os.read(self.end, 65536):
                os.write(self.log, data)

    def close_write_end(self):
        """Close our write end; the service has its own."""
        os.close(self.write_end)


class Room:
    """All files are in its directory. Nothing here blocks."""

    def __init__(self, directory, setting, seed):
        self.directory, self.setting = directory, setting
        self.node = nicsim.create(self.path("node"), setting.platform)
        self.orders = Orders(self.path("orders"))
        self.port = free_port(seed)
        for name in ("run", "var"):
            os.mkdir(self.path(name), 0o700)
        with open(self.path("config.yaml"), "w", encoding="ascii") as file:
            file.write(_CONFIG)
        self.service = self.server = None
        self.started = dict.fromkeys((SERVICE, SERVER), 0)
        self.due = dict.fromkeys((SERVICE, SERVER), 0.0)  # when it is started (again)
        self.stopped = {}  # pid -> when it goes on
        self.living = {}  # stage of this service -> pid
        self.watches = {}  # pid -> pidfd, None when it is dead
        self.emit = None  # that of an earlier one included
        self.damages = []  # that were done
        self.remembered, self.remembered_answered = (
            {},
            set(),
        )  # id -> record of what a damage may have taken
        self.complaints = []
        self.stderr = os.open(
            self.path("stderr"), os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600
        )
        self.reader = None
        self.at_server = told.Told(self.path("server.log"), delivery.of_server)
        self.in_file = told.Told(self.path("var/events"), delivery.of_file)
        self.spool, self.acks = self.path("var/spool.db"), self.path("run/emit/acks.json")
        self.audit = delivery.Audit(self, seed)

    def path(self, name):
        return os.path.join(self.directory, name)

    # --- the node ---

    def change(self, words):
        """Run a command of nicsim."""
        action = commands.prepare(self.node.platform, words[0], list(words[1:]))
        with self.node.lock():
            action(self.node)

    # --- who lives ---

    def start_service(self):
        """Start the service, as systemd would after its death."""
        node = self.node.path
        command = [
            os.path.join(self.setting.programs, "nic-health-monitor"), "--sysfs-root", node("sys"),
            "--node-name", "gpu-1",
            "--metadata-path", node("var/lib/nvsentinel/gpu_metadata.json"), "--route-path",
            node("proc/net/route"),
            "--route6-path", node("proc/net/ipv6_route"), "--boot-id-path",
            node("proc/sys/kernel/random/boot_id"),
            "--kmsg-path", node("dev/kmsg"), "--interval", "100ms", "--config",
            self.path("config.yaml"),
            "--state-file", self.path("run/state.json"), "--spool", self.spool,
            "--metrics-port", str(self.port), "--metrics-address", "127.0.0.1",
            "--sink", f"file:{self.path('var/events')}", "--sink",
            f"grpc:unix://{self.path('server.sock')}",
        ]  # fmt: skip
        environment = {
            **os.environ,
            "LD_PRELOAD": self.setting.havoc,
            # The preloaded library writes a file that confinement would forbid.
            "NHM_CONFINE": "off",
            "NHM_HAVOC": self.path("orders"),
            "NHM_HAVOC_ROOM": self.directory,
            # The library is loaded before the sanitizer's, which would reject that.
            "ASAN_OPTIONS": "verify_asan_link_order=0:" + os.environ.get("ASAN_OPTIONS", ""),
        }
        if self.setting.flaw == "unsynced":
            environment["NHM_HAVOC_UNSYNCED"] = "1"
        if self.reader is not None:
            self.reader.leave()
        self.reader = Reader(self.stderr)
        # pylint: disable-next=consider-using-with # it outlives this
        self.service = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=self.stderr,
            stderr=self.reader.write_end,
            env=environment,
        )
        self.reader.close_write_end()
        self.started[SERVICE] += 1

    def start_server(self):
        """Start the server, which appends to the log of an earlier one."""
        with contextlib.suppress(FileNotFoundError):
            os.unlink(self.path("server.sock"))
        self.server = server.start(
            self.setting.stubs,
            f"unix:{self.path('server.sock')}",
            self.path("server.log"),
            self.stderr,
        )
        self.started[SERVER] += 1

    def pid(self, name):
        """Return the pid of a process, or None if it does not live."""
        if name == SERVICE:
            return self.service.pid if self.service is not None else None
        return self.server if name == SERVER else self.living.get(name)

    def kill(self, name, pause):
        """Kill a process if it lives. The service and the server are started again after `pause`
        seconds; the service restarts stages itself."""
        pid = self.pid(name)
        if pid is None:
            return
        self.due[name] = time.monotonic() + pause
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
        if name == SERVICE:
            self.service.wait()
            self.service = None
        elif name == SERVER:
            os.waitpid(pid, 0)
            self.server = None

    def damage(self, what, victim):
        """Damage emit's files, after killing the victim if there is one."""
        emit = self.emit
        if victim is not None:
            self.kill(victim, 0.3)
            if emit is not None and self.watches.get(emit) is not None:
                select.select([self.watches[emit]], [], [], _DEATH_SECONDS)
        rows, answered = damage.remember(self.spool, victim is None and emit is not None)
        if damage.do(what, self.spool, self.acks):
            self.damages.append(what)
            self.remembered |= told.records_by_id(rows)
            self.remembered_answered |= answered

    def stop(self, name, seconds):
        """Stop a process for this many seconds."""
        pid = self.pid(name)
        if pid is not None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGSTOP)
                self.stopped[pid] = time.monotonic() + seconds

    def go_on(self, until):
        """Continue the processes that were stopped until then."""
        for pid, at in list(self.stopped.items()):
            if at <= until:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGCONT)
                del self.stopped[pid]

    def look(self, now):
        """Update the living processes, schedule the end of stops within calls, and start the
        service and the server if due."""
        if self.service is not None and self.service.poll() is not None:
            self.complaints.append(f"the service has ended by itself: {self.service.returncode}")
            self.due[SERVICE] = now + 0.2
            self.service = None
        if self.reader is not None:
            self.reader.read(now)
        living, own = {}, {}
        for pid, program in self.orders.processes():
            if not self._lives(pid):
                continue
            living[program] = pid
            state, parent = state_and_parent_of(pid)
            # Stages of an earlier service have lost their parent, and end by themselves.
            if self.service is not None and parent == self.service.pid:
                own[program] = pid
            if pid not in self.stopped and state == "T":
                self.stopped[pid] = now + 0.4
        if self.emit is not None and "emit" not in living:
            self.look_at_acks()
        self.emit = living.get("emit")
        self.living = {program: pid for program, pid in own.items() if program in STAGES}
        self.go_on(now)
        if self.service is None and now >= self.due[SERVICE]:
            self.start_service()
        if self.server is None and now >= self.due[SERVER]:
            self.start_server()

    def progress(self):
        """Return a value that changes when ctreval starts or reads, as it does for each scan."""
        pid = self.living.get("ctreval")
        return pid, bytes_read_by(pid) if pid is not None else 0

    def look_at_acks(self):
        """Compare the acks with the spool after emit's death. Not after a damage, which may have
        taken acknowledged events."""
        if not self.damages:
            self.audit.look()

    def _lives(self, pid):
        """A process lives until all of its threads have ended, like for the service."""
        if pid not in self.watches:
            try:
                self.watches[pid] = os.pidfd_open(pid)
            except ProcessLookupError:
                self.watches[pid] = None
        watch = self.watches[pid]
        if watch is not None and select.select([watch], [], [], 0)[0]:
            os.close(watch)
            self.watches[pid] = None
        return self.watches[pid] is not None

    def starts(self, stage):
        """Return how often a stage was started."""
        return sum(program == stage for _, program in self.orders.processes())

    # --- what came of it ---

    def read(self):
        """Read all arrivals."""
        self.at_server.read()
        self.in_file.read()

    def state(self, name="state.json"):
        """Return the content of a state file, or None if there is none or it is not valid."""
        with contextlib.suppress(FileNotFoundError, ValueError), open(
            self.path(f"run/{name}"), "rb"
        ) as file:
            return json.load(file)
        return None

    def has_spool(self):
        return os.path.exists(self.spool)

    def stored(self):
        """Return (source, seq, record) in the order in which they were stored, and the refused
        events."""
        return delivery.read_spool(self.spool)

    def answered(self):
        """Return the ids of events that came after their answer: stored, but not delivered."""
        with contextlib.closing(
            sqlite3.connect(f"file:{self.spool}?mode=rw", uri=True)
        ) as database:
            rows = database.execute(
                "SELECT source, seq FROM event WHERE answered_by IS NOT NULL"
            ).fetchall()
        return self.remembered_answered | {f"{source}-{seq}" for source, seq in rows}

    def last_words(self, count):
        """Return the last messages of the service and its stages."""
        with open(self.path("stderr"), "rb") as file:
            return file.read().decode(errors="replace").splitlines()[-count:]

    def end_service(self, patience):
        """Stop the service in an orderly way. Return the exit code, or None if it does not end."""
        self.service.terminate()
        try:
            code = self.service.wait(patience)
        except subprocess.TimeoutExpired:
            return None
        self.service = None
        return code

    def end_now(self):
        """Kill the service and the server when this process is ended, without cleaning up."""
        for name in (SERVICE, SERVER):
            pid = self.pid(name)
            if pid is not None:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)

    def close(self):
        """Kill all processes and close the descriptors."""
        self.kill(SERVICE, 0)
        self.kill(SERVER, 0)
        if self.reader is not None:
            self.reader.read(float("inf"))
        for watch in self.watches.values():
            if watch is not None:
                os.close(watch)
        if self.reader is not None:
            self.reader.leave()
        os.close(self.stderr)


def state_and_parent_of(pid):
    """Return the state letter and the parent in /proc, or None twice if the process is gone."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            state, parent = file.read().rpartition(b")")[2].split()[:2]
            return state.decode(), int(parent)
    except (FileNotFoundError, ProcessLookupError):
        return None, None


def bytes_read_by(pid):
    """Return how many bytes the process has read, or 0 if it is gone."""
    try:
        with open(f"/proc/{pid}/io", "rb") as file:
            return int(file.readline().split()[1])
    except (FileNotFoundError, ProcessLookupError):
        return 0
