/* rows - the rows of the table: which there are, what is wrong with each, and in which order.
 * Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NICVIEW_ROWS_H
#define NICVIEW_ROWS_H

#include "scan.h"

/* In the order of the table: what needs a person first. */
enum row_verdict {
	ROW_DOWN,    /* not up, and its peers are */
	ROW_SHORT,   /* a card with fewer ports than its peers */
	ROW_NO_NODE, /* InfiniBand without a character device that programs open */
	ROW_LOST, /* a NIC that the GPU metadata has and the node has not, and that was watched */
	ROW_UNBOUND,    /* a NIC that no driver took */
	ROW_UNREADABLE, /* its device does not answer, or not in full */
	ROW_DOWN_TOO,   /* not up, as most of its peers, or it has no peers, and GPUs rely on it */
	ROW_ABSENT,     /* the same, but it may never have mattered, or be there by another name */
	ROW_PLANE,      /* a plane of a multi-plane NIC that is not up */
	ROW_SLOW,       /* below the rate or width of its peers */
	ROW_NO_GID,     /* RoCE without an address to connect to */
	ROW_UNCLEAR, /* not up, or without a driver, and nothing says that it should be otherwise */
	ROW_FINE,
	ROW_UNWATCHED, /* management, excluded, another vendor's: whatever its state */
	ROW_VIRTUAL,
	ROW_VERDICT_N,
};

/* How bad it is, by a mark in the first column. */
enum row_mark {
	ROW_MARK_PROBLEM, /* !! */
	ROW_MARK_WARNING, /* !  */
	ROW_MARK_UNCLEAR, /* ?  */
	ROW_MARK_NONE,
};

#define ROW_REASON_SIZE 160

/* A port, a device of which there is no port, a PCI function of which there is no device, or a name
 * of which there is nothing. */
struct row {
	const struct scanrec_device *device; /* nullable */
	const struct scanrec_port *port;     /* nullable */
	const char *unbound; /* nullable: the PCI address of a function without driver */
	const char *absent;  /* nullable: a name in the GPU metadata */
	enum row_verdict verdict;
	/* in words; "" where nothing is to be said. Not yet escaped. */
	char reason[ROW_REASON_SIZE];
};

struct row_list {
	struct row *items;
	size_t count;
};

enum row_mark row_mark(enum row_verdict verdict);

/* The rows of a scan, sorted; they point into the scan. 0, or -1 when memory ran out. Free with
 * rows_fini(). */
int rows_init(struct row_list *list, const struct scan *scan);
void rows_fini(struct row_list *list);

#endif
