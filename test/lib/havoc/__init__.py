# SPDX-License-Identifier: Apache-2.0
"""What happens within the calls of programs that are tested: havoc.c, a library to be preloaded,
and orders.py, which tells it what to do."""
