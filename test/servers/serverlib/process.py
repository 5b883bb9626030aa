# SPDX-License-Identifier: Apache-2.0
"""What every server of the tests does alike: it is told where to listen, logs JSON lines, and ends
with its parent or on SIGTERM."""

import ctypes
import json
import os
import signal
import threading
import time

PR_SET_PDEATHSIG = 1


def add_arguments(parser):
    parser.add_argument(
        "--listen",
        required=True,
        metavar="ADDRESS",
        help="unix:PATH or HOST:PORT; port 0 is one that is free, said in the first line of stdout",
    )
    parser.add_argument(
        "--log",
        required=True,
        metavar="FILE",
        help="a JSON line for whatever arrives is appended here",
    )


def add_tls_arguments(parser):
    parser.add_argument("--cert", metavar="FILE", help="serve TLS with this certificate (PEM)")
    parser.add_argument("--key", metavar="FILE", help="its key (PEM)")
    parser.add_argument(
        "--client-ca",
        metavar="FILE",
        help="take only clients with a certificate of this authority (PEM)",
    )


def stop_with_parent():
    """SIGTERM, and the end of whoever started this, end it at once; what is logged is whole all the
    same."""
    signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def say_listening(address):
    print("listening on", address, flush=True)


class Log:
    """A file of JSON lines, each out with one write."""

    def __init__(self, path):
        self.fd = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
        self.lock = threading.Lock()

    def write(self, *records):
        """All of them together, with nobody else's between."""
        text = "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)
        data = text.encode("utf-8", "surrogateescape")
        with self.lock:
            while data:
                data = data[os.write(self.fd, data) :]


class Counter:
    """1, 2, 3, for any number of threads."""

    def __init__(self):
        self.value = 0
        self.lock = threading.Lock()

    def next(self):
        with self.lock:
            self.value += 1
            return self.value


def now_ns():
    return time.clock_gettime_ns(time.CLOCK_REALTIME)
