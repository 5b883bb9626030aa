# sources - fleetview: its main file, and the rest, which unit tests link too; one a line. It uses
# blastradius's files for the topology.
# SPDX-License-Identifier: Apache-2.0
fleetview_MAIN := tools/fleetview/main.c
fleetview_SRCS := \
	tools/blastradius/hostlist.c \
	tools/blastradius/ibnetdiscover.c \
	tools/blastradius/layout.c \
	tools/blastradius/layoutfiles.c \
	tools/blastradius/lldp.c \
	tools/blastradius/reports.c \
	tools/blastradius/slurm.c \
	tools/blastradius/topology.c \
	tools/fleetview/board.c \
	tools/fleetview/ranks.c \
	tools/fleetview/reading.c \
	tools/fleetview/screen.c
