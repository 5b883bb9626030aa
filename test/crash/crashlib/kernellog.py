# SPDX-License-Identifier: Apache-2.0
"""Generates the log of a kernel with faulty NICs, as records of /dev/kmsg, and splits it into
pieces to write."""

import bisect
import itertools
import random
import time

# The first boot is at 2026-01-02T03:04:05Z; boots are further apart than a log is long.
BOOT_SECONDS = 1_767_323_045
BOOT_APART_SECONDS = 10_000_000
# The functions of two dual-port cards and one single-port card.
FUNCTIONS = ["0000:18:00.0", "0000:18:00.1", "0000:3a:00.0", "0000:3a:00.1", "0000:9a:00.0"]
COMMANDS = ["ENABLE_HCA(0x104)", "MANAGE_PAGES(0x108)", "CREATE_MKEY(0x200)"]
ORDINARY = [
    "cni0: port 3(veth1) entered forwarding state",
    "nfs: server 10.1.2.3 OK",
    "usb 1-1: new high-speed USB device",
    "mlx5_core 0000:18:00.0: Port module event: module 0, Cable plugged",
    "audit: type=1400 audit(1.2:3): x=\\x0a",
]
# The last fault of a day: after its event, all earlier ones have been written.
CLOSING = "CLOSING(0xd)"


def seconds_stamp(seconds):
    """Format as RFC 3339 without fraction and zone."""
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds))


class KernelLog:
    """The log of one boot. `text` is the whole log, which append() writes in pieces."""

    def __init__(self, seed, day, lines, boots=0):
        """`boots`: number of earlier boots."""
        self.booted = BOOT_SECONDS + boots * BOOT_APART_SECONDS
        self.chance = random.Random(f"{seed}/log/{day}")
        self.pid = 0
        self.seq = 0
        self.micros = 1_000_000
        self.moments = []
        records = []
        while self.seq < lines:
            records += self.something()
        # Far enough from earlier faults not to count as a repeat.
        self.micros += 86400 * 1_000_000
        records += [self.record(self.time_out("0000:18:00.0", CLOSING))]
        self.text = "".join(records).encode()
        self.begins = list(itertools.accumulate(map(len, records), initial=0))
        self.written = 0

    def record(self, text):
        line = f"{self.chance.choice((3, 4, 6))},{self.seq},{self.micros},-;{text}\n"
        self.seq += 1
        self.moments.append(self.micros)
        if text.startswith("mlx5_core "):
            device = text.split()[1].rstrip(":")
            line += f" SUBSYSTEM=pci\n DEVICE=+pci:{device}\n"
        return line

    def ordinary(self, most):
        return [
            self.record(self.chance.choice(ORDINARY)) for _ in range(self.chance.randint(0, most))
        ]

    def number(self):
        self.pid += 1
        return self.pid

    def time_out(self, function, command):
        return (
            f"mlx5_core {function}: wait_func:1176:(pid {self.number()}): {command} timeout. "
            "Will cause a leak of a command resource"
        )

    def something(self):
        # Inside the windows, past those of a minute, past the half hour of lock-ups.
        self.micros += int(1_000_000 * self.chance.choice((0, 0.001, 0.5, 2, 7, 70, 70, 1900)))
        kind = self.chance.choices(
            (
                self.ordinary_lines,
                self.fault,
                self.card,
                self.repeated,
                self.report,
                self.recovery,
                self.come_back,
                self.lockup,
                self.left_out,
            ),
            (6, 4, 2, 6, 2, 2, 2, 2, 1),
        )[0]
        return kind()

    def ordinary_lines(self):
        return self.ordinary(8)

    def fault(self):
        return [
            self.record(self.time_out(self.chance.choice(FUNCTIONS), self.chance.choice(COMMANDS)))
        ]

    def card(self):
        """A fault of both functions of a card at once."""
        lines = []
        for function in FUNCTIONS[:2]:
            self.micros += 300_000
            lines += [
                self.record(
                    f"mlx5_core {function}: poll_health:833:(pid 0): device's health compromised -"
                    " reached miss count"
                )
            ]
        return lines

    def repeated(self):
        function = self.chance.choice(FUNCTIONS)
        lines = []
        for _ in range(self.chance.randint(1, 6)):
            self.micros += 900_000
            lines += [
                self.record(
                    f"mlx5_core {function} eth0: NETDEV WATCHDOG: CPU: 3: transmit queue"
                    f" {self.number()} timed out 5032 ms"
                )
            ]
            lines += self.ordinary(1)
        return lines

    def report(self):
        """A report that the kernel prints in two lines."""
        function = self.chance.choice(FUNCTIONS)
        return [
            self.record(f"mlx5_core {function}: print_health_info:415:(pid 0): {text}")
            for text in (
                "Health issue observed, unrecoverable hardware error, severity(2) CRITICAL:",
                "synd 0x8: unrecoverable hardware error",
            )
        ]

    def recovery(self):
        return [
            self.record(f"mlx5_core {self.chance.choice(FUNCTIONS)}: health recovery succeeded")
        ]

    def come_back(self):
        return [
            self.record(
                f"mlx5_core {self.chance.choice(FUNCTIONS)}:"
                f" wait_func_handle_exec_timeout:1101:(pid {self.number()}): cmd[5]:"
                f" {self.chance.choice(COMMANDS)} recovered after timeout"
            )
        ]

    def lockup(self):
        """A report with more lines than are written between two kills, and sometimes with more than
        a lock-up has."""
        cpu = self.chance.randrange(64)
        lines = [
            self.record(
                f"watchdog: BUG: soft lockup - CPU#{cpu} stuck for 2{cpu % 10}s!"
                f" [ksoftirqd/{cpu}:40]"
            )
        ]
        for _ in range(self.chance.choice((5, 30, 140, 155))):
            lines += [self.record(self.chance.choice(ORDINARY))]
        return [*lines, self.record(" mlx5e_napi_poll+0x1a2/0x6b0 [mlx5_core]")]

    def left_out(self):
        return [self.record(f"mlx5_cmd_out_err: {self.number()} callbacks suppressed")]

    # --- written little by little ---

    def done(self):
        return self.written == len(self.text)

    def moment(self, ahead_us=0):
        """Return the timestamp of the last record that was begun, plus an offset."""
        number = bisect.bisect_left(self.begins, self.written) - 1
        micros = (self.moments[number] if number >= 0 else 0) + ahead_us
        return seconds_stamp(self.booted + micros // 1_000_000) + f".{micros % 1_000_000:06d}Z"

    def append(self, file):
        """Append some lines, sometimes many; the last may be cut in half."""
        size = int(self.chance.expovariate(1 / (20000 if self.chance.random() < 0.02 else 120))) + 1
        piece = self.text[self.written : self.written + size]
        file.write(piece)
        self.written += len(piece)
