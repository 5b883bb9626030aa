# sources - pcitopo: its main file; the rest is in the library; one a line.
# SPDX-License-Identifier: Apache-2.0
pcitopo_MAIN := tools/pcitopo/main.c
pcitopo_SRCS :=
