# SPDX-License-Identifier: Apache-2.0
"""The node simulator; ../nicsim has the map of these modules."""
