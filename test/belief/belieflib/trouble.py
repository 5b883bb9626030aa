# SPDX-License-Identifier: Apache-2.0
"""How a story ends early."""


class Trouble(Exception):
    """The program did what none may do: it died, hung, or wrote what is not an event."""


class Violation(Exception):
    """A receiver believes what does not stand, or does not believe what stands."""
