# sources - nicsilence: its main file, and the rest, which unit tests link too; one a line.
# SPDX-License-Identifier: Apache-2.0
nicsilence_MAIN := tools/nicsilence/main.c
nicsilence_SRCS := \
	tools/nicsilence/silencefile.c
