# SPDX-License-Identifier: Apache-2.0
"""The sinks of emit: a file, and servers in threads of this process."""

import base64
import http.server
import json
import os
import socket
import ssl
import subprocess
import sys
import threading

from google.protobuf.message import DecodeError
from serverlib import frames, nats

from . import servers

TEST = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROTO = os.path.join(TEST, "..", "tools", "emit", "health_event.proto")
GRPC = ("content-type", "application/grpc")


class Receiver:
    """Base class of the sinks: `events` in order of arrival, complaints, and further options for
    emit."""

    options = ()

    def __init__(self):
        self.events, self.complaints = [], []

    def arrived(self):
        return self.events

    @classmethod
    def prepare(cls, directory):
        """Prepare what all runs share."""

    def close(self):
        """Stop receiving."""

    @staticmethod
    def shown(event):
        """Return an event as it looks at this sink."""
        return event


class File(Receiver):
    """A file with a line per event. Each room has its own, under the same name in the spool."""

    spec = "file:sink"

    def __init__(self, room):
        super().__init__()
        self.path = os.path.join(room, "sink")

    def close(self):
        if not os.path.exists(self.path):
            return
        with open(self.path, "rb") as file:
            text = file.read()
        if text and not text.endswith(b"\n"):
            self.complaints.append("a torn line in the sink")
        for line in text.splitlines():
            try:
                self.events.append(json.loads(line))
            except ValueError:
                self.complaints.append(f"not JSON, in the sink: {line[:80]!r}")


class Webhook(Receiver):
    """A web server that stores events before it responds."""

    def __init__(self, room):
        super().__init__()
        receiver = self

        class Handler(http.server.BaseHTTPRequestHandler):
            """Handles one connection."""

            protocol_version = "HTTP/1.1"

            def do_POST(self):
                text = self.rfile.read(int(self.headers["content-length"]))
                try:
                    receiver.events += [event["data"] for event in json.loads(text)]
                except ValueError:
                    receiver.complaints.append(f"not a batch of events: {text[:80]!r}")
                self.send_response(204)
                self.end_headers()

            def log_message(self, *_):  # pylint: disable=arguments-differ
                """Log nothing: everything is in `events`."""

        self.server = self.listen(Handler)
        self.spec = f"http://127.0.0.1:{self.server.server_address[1]}/"
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.01,))
        self.thread.start()

    def listen(self, handler):
        return Server(("127.0.0.1", 0), handler)

    def close(self):
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()


class Https(Webhook):
    """The same over TLS. Both ends use the same certificate, and trust no other."""

    certificate = key = None

    def __init__(self, room):
        super().__init__(room)
        self.spec = self.spec.replace("http:", "https:")
        self.options = ("--ca-file", self.certificate)
        self.options += ("--cert-file", self.certificate, "--key-file", self.key)

    def listen(self, handler):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.certificate, self.key)
        context.load_verify_locations(self.certificate)
        context.verify_mode = ssl.CERT_REQUIRED
        server = super().listen(handler)
        # Each connection does its handshake in its own thread, at the first read.
        server.socket = context.wrap_socket(
            server.socket, server_side=True, do_handshake_on_connect=False
        )
        return server

    @classmethod
    def prepare(cls, directory):
        cls.certificate = os.path.join(directory, "certificate.pem")
        cls.key = os.path.join(directory, "key.pem")
        command = ["openssl", "req", "-x509", "-newkey", "ec", "-nodes", "-days", "2"]
        command += ["-pkeyopt", "ec_paramgen_curve:prime256v1", "-subj", "/CN=both"]
        command += ["-addext", "subjectAltName=IP:127.0.0.1"]
        command += ["-out", cls.certificate, "-keyout", cls.key]
        subprocess.run(command, check=True, stderr=subprocess.DEVNULL)


class Server(http.server.ThreadingHTTPServer):
    """Ignores clients that disconnect early."""

    def handle_error(self, request, client_address):
        if not isinstance(sys.exc_info()[1], (OSError, TypeError)):
            super().handle_error(request, client_address)


