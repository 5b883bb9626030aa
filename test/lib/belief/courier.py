# SPDX-License-Identifier: Apache-2.0
"""Plays emit's second half: sends what is stored, in order, cut into batches, and again what may
not have arrived."""

_BATCH_MAX = 100


class Courier:
    """One way from stored events, a list that grows, to a receiver who gets batches by
    `deliver(batch)`."""

    def __init__(self, events, deliver):
        self.events = events
        self.deliver = deliver
        self.position = 0  # events before this one have arrived

    def send(self, chance, careful):
        """All that is stored. `careful`: as emit does, no batch has an event that is not later than
        an earlier one of its check; otherwise that is left to the writers, and only where one
        stream follows another is a batch cut for it.
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
        """It did not learn that the batch had arrived, or its database was put back to what it
        was."""
        self.position = max(0, self.position - chance.choice((1, 2, 5, 20, 100)))

    def send_one(self, chance, careful):
        """One batch; the position behind it."""
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
