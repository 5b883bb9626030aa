# SPDX-License-Identifier: Apache-2.0
"""A HealthEvent from the wire, as the record it came from, and what is wrong with it."""

import re
import time

TEXTS = ("agent", "componentClass", "checkName", "message", "nodeName", "id")
# What is never empty (records#events).
NEVER_EMPTY = ("agent", "componentClass", "checkName", "nodeName")


def enum_name(message, field):
    """The name of an enum's value, or its number where it has none."""
    number = getattr(message, field)
    value = message.DESCRIPTOR.fields_by_name[field].enum_type.values_by_number.get(number)
    return value.name if value else number


def timestamp(event):
    """RFC 3339 with nine digits; None when there is none."""
    if not event.HasField("generatedTimestamp"):
        return None
    moment = event.generatedTimestamp
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(moment.seconds)) + f".{moment.nanos:09d}Z"


def event_id(event):
    """What an event is known by when it comes again."""
    return event.metadata.get("event_id", "")


def requests(event):
    """What only other producers ask of NVSentinel, where they do."""
    asked = {
        name: {"force": getattr(event, name).force, "skip": getattr(event, name).skip}
        for name in ("quarantineOverrides", "drainOverrides")
        if event.HasField(name)
    }
    if event.customRecommendedAction:
        asked["customRecommendedAction"] = event.customRecommendedAction
    return asked


def as_record(event):
    """Every field, those with their default, too."""
    return {
        "version": event.version,
        **{name: getattr(event, name) for name in TEXTS},
        "isFatal": event.isFatal,
        "isHealthy": event.isHealthy,
        "recommendedAction": enum_name(event, "recommendedAction"),
        "errorCode": list(event.errorCode),
        "entitiesImpacted": [
            {"entityType": entity.entityType, "entityValue": entity.entityValue}
            for entity in event.entitiesImpacted
        ],
        "metadata": dict(event.metadata),
        "generatedTimestamp": timestamp(event),
        "processingStrategy": enum_name(event, "processingStrategy"),
        **requests(event),
    }


def unknown_fields(event):
    """Numbers of fields that no .proto of ours has."""
    found = [field.field_number for field in event.UnknownFields()]
    for entity in event.entitiesImpacted:
        found += [field.field_number for field in entity.UnknownFields()]
    return found + [field.field_number for field in event.generatedTimestamp.UnknownFields()]


def complaint(events):
    """What no batch of ours may look like, by the name of the field; None when all is well."""
    if events.version != 1:
        return "HealthEvents.version"
    if len(events.UnknownFields()) > 0:
        return "HealthEvents has an unknown field"
    if not events.events:
        return "HealthEvents.events is empty"
    for event in events.events:
        wrong = event_complaint(event)
        if wrong:
            return f"event {event_id(event)}: {wrong}"
    return None


def event_complaint(event):
    if unknown_fields(event):
        return f"unknown fields {unknown_fields(event)}"
    if event.version != 1:
        return "version"
    for name in NEVER_EMPTY:
        if not getattr(event, name):
            return name
    if not re.fullmatch(r".+-[1-9][0-9]*", event_id(event)):
        return "event_id"
    if event.id:
        return "id"
    if event.isFatal and event.isHealthy:
        return "isFatal and isHealthy"
    if isinstance(enum_name(event, "recommendedAction"), int):
        return "recommendedAction"
    if enum_name(event, "processingStrategy") not in (
        "EXECUTE_REMEDIATION",
        "STORE_ONLY",
        "STORE_AND_ANALYSE",
    ):
        return "processingStrategy"
    if not all(entity.entityType and entity.entityValue for entity in event.entitiesImpacted):
        return "entitiesImpacted"
    if (
        not event.HasField("generatedTimestamp")
        or not 0 <= event.generatedTimestamp.nanos < 1_000_000_000
    ):
        return "generatedTimestamp"
    return None
