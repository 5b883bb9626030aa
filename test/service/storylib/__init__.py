# SPDX-License-Identifier: Apache-2.0
"""Stories: a node's life with the whole service, as a list of what happens and what must come of
it."""
