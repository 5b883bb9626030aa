# SPDX-License-Identifier: Apache-2.0
"""The two ways a replay ends early: the scenario is bad, or a program under test failed."""


class BadScenario(Exception):
    """Something wrong in a scenario file; the text names file and line."""


class Broken(Exception):
    """A program under test did what none may do: it died, hung, or wrote no JSON."""
