# SPDX-License-Identifier: Apache-2.0
"""JSON in and out, where possible without the module json, which takes long to load."""

import _json


class _Plain:
    """What json.loads() would tell the scanner, which is C."""

    strict = True
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = int
    parse_constant = float


def decode(text):
    """What the text says; ValueError if it is not JSON."""
    stripped = text.strip(" \t\n\r")
    try:
        value, end = _json.make_scanner(_Plain)(stripped, 0)
    except StopIteration:
        end = None
    if end != len(stripped):
        # It says what is wrong, and where.
        import json  # pylint: disable=import-outside-toplevel

        return json.loads(text)
    return value


def encode(value, indent=None):
    """The text of a value."""
    import json  # pylint: disable=import-outside-toplevel

    return json.dumps(value, indent=indent)
