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

# To send events again takes all that emit delivers with; its command line is its own.
nichist_SRCS += $(filter-out tools/emit/options.c,$(emit_SRCS))
nichist_PROTOS := $(emit_PROTOS)

# Its bats files, which are named after what it shows.
nichist_BATS := history history-files
