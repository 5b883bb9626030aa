# sources - nicwhy: its main file, and the rest, which unit tests link too; one a line.
# SPDX-License-Identifier: Apache-2.0
nicwhy_MAIN := tools/nicwhy/main.c
nicwhy_SRCS := \
	tools/nicwhy/judged.c \
	tools/nicwhy/speech.c \
	tools/nicwhy/stands.c \
	tools/nicwhy/story.c \
	tools/nicwhy/tell.c
