# SPDX-License-Identifier: Apache-2.0
"""HTTP/2 by hand, as far as a server needs it that answers one request wrongly: RFC 9113's frames,
RFC 7541's headers without compression."""

import struct

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, RST_STREAM, SETTINGS, GOAWAY, WINDOW_UPDATE, CONTINUATION = 0, 1, 3, 4, 7, 8, 9
END_STREAM, ACK, END_HEADERS = 1, 1, 4
ERRORS = {
    "NO_ERROR": 0,
    "PROTOCOL_ERROR": 1,
    "INTERNAL_ERROR": 2,
    "REFUSED_STREAM": 7,
    "CANCEL": 8,
    "ENHANCE_YOUR_CALM": 11,
    "HTTP_1_1_REQUIRED": 13,
}


def frame(kind, flags, stream, payload=b""):
    return struct.pack(">I", len(payload))[1:] + struct.pack(">BBI", kind, flags, stream) + payload


def header(name, value):
    """A literal that nobody keeps, both as they are; neither may be longer than 126 bytes."""
    return b"\0" + bytes([len(name)]) + name.encode() + bytes([len(value)]) + value.encode()


def headers(stream, *pairs, end=False):
    return frame(
        HEADERS,
        END_HEADERS | (END_STREAM if end else 0),
        stream,
        b"".join(header(*pair) for pair in pairs),
    )


def goaway(last_stream, error):
    return frame(GOAWAY, 0, 0, struct.pack(">II", last_stream, ERRORS[error]))


def rst_stream(stream, error):
    return frame(RST_STREAM, 0, stream, struct.pack(">I", ERRORS[error]))


class Left(Exception):
    """The client has closed the connection."""


class Stream:
    """Whole requests from a client's side of a connection."""

    def __init__(self, connection):
        self.connection = connection
        self.body = b""

    def exactly(self, length):
        data = b""
        while len(data) < length:
            part = self.connection.recv(length - len(data))
            if not part:
                raise Left
            data += part
        return data

    def begin(self):
        """The client's preface, answered by our settings. False when it does not speak HTTP/2."""
        if self.exactly(len(PREFACE)) != PREFACE:
            return False
        self.connection.sendall(frame(SETTINGS, 0, 0))
        return True

    def request(self):
        """Waits for the end of the next request; returns the number of its stream. What came with
        it is in `body`."""
        bodies = {}
        while True:
            head = self.exactly(9)
            length = int.from_bytes(head[:3], "big")
            kind, flags, stream = head[3], head[4], int.from_bytes(head[5:], "big")
            payload = self.exactly(length)
            if kind == DATA:
                bodies[stream] = bodies.get(stream, b"") + payload
            if kind == SETTINGS and not flags & ACK:
                self.connection.sendall(frame(SETTINGS, ACK, 0))
            elif kind == DATA and length > 0:
                update = struct.pack(">I", length)
                self.connection.sendall(
                    frame(WINDOW_UPDATE, 0, 0, update) + frame(WINDOW_UPDATE, 0, stream, update)
                )
            if kind in (DATA, HEADERS) and flags & END_STREAM:
                self.body = bodies.get(stream, b"")
                return stream