class Connector(Receiver):
    """A gRPC server that stores events before it responds."""

    stubs = None

    def __init__(self, room):
        super().__init__()
        path = os.path.join(room, "connector")
        self.spec = f"grpc:unix://{path}"
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.bind(path)
        self.socket.listen()
        self.connections = []
        self.thread = threading.Thread(target=self.accept)
        self.thread.start()

    def accept(self):
        while True:
            try:
                connection, _ = self.socket.accept()
            except OSError:
                return
            thread = threading.Thread(target=self.serve, args=(connection,))
            self.connections.append((connection, thread))
            thread.start()

    def serve(self, connection):
        try:
            client = frames.Stream(connection)
            is_grpc = client.begin()
            while is_grpc:
                self.answer(connection, client, client.request())
        except (OSError, frames.Left):
            pass
        except DecodeError as error:
            self.complaints.append(f"not a batch of events: {error}")

    def answer(self, connection, client, stream):
        """Process a request. The message follows the 5 bytes of gRPC's prefix."""
        batch = self.stubs.HealthEvents.FromString(client.body[5:])
        self.events += map(as_record, batch.events)
        connection.sendall(
            frames.headers(stream, (":status", "200"), GRPC)
            + frames.frame(frames.DATA, 0, stream, bytes(5))
            + frames.headers(stream, ("grpc-status", "0"), end=True)
        )

    def close(self):
        self.socket.shutdown(socket.SHUT_RDWR)
        self.thread.join()
        self.socket.close()
        for connection, thread in self.connections:
            thread.join()
            connection.close()

    @staticmethod
    def shown(event):
        return {key: event[key] for key in SHOWN}

    @classmethod
    def prepare(cls, directory):
        """Load the module with the message types."""
        command = ["protoc", f"--proto_path={os.path.dirname(PROTO)}"]
        subprocess.run([*command, f"--python_out={directory}", PROTO], check=True)
        sys.path.insert(0, directory)
        import health_event_pb2  # pylint: disable=import-outside-toplevel,import-error

        sys.path.remove(directory)
        cls.stubs = health_event_pb2


def name_of(room):
    """Return a valid name for a database that is unique to the room."""
    return "".join(c if c.isalnum() else "_" for c in f"room{os.path.basename(room)}".lower())


class Stream(Receiver):
    """A stream on its own nats-server, which would otherwise discard the events of another room as
    duplicates."""

    def __init__(self, room):
        super().__init__()
        self.server = servers.Nats(os.path.join(room, "nats"))
        self.spec = f"nats:{self.server.address}"
        stream = {"name": "nic", "subjects": ["nic.>"]}
        self.ask("$JS.API.STREAM.CREATE.nic", stream)

    def ask(self, subject, request):
        with nats.Client(self.server.port()) as client:
            return client.ask(subject, request)

    def close(self):
        last = self.ask("$JS.API.STREAM.INFO.nic", None)["state"]["last_seq"]
        for seq in range(1, last + 1):
            message = self.ask("$JS.API.STREAM.MSG.GET.nic", {"seq": seq})["message"]
            self.events.append(json.loads(base64.b64decode(message["data"])))
        self.server.end()


class Database(Receiver):
    """A database of its own on a PostgreSQL server that all rooms share."""

    server = None

    def __init__(self, room):
        super().__init__()
        self.name = name_of(room)
        self.server.ask(f"CREATE DATABASE {self.name} TEMPLATE nic")
        self.spec = self.server.address(self.name)

    def close(self):
        rows = self.server.ask("SELECT record FROM nic.event ORDER BY stored", self.name)
        self.events += map(json.loads, rows)
        self.server.ask(f"DROP DATABASE {self.name} WITH (FORCE)")

    @classmethod
    def prepare(cls, directory):
        cls.server = servers.Postgres()
        cls.server.ask("CREATE DATABASE nic")


# The members of an event that are compared at the connector.
SHOWN = ("source", "seq", "checkName", "isFatal", "isHealthy", "message", "nodeName", "errorCode")


def as_record(event):
    source, _, seq = event.metadata["event_id"].rpartition("-")
    record = {"source": source, "seq": int(seq), "errorCode": list(event.errorCode)}
    return {key: record[key] if key in record else getattr(event, key) for key in SHOWN}
