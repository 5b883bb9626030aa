# sources - logmatch: its main file, and the rest, which unit tests link too; one a line.
# SPDX-License-Identifier: Apache-2.0
logmatch_MAIN := tools/logmatch/main.c
logmatch_SRCS := \
	tools/logmatch/analysis.c \
	tools/logmatch/blocks.c \
	tools/logmatch/eval.c \
	tools/logmatch/files.c \
	tools/logmatch/follow.c \
	tools/logmatch/journaljson.c \
	tools/logmatch/kmsg.c \
	tools/logmatch/kmsgform.c \
	tools/logmatch/lineform.c \
	tools/logmatch/lockup.c \
	tools/logmatch/lockupline.c \
	tools/logmatch/logmetrics.c \
	tools/logmatch/logtime.c \
	tools/logmatch/matcher.c \
	tools/logmatch/memory.c \
	tools/logmatch/noise.c \
	tools/logmatch/output.c \
	tools/logmatch/pattern.c \
	tools/logmatch/pcilook.c \
	tools/logmatch/pieces.c \
	tools/logmatch/printer.c \
	tools/logmatch/session.c \
	tools/logmatch/sieve.c \
	tools/logmatch/stamp.c \
	tools/logmatch/standing.c \
	tools/logmatch/subject.c \
	tools/logmatch/syslogform.c
