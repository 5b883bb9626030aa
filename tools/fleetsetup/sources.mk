# sources - fleetsetup's files, one per line; unit tests link all but the main file. It uses emit's
# files to find a server and to log in there.
# SPDX-License-Identifier: Apache-2.0
fleetsetup_MAIN := tools/fleetsetup/main.c
fleetsetup_SRCS := \
	tools/emit/hostfiles.c \
	tools/emit/out/natsaddress.c \
	tools/emit/out/natsdial.c \
	tools/emit/out/natslib.c \
	tools/emit/out/pgaddress.c \
	tools/emit/out/pgdial.c \
	tools/emit/out/pqlib.c \
	tools/emit/out/token.c \
	tools/emit/serveraddress.c \
	tools/emit/serveroptions.c \
	tools/fleetsetup/schema.c \
	tools/fleetsetup/stream.c
