# SPDX-License-Identifier: Apache-2.0
"""The errors a command ends with; `code` is the exit status (sysexits numbers)."""


class SimError(Exception):
    """Base of the three below; the text is the message, without the program's name."""

    code = 70


class UsageError(SimError):
    """The command line itself is wrong."""

    code = 64


class BadData(SimError):
    """An input was found, but its content is bad."""

    code = 65


class Missing(SimError):
    """A node, device, port, file or platform that is named does not exist."""

    code = 66
