# SPDX-License-Identifier: Apache-2.0
"""The whole service, watched from a change on the node to the event at a gRPC server."""

import calendar
import time

from .service import Connector, Faults, Service, wait_for


def percentile(ascending, percent):
    """By the nearest rank."""
    return ascending[-(-len(ascending) * percent // 100) - 1]


def watched_ports(node):
    """DEVICE/PORT of those that are monitored and up."""
    return [
        f"{record['device']}/{record['port']}"
        for record in node.annotated_scan()
        if record["kind"] == "port" and record["monitored"] and record["state"] == "ACTIVE"
    ]


def stamp_ns(stamp):
    """Of a time stamp in UTC with microseconds or nanoseconds."""
    whole, _, fraction = stamp.rstrip("Z").partition(".")
    return calendar.timegm(time.strptime(whole, "%Y-%m-%dT%H:%M:%S")) * 10**9 + int(
        fraction.ljust(9, "0")
    )


def shares(values, reference=None):
    """The middle, the ninety-ninth of a hundred, and the most, in ms."""
    ascending = sorted(values)
    chosen = (
        ("p50", percentile(ascending, 50)),
        ("p99", percentile(ascending, 99)),
        ("most", ascending[-1]),
    )
    return ", ".join(
        f"{name} {value:.0f}" + (f" ({value - reference:+.0f})" if reference is not None else "")
        for name, value in chosen
    )


class Watch:
    """The service on a node with a connector, from its first judged scan on."""

    def __init__(self, own, node, interval, *options):
        self.ports = watched_ports(node)
        self.faults = Faults(node)
        self.connector = Connector(own)
        self.service = Service(
            own, node, interval, f"grpc:unix://{self.connector.socket}", *options
        )

    def __enter__(self):
        self.connector.__enter__()
        self.service.__enter__()
        self.reported(self.ports, healthy=True)
        return self

    def __exit__(self, *error):
        self.service.__exit__(*error)
        self.connector.__exit__(*error)

    def reported(self, ports, healthy):
        """Waits until a state of each has been reported; port -> when, and when the scan was that
        saw it."""
        when = {}

        def all_are():
            self.service.fail_if_ended()
            for arrived_ns, event in self.connector.arrived():
                port = "/".join(entity["entityValue"] for entity in event["entitiesImpacted"])
                if event["checkName"].endswith("StateCheck") and event["isHealthy"] == healthy:
                    when.setdefault(port, (arrived_ns, stamp_ns(event["generatedTimestamp"])))
            return all(port in when for port in ports)

        wait_for("events", all_are)
        return when

    def change(self, ports, command, within_s, chance):
        """Each at a random moment within so many seconds; port -> when it was done."""
        began, done = time.monotonic(), {}
        for moment, port in zip(sorted(chance.uniform(0, within_s) for _ in ports), ports):
            time.sleep(max(0, began + moment - time.monotonic()))
            done[port] = self.faults.do(command, port)
        return done
