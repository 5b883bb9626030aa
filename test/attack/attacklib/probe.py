# SPDX-License-Identifier: Apache-2.0
"""Sends requests to /healthz without blocking the round."""

import socket
import time

_EVERY_SECONDS = 0.1
# Give up a request after this time, like a kubelet.
_PATIENCE_SECONDS = 10


class Probe:
    """Sends one request after the other."""

    def __init__(self, port):
        self.port = port
        self.socket = None
        self.begun = self.ended = 0.0
        self.data = b""

    def step(self, now):
        """Return (status or None, text) of a response, or None if there is none yet. `begun` is the
        time of the request."""
        if self.socket is None:
            if now - self.begun >= _EVERY_SECONDS:
                self._begin(now)
            return None
        try:
            data = self.socket.recv(65536)
        except BlockingIOError:
            return self._end(None, "") if now - self.begun > _PATIENCE_SECONDS else None
        except OSError:
            return self._end(None, "")
        self.data += data
        if data:
            return None
        head, _, text = self.data.decode(errors="replace").partition("\r\n\r\n")
        words = head.split(" ", 2)
        return self._end(int(words[1]) if len(words) > 1 and words[1].isdigit() else None, text)

    def _begin(self, now):
        self.begun, self.data = now, b""
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_STREAM | socket.SOCK_CLOEXEC)
        try:
            # Over loopback, connect() succeeds or fails at once.
            self.socket.connect(("127.0.0.1", self.port))
            self.socket.setblocking(False)
            self.socket.send(b"GET /healthz HTTP/1.0\r\n\r\n")
        except OSError:
            self._end(None, "")

    def _end(self, status, text):
        self.close()
        self.ended = time.monotonic()
        return status, text

    def close(self):
        """Close the connection."""
        if self.socket is not None:
            self.socket.close()
            self.socket = None
