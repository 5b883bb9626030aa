# sources - fleetpage: its main file, and the rest, which unit tests link too; one a line. It uses
# fleetview's board and nic-health-monitor's HTTP server.
# SPDX-License-Identifier: Apache-2.0
fleetpage_MAIN := tools/fleetpage/main.c
fleetpage_SRCS := \
	tools/blastradius/hostlist.c \
	tools/blastradius/ibnetdiscover.c \
	tools/blastradius/layout.c \
	tools/blastradius/layoutfiles.c \
	tools/blastradius/lldp.c \
	tools/blastradius/reports.c \
	tools/blastradius/slurm.c \
	tools/blastradius/topology.c \
	tools/fleetpage/charts.c \
	tools/fleetpage/html.c \
	tools/fleetpage/listing.c \
	tools/fleetpage/pages.c \
	tools/fleetpage/session.c \
	tools/fleetview/board.c \
	tools/fleetview/ranks.c \
	tools/fleetview/reading.c \
	tools/supervisor/httpd.c \
	tools/supervisor/listener.c \
	tools/supervisor/peer.c
