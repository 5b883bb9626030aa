# SPDX-License-Identifier: Apache-2.0
"""The script: when each fault happens, which events are expected, and when ctreval has seen a
condition."""

import random
from dataclasses import dataclass

from . import faults
from .node import stamp

# Clear events of a baseline may have a timestamp a little before their scan.
BEFORE_SECONDS = 30


@dataclass
class Expected:
    """An event about `key` that must come (or may, if not required), with a timestamp between
    `begin` and `end`."""

    key: tuple
    severity: str
    why: str
    begin: str
    required: bool = True
    end: str | None = None


class Track:
    """A sequence of faults on its own devices, independent of other tracks."""

    def __init__(self, story, steps):
        self.story, self.steps = story, steps
        self.open = []
        self.lasting = []
        self.resume()

    def resume(self):
        """Continue to the next change. The events of the last one must have come by now."""
        now = stamp(self.story.node.now)
        for expected in self.open:
            expected.end = now
        self.open, self.lasting = self.lasting, []
        self.story.current = self
        self.hold = next(self.steps, None)
        if self.hold is not None:
            self.until = self.story.node.now + self.hold.seconds
            self.first = None
            self.seen = False

    def fed(self, number):
        """Scan `number` will be fed next. Once the condition has lasted long enough, the scan must
        be evaluated."""
        if self.first is None and self.story.node.now >= self.until:
            self.first = number
            self.seen = self.hold.scans == 0

    def judged(self, first, last):
        """One process has evaluated all scans from `first` to `last`."""
        if self.first is not None and not self.seen:
            run = last - max(first, self.first) + 1
            self.seen = (
                run >= self.hold.scans
                and (run - 1) * self.story.node.interval >= self.hold.judged_seconds
            )


class Story:
    """A sequence of days, each a boot. next_scan() returns the next text to feed; judged() reports
    the scans that were evaluated."""

    def __init__(self, node, seed, wanted, day_seconds):
        self.node, self.seed, self.wanted, self.day_seconds = node, seed, wanted, day_seconds
        self.expected = []
        self.faults = 0
        self.number = 0
        self.days_done = 0
        self.closing = False
        self.done = False
        self.awake = False
        self.current = None
        self.tracks = [Track(self, self.wake())]

    # --- used by the faults ---

    def expect(self, why, *events, required=True):
        """These events must come between now and the track's next change."""
        now = self.node.now
        for key, severity in events:
            self.note(
                Expected(key, severity, f"{stamp(now)}: {why}", stamp(now), required),
                self.current.open,
            )
        self.faults += 1

    def expect_until_next(self, why, *events):
        """The same for events that may come one change later."""
        for key, severity in events:
            self.note(
                Expected(key, severity, f"{stamp(self.node.now)}: {why}", stamp(self.node.now)),
                self.current.lasting,
            )

    def note(self, expected, where):
        self.expected.append(expected)
        where.append(expected)

    # --- the days ---

    def wake(self):
        """Boot: nothing happens before ctreval has seen the healthy node."""
        required = faults.BASELINE in self.wanted
        self.node.now -= BEFORE_SECONDS
        self.expect("boot", *faults.baseline_events(self.node.devices), required=required)
        self.node.now += BEFORE_SECONDS
        yield faults.Hold()

    def day(self):
        """Return the tracks of a day. At any time only one InfiniBand card has no working port, so
        that its peers outvote it; faults of the others leave their ports alone."""
        chance = random.Random(f"{self.seed}/{self.node.boots}")
        infiniband = [device for device in self.node.devices if device.link_layer == "InfiniBand"]
        chance.shuffle(infiniband)
        ethernet = [device for device in self.node.devices if device.link_layer == "Ethernet"]
        on_one_port = {**faults.ON_COUNTERS, **faults.ON_STATES}
        yield from self.track(
            chance, infiniband[:2], {**on_one_port, **faults.ON_CARDS, **faults.ON_RATES}
        )
        yield from self.track(chance, infiniband[2:3], faults.ON_COUNTERS)
        yield from self.track(chance, infiniband[3:], {**faults.ON_COUNTERS, **faults.ON_HOURS})
        for device in ethernet:
            yield from self.track(chance, [device], {**on_one_port, **faults.ON_ETHERNET})

    def track(self, chance, devices, known):
        names = [name for name in known if name in self.wanted]
        if names:
            own = random.Random(chance.random())
            yield Track(self, self.play(own, devices, names, known))

    def play(self, chance, devices, names, known):
        """Every fault once, in random order, with pauses of up to a few minutes."""
        while True:
            chance.shuffle(names)
            for name in names:
                yield faults.Hold(chance.uniform(0, 240), scans=0)
                if self.closing or self.day_is_over():
                    return
                yield from known[name](self, chance.choice(devices))

    def day_is_over(self):
        return self.node.seconds_of_boot() >= self.day_seconds

    # --- used by the feeder ---

    def next_scan(self):
        """Return the next scan's text, or None at the end of the script, which is always between
        two days."""
        for track in self.tracks:
            if track.hold is not None and track.seen:
                track.resume()
        self.tracks = [track for track in self.tracks if track.hold is not None]
        if not self.tracks:
            self.turn_over()
            if self.done:
                return None
        self.number += 1
        for track in self.tracks:
            track.fed(self.number)
        text = self.node.scan()
        self.node.pass_time()
        return text

    def turn_over(self):
        """Start the day after a boot, and the next boot after a day."""
        if self.awake:
            self.days_done += 1
            self.awake = False
            if self.closing:
                self.done = True
                return
            self.node.boot()
            self.tracks = [Track(self, self.wake())]
        else:
            self.awake = True
            self.tracks = list(self.day())

    def judged(self, first, last):
        for track in self.tracks:
            track.judged(first, last)
