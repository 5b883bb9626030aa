# sources - nicview: its main file, and the rest, which unit tests link too; one a line.
# SPDX-License-Identifier: Apache-2.0
nicview_MAIN := tools/nicview/main.c
nicview_SRCS := \
	tools/ibscan/scanoptions.c \
	tools/nicview/cells.c \
	tools/nicview/headline.c \
	tools/nicview/layout.c \
	tools/nicview/live.c \
	tools/nicview/remarks.c \
	tools/nicview/rows.c \
	tools/nicview/table.c
