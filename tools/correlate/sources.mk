# sources - correlate: its main file, and the rest, which unit tests link too; one a line.
# SPDX-License-Identifier: Apache-2.0
correlate_MAIN := tools/correlate/main.c
correlate_SRCS := \
	tools/correlate/derive.c \
	tools/correlate/downtime.c \
	tools/correlate/engine.c \
	tools/correlate/explain.c \
	tools/correlate/groups.c \
	tools/correlate/lasting.c \
	tools/correlate/marks.c \
	tools/correlate/match.c \
	tools/correlate/memory.c \
	tools/correlate/nodes.c \
	tools/correlate/open.c \
	tools/correlate/patternmetrics.c \
	tools/correlate/rules.c \
	tools/correlate/session.c \
	tools/correlate/spool.c \
	tools/nichist/spoolview.c
