# SPDX-License-Identifier: Apache-2.0
"""Models emit's delivery: sends stored events in order, in batches, and repeats those that may not
have arrived."""

_BATCH_MAX = 100


class Courier:
    """The delivery of stored events, a list that grows, to a receiver, `deliver(batch)`."""

    def __init__(self, events, deliver):
        self.events = events
        self.deliver = deliver
        self.position = 0  # events before this one have arrived

    def send(self, chance, careful):
        """Send all stored events. `careful`: like emit, put no event into a batch that is not later
        than an earlier one of its check; otherwise leave that to the writers, and cut a batch only
        between two streams.
        """
        again = chance.randrange(1, 3) if chance.random() < 0.3 else 0
        while True:
            while self.position < len(self.events):
                self.position = self.send_one(chance, careful)
                if again and chance.random() < 0.3:
                    again -= 1
                    self._go_back(chance)
            if not again:
                return
            again -= 1
            self._go_back(chance)

    def _go_back(self, chance):
        """Repeat events, as if an acknowledgement was lost or an older database restored."""
        self.position = max(0, self.position - chance.choice((1, 2, 5, 20, 100)))

    def send_one(self, chance, careful):
        """Send one batch; return the position after it."""
        size = chance.choice((1, 2, 3, 5, 8, 13, 30, _BATCH_MAX))
        end = self._cut(min(len(self.events), self.position + size), careful)
        self.deliver(self.events[self.position : end])
        return end

    def _cut(self, end, careful):
        latest = {}  # check -> (time, source) of its latest event in the batch
        for place in range(self.position, end):
            event = self.events[place]
            time, source = latest.get(event["checkName"], ("", None))
            if event["generatedTimestamp"] <= time and (careful or source != event["source"]):
                return place
            latest[event["checkName"]] = max(
                (time, source or ""), (event["generatedTimestamp"], event["source"])
            )
        return end
