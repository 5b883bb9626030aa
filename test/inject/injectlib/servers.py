# SPDX-License-Identifier: Apache-2.0
"""Servers for the scenarios: nats-server and PostgreSQL. They end with this process."""

import json
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time

from .runs import PATIENCE_SECONDS, Ended

OUT_OF_MEMORY = 71


def excused(end, run):
    """libnats 3.4 crashes in many places when memory runs out, for example while parsing a
    response, and hangs if it cannot start. Treat that as an error exit of the program."""
    crashes = (-signal.SIGSEGV, -signal.SIGABRT, None)
    if end.code not in crashes or not run.order.is_of_library():
        return end
    said = [line for line in end.stderr.splitlines() if ": Assertion `" not in line]
    said.append(f"{run.program}: error: of libnats")
    return Ended(OUT_OF_MEMORY, end.stdout, "\n".join(said))


def wait_for(what, has_come):
    """Wait until has_come() returns a value, and return it."""
    until = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < until:
        if found := has_come():
            return found
        time.sleep(0.01)
    raise SystemExit(f"inject: {what} has not begun")


class Nats:
    """A nats-server on a free port."""

    def __init__(self, directory):
        os.mkdir(directory)
        self.directory = directory
        options = ["--addr", "127.0.0.1", "--port", "-1", "--jetstream", "--store_dir", directory]
        options += ["--ports_file_dir", directory]
        command = ["setpriv", "--pdeathsig", "KILL", "nats-server", *options]
        self.process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
        self.address = f"{wait_for('nats-server', self.read_address)}/nic"

    def read_address(self):
        path = os.path.join(self.directory, f"nats-server_{self.process.pid}.ports")
        try:
            with open(path, encoding="ascii") as file:
                return json.load(file)["nats"][0]
        except (FileNotFoundError, ValueError):
            return None

    def port(self):
        return int(self.address.rpartition(":")[2].partition("/")[0])

    def end(self):
        self.process.kill()
        self.process.wait()


class Postgres:
    """A PostgreSQL server with a socket in its own directory, because it does not run as root."""

    def __init__(self):
        self.directory = tempfile.mkdtemp(dir="/dev/shm" if os.path.isdir("/dev/shm") else None)
        self.prefix = ["setpriv", "--pdeathsig", "KILL"]
        if os.getuid() == 0:
            user = pwd.getpwnam("postgres")
            os.chown(self.directory, user.pw_uid, user.pw_gid)
            self.prefix += ["--reuid", "postgres", "--regid", "postgres", "--clear-groups"]
        versions = "/usr/lib/postgresql"
        self.programs = os.path.join(versions, max(os.listdir(versions), key=int), "bin")
        data = os.path.join(self.directory, "data")
        self.run("initdb", "-D", data, "-A", "trust", "-U", "root", "--no-sync", "-E", "UTF8")
        command = [*self.command("postgres"), "-D", data, "-c", "listen_addresses="]
        command += ["-c", f"unix_socket_directories={self.directory}", "-c", "fsync=off"]
        self.process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
        os.chmod(self.directory, 0o711)
        wait_for("PostgreSQL", self.answers)

    def command(self, program):
        return [*self.prefix, os.path.join(self.programs, program)]

    def run(self, program, *arguments):
        subprocess.run([*self.command(program), *arguments], stdout=subprocess.DEVNULL, check=True)

    def answers(self):
        command = [os.path.join(self.programs, "pg_isready"), "-q", "-h", self.directory]
        return subprocess.run(command, check=False).returncode == 0

    def address(self, database):
        return f"postgresql://root@/{database}?host={self.directory}"

    def ask(self, sql, database="postgres"):
        """Run an SQL statement and return the lines of its output."""
        command = ["psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-c", sql]
        address = self.address(database)
        answer = subprocess.run([*command, address], stdout=subprocess.PIPE, check=True)
        return answer.stdout.splitlines()

    def end(self):
        self.process.send_signal(signal.SIGINT)
        self.process.wait()
        shutil.rmtree(self.directory, ignore_errors=True)
