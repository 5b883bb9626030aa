# sources - niccheck: its main file, and the rest, which unit tests link too; one a line.
# SPDX-License-Identifier: Apache-2.0
niccheck_MAIN := tools/niccheck/main.c
niccheck_SRCS := \
	tools/niccheck/lastscan.c \
	tools/niccheck/look.c \
	tools/niccheck/options.c \
	tools/niccheck/report.c \
	tools/niccheck/standout.c \
	tools/niccheck/summary.c \
	tools/supervisor/checklist.c \
	tools/supervisor/nodeoptions.c \
	tools/supervisor/pipeline.c \
	tools/supervisor/stagerun.c
