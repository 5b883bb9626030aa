# sources - pcitopo's files, one per line; only the main file, the rest is in the library.
# SPDX-License-Identifier: Apache-2.0
pcitopo_MAIN := tools/pcitopo/main.c
pcitopo_SRCS :=
