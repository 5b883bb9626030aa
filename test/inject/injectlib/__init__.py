# SPDX-License-Identifier: Apache-2.0
"""One call of a program fails, for each of its calls in turn: what the program then says and
leaves behind is compared with the truth."""
