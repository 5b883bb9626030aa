/* rows - makes, evaluates and sorts the rows of the table. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NICVIEW_ROWS_H
#define NICVIEW_ROWS_H

#include "scan.h"

/* In the order of the table: what needs attention first. */
enum row_verdict {
	ROW_DOWN,       /* not up, but its peers are */
	ROW_SHORT,      /* a card with fewer ports than its peers */
	ROW_NO_NODE,    /* a character device that InfiniBand programs open is missing */
	ROW_LOST,       /* monitored NIC in the GPU metadata that is missing on the node */
	ROW_UNBOUND,    /* NIC without a driver */
	ROW_UNREADABLE, /* its device does not answer, or not completely */
	ROW_DOWN_TOO,   /* not up, like most of its peers or without peers, but GPUs depend on it */
	ROW_ABSENT,     /* in the GPU metadata and missing, but perhaps unimportant or renamed */
	ROW_PLANE,      /* plane of a multi-plane NIC, not up */
	ROW_SLOW,       /* below the rate or width of its peers */
	ROW_NO_GID,     /* RoCE port without a GID */
	ROW_UNCLEAR,    /* not up or without a driver, and no evidence that it should be */
	ROW_FINE,
	ROW_UNWATCHED, /* management, excluded or of another vendor, in any state */
	ROW_VIRTUAL,
	ROW_VERDICT_N,
};

/* Severity of a row, shown as a mark in the first column. */
enum row_mark {
	ROW_MARK_PROBLEM, /* !! */
	ROW_MARK_WARNING, /* !  */
	ROW_MARK_UNCLEAR, /* ?  */
	ROW_MARK_NONE,
};

#define ROW_REASON_SIZE 160

/* A port, a device without ports, a PCI function without a device, or a name without anything. */
struct row {
	const struct scanrec_device *device; /* or NULL */
	const struct scanrec_port *port;     /* or NULL */
	const char *unbound; /* PCI address of a function without a driver, or NULL */
	const char *absent;  /* name in the GPU metadata, or NULL */
	enum row_verdict verdict;
	/* in words, not escaped; "": none */
	char reason[ROW_REASON_SIZE];
};

struct row_list {
	struct row *items;
	size_t count;
	size_t capacity;
};

enum row_mark row_mark(enum row_verdict verdict);

/* Make the sorted rows of a scan, which point into it. Return 0, or -1 when memory ran out. Free
 * with rows_fini(). */
int rows_init(struct row_list *list, const struct scan *scan);
void rows_fini(struct row_list *list);

#endif
