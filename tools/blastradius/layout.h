/* layout - parsers of topology files, which say what port is connected to what switch. Each parses
 * a text, which it may modify, into a topology. Malformed entries are skipped and counted, and the
 * first is recorded. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BLASTRADIUS_LAYOUT_H
#define BLASTRADIUS_LAYOUT_H

#include "topology.h"

#include <stdbool.h>

/* Entries that were skipped. */
struct layout_trouble {
	size_t count;
	size_t line;        /* of the first, from 1; 0: no line */
	const char *reason; /* of the first */
};

/* Record a skipped entry. */
void layout_pass_over(struct layout_trouble *trouble, size_t line, const char *reason);

/* Parse the output of ibnetdiscover(8). A node is identified by its description, `node001 mlx5_0`,
 * which rdma-ndd(8) sets. Return 0, or -1 with errno as topology_add(), like the other parsers. */
int layout_read_ibnetdiscover(
	struct topology *topology, char *text, struct layout_trouble *trouble);

/* Parse Slurm's topology.conf(5): all ports of a node are connected to its leaf switches. */
int layout_read_slurm(struct topology *topology, char *text, struct layout_trouble *trouble);

/* Parse the output of `lldpcli -f json show neighbors` on a node, which lists network
 * interfaces. */
int layout_read_lldp(struct topology *topology, const char *node, const char *text,
	struct layout_trouble *trouble);

#endif
