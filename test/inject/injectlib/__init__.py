# SPDX-License-Identifier: Apache-2.0
"""Makes each call of a program fail in turn, and compares the program's output and files with the
truth."""
