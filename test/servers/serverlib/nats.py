# SPDX-License-Identifier: Apache-2.0
"""What may be asked of a nats-server."""

import json
import socket


class Client:
    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=10)
        self.file = self.socket.makefile("rb")
        self.file.readline()  # INFO
        self.send(b'CONNECT {"verbose":false,"headers":true,"no_responders":true}\r\n')
        self.send(b"SUB answer 1\r\n")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.file.close()
        self.socket.close()

    def send(self, data):
        self.socket.sendall(data)

    def ask(self, subject, request):
        """The answer, parsed."""
        return self.ask_with(subject, json.dumps(request).encode() if request is not None else b"")

    def ask_with(self, subject, body):
        self.send(b"PUB %s answer %d\r\n%s\r\n" % (subject.encode(), len(body), body))
        while True:
            words = self.file.readline().split()
            if words[0] == b"PING":
                self.send(b"PONG\r\n")
            elif words[0] in (b"MSG", b"HMSG"):
                text = self.file.read(int(words[-1]) + 2)[:-2]
                return json.loads(text)
            elif words[0] == b"-ERR":
                raise SystemExit(b" ".join(words).decode())
