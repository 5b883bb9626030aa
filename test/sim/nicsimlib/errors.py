# SPDX-License-Identifier: Apache-2.0
"""The errors that end a command; `code` is the exit code (sysexits numbers)."""


class SimError(Exception):
    """Base of the three below; the text is the message, without the program's name."""

    code = 70


class UsageError(SimError):
    """The command line is wrong."""

    code = 64


class BadData(SimError):
    """The content of an input is invalid."""

    code = 65


class Missing(SimError):
    """A named node, device, port, file or platform does not exist."""

    code = 66
