/* topo - what a topology matrix says (spec#metadata-from-matrix). */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOPOPARSE_TOPO_H
#define TOPOPARSE_TOPO_H

#include "refusal.h"
#include "text.h"

#include <stdint.h>

struct topo_gpu {
	unsigned id;
	int numa_node;                              /* -1: unknown */
	char uuid[48], pci_address[24], serial[48]; /* of --gpus; "" when unknown */
	size_t csv_line;                            /* where --gpus has it, 0: nowhere */
};

struct topo_nic {
	char name[TOPO_NAME_MAX + 1];
	/* the name is a device's, not a placeholder that the legend does not resolve */
	bool is_named;
	uint8_t *levels; /* one per GPU, in the order of `gpus` */
};

struct topo {
	struct topo_gpu *gpus; /* ascending by id */
	size_t gpu_count;
	struct topo_nic *nics; /* in the order of the columns */
	size_t nic_count;
};

/* Parses what `nvidia-smi topo -m` has printed. On TOPO_OK free `*out` with topo_fini(); otherwise
 * it is empty and, on TOPO_BAD, `*error` is filled. */
enum topo_status topo_parse(
	const char *text, size_t length, struct topo *out, struct topo_error *error);

void topo_fini(struct topo *topo);

/* One JSON document with a line per GPU and per NIC, to free(); NULL when memory runs out. */
char *topo_format_new(const struct topo *topo, size_t *length);

#endif
