# SPDX-License-Identifier: Apache-2.0
"""The platform connector: a node condition for each check, whose text is a list of messages.

It uses only healthy and fatal events that are to be acted on, and sorts each batch by their time. A
healthy event removes the messages that mention all its entities and one of its codes; without
codes, all that mention its entities; without entities, all of its check.

Not modelled: the text is cut at a length that is a setting of the receiver (1024 by default), so
that with ten or so conditions under one check it keeps no further ones.
"""

from .item import ACTS, Item, codes_of, entities_of

_CODE = "ErrorCode:"
_ACTION = "Recommended Action="
_TYPES = ("NIC", "NICPort")


class NodeConditions:
    """The conditions of one node. `chance` (a random.Random) decides the order of events where it
    is undefined."""

    def __init__(self, chance):
        self.chance = chance
        self.messages = {}  # check -> list of texts

    def take(self, batch):
        """Receive the events of one call, in order."""
        events = [
            event for event in batch
            if event.get("processingStrategy", ACTS) == ACTS and (event["isHealthy"]
            or event["isFatal"])
        ]  # fmt: skip
        # The sort is not stable: events of the same time get any order.
        if len({event["generatedTimestamp"] for event in events}) < len(events):
            self.chance.shuffle(events)
        for event in sorted(events, key=lambda event: event["generatedTimestamp"]):
            check = event["checkName"]
            self.messages[check] = _after(self.messages.get(check, []), event)

    def believed(self):
        """Return the set of Items in the texts."""
        return {_read(check, text) for check, texts in self.messages.items() for text in texts}


def _after(messages, event):
    entities, codes = entities_of(event), codes_of(event)
    if not event["isHealthy"]:
        text = _text(event, entities, codes)
        return messages if text in messages else [*messages, text]
    if not entities:
        return []
    # The blank after each word keeps mlx5_1 from matching mlx5_10.
    about = [f"{kind}:{value} " for kind, value in entities]
    answered = [f"{_CODE}{code} " for code in codes]
    return [
        text for text in messages
        if not (all(word in text for word in about) and (not answered or any(word in text
        for word in answered)))
    ]  # fmt: skip


def _text(event, entities, codes):
    words = [f"{_CODE}{code}" for code in codes] + [f"{kind}:{value}" for kind, value in entities]
    # The receiver separates messages by semicolons.
    return " ".join(
        [*words, event["message"].replace(";", "."), _ACTION + event["recommendedAction"]]
    )


def _read(check, text):
    """Parse codes, then entities, up to the message."""
    codes, entities = [], []
    for word in text.split(" "):
        kind, colon, value = word.partition(":")
        if word.startswith(_CODE) and not entities:
            codes.append(value)
        elif colon and kind in _TYPES:
            entities.append((kind, value))
        else:
            break
    return Item(check, tuple(entities), tuple(codes), True)
