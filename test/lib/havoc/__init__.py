# SPDX-License-Identifier: Apache-2.0
"""Faults inside the system calls of tested programs: havoc.c, a preloaded library, and orders.py,
which controls it."""
