# sources - nicdiff: its main file, and the rest, which unit tests link too; one a line.
# SPDX-License-Identifier: Apache-2.0
nicdiff_MAIN := tools/nicdiff/main.c
nicdiff_SRCS := \
	tools/nicdiff/compare.c \
	tools/nicdiff/report.c \
	tools/nicdiff/source.c
