# SPDX-License-Identifier: Apache-2.0
"""The platform connector: a node condition for each check, whose text is a list of messages.

It looks only at healthy and at fatal events that are to be acted on, and sorts each batch by their
time. A healthy event removes the messages that mention all its entities and one of its codes;
without codes, all that mention its entities; without entities, all of its check.

Not modelled: the text is cut at a length that is a setting of the receiver (1024 by default), so
that with ten or so conditions under one check it keeps no further ones.
"""

from .item import ACTS, Item, codes_of, entities_of

_CODE = "ErrorCode:"
_ACTION = "Recommended Action="
_TYPES = ("NIC", "NICPort")


class NodeConditions:
    """The conditions of one node. `chance` (a random.Random) decides where the order of events is
    anybody's guess."""

    def __init__(self, chance):
        self.chance = chance
        self.messages = {}  # check -> list of texts

    def take(self, batch):
        """The events of one call, in the order of the call."""
        events = [
            event for event in batch
            if event.get("processingStrategy", ACTS) == ACTS and (event["isHealthy"]
            or event["isFatal"])
        ]  # fmt: skip
        # Sorted by time, and not stably: events of one time come in any order.
        if len({event["generatedTimestamp"] for event in events}) < len(events):
            self.chance.shuffle(events)
        for event in sorted(events, key=lambda event: event["generatedTimestamp"]):
            check = event["checkName"]
            self.messages[check] = _after(self.messages.get(check, []), event)

    def believed(self):
        """Set of Item: all that the texts say."""
        return {_read(check, text) for check, texts in self.messages.items() for text in texts}


def _after(messages, event):
    entities, codes = entities_of(event), codes_of(event)
    if not event["isHealthy"]:
        text = _text(event, entities, codes)
        return messages if text in messages else [*messages, text]
    if not entities:
        return []
    # Each word is looked for with the blank behind it, so that mlx5_1 is not found in mlx5_10.
    about = [f"{kind}:{value} " for kind, value in entities]
    answered = [f"{_CODE}{code} " for code in codes]
    return [
        text for text in messages
        if not (all(word in text for word in about) and (not answered or any(word in text
        for word in answered)))
    ]  # fmt: skip


def _text(event, entities, codes):
    words = [f"{_CODE}{code}" for code in codes] + [f"{kind}:{value}" for kind, value in entities]
    # A semicolon is what the receiver tells messages apart by.
    return " ".join(
        [*words, event["message"].replace(";", "."), _ACTION + event["recommendedAction"]]
    )


def _read(check, text):
    """As a person reads it: codes, then entities, up to the message."""
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
