/* topo - combines the rows and the legend of a topology matrix (spec#metadata-from-matrix). */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOPOPARSE_TOPO_H
#define TOPOPARSE_TOPO_H

#include "refusal.h"
#include "text.h"

#include <stdint.h>

struct topo_gpu {
	unsigned id;
	int numa_node;                              /* -1: unknown */
	char uuid[48], pci_address[24], serial[48]; /* from --gpus; "" if unknown */
	size_t csv_line;                            /* line in the file of --gpus; 0: none */
};

struct topo_nic {
	char name[TOPO_NAME_MAX + 1];
	/* name is that of a device, not a placeholder missing in the legend */
	bool is_named;
	uint8_t *levels; /* one per GPU, in the order of `gpus` */
};

struct topo {
	struct topo_gpu *gpus; /* ascending by id */
	size_t gpu_count;
	struct topo_nic *nics; /* in the order of the columns */
	size_t nic_count;
};

/* Parse the output of `nvidia-smi topo -m`. On TOPO_OK free `*out` with topo_fini(); otherwise it
 * is empty, and on TOPO_BAD `*error` is filled. */
enum topo_status topo_parse(
	const char *text, size_t length, struct topo *out, struct topo_error *error);

void topo_fini(struct topo *topo);

/* Return a JSON document with a line per GPU and per NIC, to free(); NULL when memory runs out. */
char *topo_format_new(const struct topo *topo, size_t *length);

#endif
