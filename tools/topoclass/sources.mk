# sources - topoclass: its main file, and the rest, which unit tests link too; one a line.
# SPDX-License-Identifier: Apache-2.0
topoclass_MAIN := tools/topoclass/main.c
topoclass_SRCS := \
	tools/topoclass/absent.c \
	tools/topoclass/annotate.c \
	tools/topoclass/classify.c \
	tools/topoclass/gpus.c \
	tools/topoclass/memory.c \
	tools/topoclass/metadata.c \
	tools/topoclass/route.c \
	tools/topoclass/scanbuf.c
