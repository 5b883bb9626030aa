# sources - rdmatrace's files, one per line; unit tests link all but the main file.
# SPDX-License-Identifier: Apache-2.0
rdmatrace_MAIN := tools/rdmatrace/main.c
rdmatrace_SRCS := \
	tools/rdmatrace/events.c \
	tools/rdmatrace/instance.c \
	tools/rdmatrace/layout.c \
	tools/rdmatrace/probe.c
