# sources - natsread: its main file, and the rest, which unit tests link too; one a line. It finds a
# server as emit does, and is recognized by it in the same way.
# SPDX-License-Identifier: Apache-2.0
natsread_MAIN := tools/natsread/main.c
natsread_SRCS := \
	tools/emit/hostfiles.c \
	tools/emit/out/hostport.c \
	tools/emit/out/natsaddress.c \
	tools/emit/out/natsdial.c \
	tools/emit/out/token.c \
	tools/emit/serveroptions.c \
	tools/natsread/feed.c \
	tools/natsread/session.c
