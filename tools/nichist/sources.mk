# sources - nichist: its main file, and the rest, which unit tests link too; one a line.
# SPDX-License-Identifier: Apache-2.0
nichist_MAIN := tools/nichist/main.c
nichist_SRCS := \
	tools/nichist/chosen.c \
	tools/nichist/letters.c \
	tools/nichist/list.c \
	tools/nichist/options.c \
	tools/nichist/replay.c \
	tools/nichist/report.c \
	tools/nichist/spoolview.c \
	tools/nichist/table.c

# Sending events again needs all files of emit except its command line.
nichist_SRCS += $(filter-out tools/emit/options.c,$(emit_SRCS))
nichist_PROTOS := $(emit_PROTOS)

# Its bats files do not have its name.
nichist_BATS := history history-files
