# SPDX-License-Identifier: Apache-2.0
"""An attack on the whole service: see ../README.md."""
