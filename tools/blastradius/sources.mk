# sources - blastradius: its main file, and the rest, which unit tests link too; one a line.
# SPDX-License-Identifier: Apache-2.0
blastradius_MAIN := tools/blastradius/main.c
blastradius_SRCS := \
	tools/blastradius/fleet.c \
	tools/blastradius/hostlist.c \
	tools/blastradius/ibnetdiscover.c \
	tools/blastradius/layout.c \
	tools/blastradius/layoutfiles.c \
	tools/blastradius/lldp.c \
	tools/blastradius/memory.c \
	tools/blastradius/queue.c \
	tools/blastradius/reports.c \
	tools/blastradius/session.c \
	tools/blastradius/slurm.c \
	tools/blastradius/suspects.c \
	tools/blastradius/topology.c \
	tools/blastradius/verdicts.c
