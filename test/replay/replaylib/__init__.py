# SPDX-License-Identifier: Apache-2.0
"""What `replay` is made of; see there."""
