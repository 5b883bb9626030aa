/* layout - the files that say which port hangs on which switch, in the formats of those who know.
 * Each reads a text, which it may change, into a topology. What makes no sense is passed over,
 * counted, and the first of it remembered. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BLASTRADIUS_LAYOUT_H
#define BLASTRADIUS_LAYOUT_H

#include "topology.h"

#include <stdbool.h>

/* What was passed over. */
struct layout_trouble {
	size_t count;
	size_t line;        /* of the first, from 1; 0: it has none */
	const char *reason; /* of the first */
};

/* Remembers something that was passed over. */
void layout_pass_over(struct layout_trouble *trouble, size_t line, const char *reason);

/* What ibnetdiscover(8) prints: a node is known by its description, `node001 mlx5_0`, as
 * rdma-ndd(8) sets it. 0, or -1 with errno as topology_add(), as the others. */
int layout_read_ibnetdiscover(
	struct topology *topology, char *text, struct layout_trouble *trouble);

/* Slurm's topology.conf(5): nodes hang on the leaf switches with all their ports. */
int layout_read_slurm(struct topology *topology, char *text, struct layout_trouble *trouble);

/* What `lldpcli -f json show neighbors` prints on a node: its network interfaces. */
int layout_read_lldp(struct topology *topology, const char *node, const char *text,
	struct layout_trouble *trouble);

#endif
