# sources - topoparse: its main file, and the rest, which unit tests link too; one a line.
# SPDX-License-Identifier: Apache-2.0
topoparse_MAIN := tools/topoparse/main.c
topoparse_SRCS := \
	tools/topoparse/gpus.c \
	tools/topoparse/header.c \
	tools/topoparse/matrix.c \
	tools/topoparse/refusal.c \
	tools/topoparse/row.c \
	tools/topoparse/tail.c \
	tools/topoparse/text.c \
	tools/topoparse/topo.c
