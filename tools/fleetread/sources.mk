# sources - fleetread: its main file, and the rest, which unit tests link too; one a line. It uses
# emit's files to find a server and to log in there.
# SPDX-License-Identifier: Apache-2.0
fleetread_MAIN := tools/fleetread/main.c
fleetread_SRCS := \
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
	tools/fleetread/feed.c \
	tools/fleetread/natsfeed.c \
	tools/fleetread/pgfeed.c \
	tools/fleetread/session.c
