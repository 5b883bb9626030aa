# SPDX-License-Identifier: Apache-2.0
"""Three views of a broken node, and whether they contradict each other. ../agree has the map."""
