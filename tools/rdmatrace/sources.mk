# sources - rdmatrace: its main file, and the rest, which unit tests link too; one a line.
# SPDX-License-Identifier: Apache-2.0
rdmatrace_MAIN := tools/rdmatrace/main.c
rdmatrace_SRCS := \
	tools/rdmatrace/events.c \
	tools/rdmatrace/instance.c \
	tools/rdmatrace/layout.c \
	tools/rdmatrace/probe.c
