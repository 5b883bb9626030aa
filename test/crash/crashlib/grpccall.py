# SPDX-License-Identifier: Apache-2.0
"""The minimum of HTTP/2 and protobuf for a call to a gRPC server: loading the gRPC library would
take longer than the fake usually lives."""

import socket
import struct

DATA, HEADERS, SETTINGS = 0, 1, 4
END_STREAM, END_HEADERS, ACK = 1, 4, 1
PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
REQUEST = {
    ":method": "POST",
    ":scheme": "http",
    ":path": "/datamodels.PlatformConnector/HealthEventOccurredV1",
    ":authority": "localhost",
    "te": "trailers",
    "content-type": "application/grpc+proto",
}


def varint(number):
    encoded = b""
    while number > 0x7F:
        encoded += bytes([number & 0x7F | 0x80])
        number >>= 7
    return encoded + bytes([number])


def field(number, value):
    """Encode a text, a message or a flag."""
    if isinstance(value, bool):
        return varint(number << 3) + varint(value) if value else b""
    value = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(value)) + value


def health_events(events):
    """Encode the fields that the crash test reads."""
    return field(1, True) + b"".join(
        field(
            2,
            field(5, event["isFatal"])
            + field(6, event["isHealthy"])
            + field(7, event["message"])
            + field(11, field(1, "event_id") + field(2, event["id"])),
        )
        for event in events
    )


def frame(kind, flags, stream, payload):
    return struct.pack(">I", len(payload))[1:] + struct.pack(">BBI", kind, flags, stream) + payload


def literal(text):
    return bytes([len(text)]) + text.encode()


def exactly(connection, size):
    data = b""
    while len(data) < size:
        more = connection.recv(size - len(data))
        if not more:
            raise ConnectionError("closed")
        data += more
    return data


def call(path, events):
    """Send the events and wait for the response, which is always the same in the crash test. Raise
    OSError if there is none."""
    message = health_events(events)
    headers = b"".join(b"\0" + literal(name) + literal(value) for name, value in REQUEST.items())
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(2)
        connection.connect(path)
        connection.sendall(
            PREFACE
            + frame(SETTINGS, 0, 0, b"")
            + frame(HEADERS, END_HEADERS, 1, headers)
            + frame(DATA, END_STREAM, 1, b"\0" + struct.pack(">I", len(message)) + message)
        )
        while True:
            head = exactly(connection, 9)
            size, kind, flags = int.from_bytes(head[:3], "big"), head[3], head[4]
            exactly(connection, size)
            if kind == SETTINGS and not flags & ACK:
                connection.sendall(frame(SETTINGS, ACK, 0, b""))
            elif kind == HEADERS and flags & END_STREAM:
                return
