# SPDX-License-Identifier: Apache-2.0
"""What words may look like, tested by their characters.

Compiling regular expressions takes longer than most commands take, and a test runs many commands.
"""

_DIGITS = frozenset("0123456789")
_HEX_DIGITS = frozenset("0123456789abcdef")
_LETTERS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_") | _DIGITS
_INNER = _LETTERS | frozenset(".-")


def is_number(text):
    """Decimal digits, at least one."""
    return text != "" and _DIGITS.issuperset(text)


def is_name(text):
    """Of a device, a driver, an interface: no path, no option, not hidden."""
    return text != "" and text[0] in _LETTERS and _INNER.issuperset(text)


def is_file(text):
    """A path below a device or port, of names that may begin with `-` too."""
    return all(
        part != "" and part[0] != "." and _INNER.issuperset(part) for part in text.split("/")
    )


def is_pci_address(text):
    """Domain of 4 to 8 digits, bus, device and function: 0000:18:00.0."""
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
