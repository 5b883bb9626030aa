/* metricslayout - the memory layout of a metrics page, only for its writer (metrics.c) and its
 * reader (metricspage.c). nic-health-monitor-metrics(5) documents it. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_METRICSLAYOUT_H
#define NHM_METRICSLAYOUT_H

#include "metricskinds.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#define METRICS_MAGIC 0x316e6d68u /* "hmn1" in little-endian byte order */

/* Room for 4,096 ports with 50 counters each. Unused memory costs only addresses. */
#define METRICS_PAGE_BYTES ((size_t)32 << 20)

/* Longest text of an entry, far above any that the tools write. */
#define METRICS_TEXT_MAX 4096

struct metrics_header {
	uint32_t magic, header_bytes;
	_Atomic uint64_t used; /* bytes of this header and all complete entries */
	_Atomic uint64_t dropped;
	_Atomic uint64_t vitals[METRICS_VITAL_N];
};

enum metrics_entry_kind { METRICS_ENTRY_FAMILY, METRICS_ENTRY_SERIES };

/* Entries are adjacent; each begins at a multiple of 8. */
struct metrics_entry {
	uint32_t bytes; /* size, up to the next entry */
	uint8_t kind;
	uint8_t type; /* of a family: enum metrics_type */
	uint8_t life; /* of a family: enum metrics_life */
	uint8_t spare;
	/* `text` is two strings, each with a NUL: a family's name and help, or a series' tail and
	 * "". Lengths without the NULs. */
	uint16_t text_bytes, help_bytes;
	uint32_t family;        /* of a series: position of its family's entry */
	_Atomic uint64_t shown; /* of a series: METRICS_HIDDEN to METRICS_SHOWN_REAL */
	_Atomic uint64_t value;
	char text[];
};

/* A cell is the entry of a series. */
struct metrics_cell {
	struct metrics_entry entry;
};

enum { METRICS_HIDDEN, METRICS_SHOWN, METRICS_SHOWN_REAL };

static inline size_t
metrics_entry_bytes(size_t text_bytes)
{
	return (sizeof(struct metrics_entry) + text_bytes + 7) & ~(size_t)7;
}

#endif
