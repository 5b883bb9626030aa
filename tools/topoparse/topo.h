/* topo - what a topology matrix says, and why a text is none. */
#ifndef TOPOPARSE_TOPO_H
#define TOPOPARSE_TOPO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A node with 16 GPUs, 18 NICs and a few hundred virtual functions has less than half of this. */
#define TOPO_MAX_COLUMNS 1024

/* Longest label or device name: IB_DEVICE_NAME_MAX is 64 with its NUL (include/rdma/ib_verbs.h). */
#define TOPO_NAME_MAX 63

/* MAX_NUMNODES is at most 1 << 10 (NODES_SHIFT): what is beyond that is no node, but a CPU. */
#define TOPO_NUMA_MAX 1023

enum topo_status {
	TOPO_OK,
	TOPO_BAD, /* the text is not usable; the error says why */
	TOPO_NO_MEMORY,
};

struct topo_error {
	size_t line; /* 0: not about one line */
	char reason[320];
};

struct topo_gpu {
	unsigned id;
	int numa_node;                              /* -1: unknown */
	char uuid[48], pci_address[24], serial[48]; /* of --gpus; "" when unknown */
	size_t csv_line;                            /* where --gpus has it, 0: nowhere */
};

struct topo_nic {
	char name[TOPO_NAME_MAX + 1];
	bool is_named; /* the name is a device's, not a placeholder that the legend does not resolve */
	uint8_t *levels; /* one per GPU, in the order of `gpus` */
};

struct topo {
	struct topo_gpu *gpus; /* ascending by id */
	size_t gpu_count;
	struct topo_nic *nics; /* in the order of the columns */
	size_t nic_count;
};

/* Fills `error`; returns TOPO_BAD. */
enum topo_status topo_bad(struct topo_error *error, size_t line, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Parses what `nvidia-smi topo -m` has printed. On TOPO_OK free `*out` with topo_fini(); otherwise it is empty and, on TOPO_BAD,
 * `*error` is filled. */
enum topo_status topo_parse(
	const char *text, size_t length, struct topo *out, struct topo_error *error);

void topo_fini(struct topo *topo);

#endif
