# SPDX-License-Identifier: Apache-2.0
"""A PostgreSQL of its own, on a socket in a directory that goes with it."""

import glob
import os
import shutil
import subprocess
import tempfile

# It does not run as root.
USER = "postgres"


class Postgres:
    """While the `with` lasts; ask() gives what psql prints of a text in SQL."""

    def __enter__(self):
        places = sorted(glob.glob("/usr/lib/postgresql/*/bin"))
        if not places:
            raise SystemExit("PostgreSQL is not installed (Debian's postgresql)")
        self.programs = places[-1]
        self.path = tempfile.mkdtemp(prefix="bench-postgres.")
        data = os.path.join(self.path, "data")
        os.mkdir(data, 0o700)
        self._as_user = []
        if os.geteuid() == 0:
            shutil.chown(self.path, USER)
            shutil.chown(data, USER)
            self._as_user = ["setpriv", "--reuid", USER, "--regid", USER, "--clear-groups", "--"]
        self._run("initdb", "-D", data, "-A", "trust", "-U", USER, "--no-sync", "-E", "UTF8")
        settings = f"-c listen_addresses= -c unix_socket_directories={self.path}"
        settings += " -c fsync=off -c jit=off -c work_mem=256MB"
        log = os.path.join(self.path, "log")
        self._run("pg_ctl", "-D", data, "-w", "-l", log, "-o", settings, "start")
        self.data = data
        return self

    def __exit__(self, *_):
        self._run("pg_ctl", "-D", self.data, "-w", "-m", "immediate", "stop")
        shutil.rmtree(self.path)

    def _run(self, program, *arguments):
        command = [*self._as_user, os.path.join(self.programs, program), *arguments]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd="/")
        if done.returncode != 0:
            raise SystemExit(f"{program}: {done.stdout.decode()}")

    def ask(self, sql, stdin=None):
        command = ["psql", "-h", self.path, "-U", USER, "-X", "-q", "-A", "-t", "-F", "\t"]
        command += ["-v", "ON_ERROR_STOP=1", "-P", "null=", "-c", sql, "postgres"]
        return subprocess.run(command, input=stdin, stdout=subprocess.PIPE, check=True).stdout
