# SPDX-License-Identifier: Apache-2.0
"""The syntax of words, checked character by character.

Compiling regular expressions takes longer than most commands take, and a test runs many commands.
"""

_DIGITS = frozenset("0123456789")
_HEX_DIGITS = frozenset("0123456789abcdef")
_LETTERS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_") | _DIGITS
_INNER = _LETTERS | frozenset(".-")
_IN_FILE = _INNER | frozenset(" ")


def is_number(text):
    """Return true for one or more decimal digits."""
    return text != "" and _DIGITS.issuperset(text)


def is_name(text):
    """Return true for the name of a device, driver or interface: no path, no option, not hidden."""
    return text != "" and text[0] in _LETTERS and _INNER.issuperset(text)


def is_file(text):
    """Return true for a path below a device or port, whose names may also begin with `-`, and have
    blanks as some counters of irdma do."""
    return all(
        part != "" and part[0] not in ". " and _IN_FILE.issuperset(part) for part in text.split("/")
    )


def is_pci_address(text):
    """Return true for a domain of 4 to 8 digits, bus, device and function: 0000:18:00.0."""
    domain, _, rest = text.partition(":")
    bus, _, slot = rest.partition(":")
    device, _, function = slot.partition(".")
    return (
        f"{domain}:{bus}:{device}.{function}" == text
        and 4 <= len(domain) <= 8
        and len(bus) == len(device) == 2
        and _HEX_DIGITS.issuperset(domain + bus + device)
        and function in tuple("01234567")
    )
