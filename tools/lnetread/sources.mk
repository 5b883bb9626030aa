# sources - lnetread: its main file, and the other files, which unit tests also link; one per line.
# SPDX-License-Identifier: Apache-2.0
lnetread_MAIN := tools/lnetread/main.c
lnetread_SRCS := \
	tools/lnetread/fault.c \
	tools/lnetread/fields.c \
	tools/lnetread/follow.c \
	tools/lnetread/header.c \
	tools/lnetread/lnet.c \
	tools/lnetread/outcome.c \
	tools/lnetread/pass.c \
	tools/lnetread/reads.c \
	tools/lnetread/record.c \
	tools/lnetread/walk.c
