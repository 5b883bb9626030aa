# SPDX-License-Identifier: Apache-2.0
"""Parse and format JSON, where possible without the module json, which loads slowly."""

import _json


class _Plain:
    """The settings that json.loads() passes to the scanner, which is written in C."""

    strict = True
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = int
    parse_constant = float


def decode(text):
    """Parse the text; raise ValueError if it is not JSON."""
    stripped = text.strip(" \t\n\r")
    try:
        value, end = _json.make_scanner(_Plain)(stripped, 0)
    except StopIteration:
        end = None
    if end != len(stripped):
        # Its error has the reason and the position.
        import json  # pylint: disable=import-outside-toplevel

        return json.loads(text)
    return value


def encode(value, indent=None):
    """Format a value."""
    import json  # pylint: disable=import-outside-toplevel

    return json.dumps(value, indent=indent)
