# SPDX-License-Identifier: Apache-2.0
"""Random stories of a node, told to ctreval; ../belief has the map."""
