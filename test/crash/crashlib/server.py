# SPDX-License-Identifier: Apache-2.0
"""The server at the end of the chain: a Platform Connector that logs events before it responds. The
log outlives it."""

import concurrent.futures
import json
import os
import signal
import subprocess
import sys

import grpc

METHOD = "/datamodels.PlatformConnector/HealthEventOccurredV1"
PROTO = "tools/emit/health_event.proto"


def make_stubs(root, work):
    """Return the module with the message types."""
    proto = os.path.join(root, PROTO)
    subprocess.run(
        ["protoc", f"--proto_path={os.path.dirname(proto)}", f"--python_out={work}", proto],
        check=True,
    )
    sys.path.insert(0, work)
    import health_event_pb2  # pylint: disable=import-outside-toplevel

    sys.path.remove(work)
    return health_event_pb2


def open_log(path):
    """Open the log and end a partial line of a server that was killed inside a write (a write may
    stop at any page boundary), so that the next line is separate."""
    log = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
    size = os.fstat(log).st_size
    if size > 0 and os.pread(log, 1, size - 1) != b"\n":
        os.write(log, b"\n")
    return log


class Handler(grpc.GenericRpcHandler):
    """Handles the only method."""

    def __init__(self, stubs, log_path):
        self.stubs = stubs
        self.log = open_log(log_path)

    def service(self, handler_call_details):
        if handler_call_details.method != METHOD:
            return None
        return grpc.unary_unary_rpc_method_handler(
            self.take, request_deserializer=self.stubs.HealthEvents.FromString
        )

    def take(self, batch, _):
        lines = [
            json.dumps(
                {
                    "id": event.metadata["event_id"],
                    "message": event.message,
                    "isFatal": event.isFatal,
                    "isHealthy": event.isHealthy,
                    "all": event.SerializeToString(deterministic=True).hex(),
                }
            )
            + "\n"
            for event in batch.events
        ]
        os.write(self.log, "".join(lines).encode())
        return b""


def serve(stubs, address, log_path):
    """Serve, and never return."""
    # One call at a time, so that the log has the order of arrival.
    server = grpc.server(concurrent.futures.ThreadPoolExecutor(max_workers=1))
    server.add_generic_rpc_handlers((Handler(stubs, log_path),))
    server.add_insecure_port(address)
    server.start()
    server.wait_for_termination()


def start(stubs, address, log_path, stderr):
    """Fork a server process, which has everything loaded. Return its process ID."""
    pid = os.fork()
    if pid != 0:
        return pid
    try:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        os.dup2(stderr, 2)
        # An inherited end of the pipe would keep the pipe open.
        os.closerange(3, 1024)
        serve(stubs, address, log_path)
    finally:
        os._exit(1)
    return None
