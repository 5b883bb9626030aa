/* metricslayout - how a page of numbers is laid out, which is for its writer (metrics.c) and its
 * reader (metricspage.c) alone. nic-health-monitor-metrics(5) says the same in words. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_METRICSLAYOUT_H
#define NHM_METRICSLAYOUT_H

#include "metricskinds.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#define METRICS_MAGIC 0x316e6d68u /* "hmn1" in the order of little-endian bytes */

/* Room for 4,096 ports of 50 counters. What is not used costs nothing but addresses. */
#define METRICS_PAGE_BYTES ((size_t)32 << 20)

/* A line of Prometheus' text, and more than any of ours. */
#define METRICS_TEXT_MAX 4096

struct metrics_header {
	uint32_t magic, header_bytes;
	_Atomic uint64_t used; /* bytes, this header's too, in which there are whole entries */
	_Atomic uint64_t dropped;
	_Atomic uint64_t vitals[METRICS_VITAL_N];
};

enum metrics_entry_kind { METRICS_ENTRY_FAMILY, METRICS_ENTRY_SERIES };

/* Entries follow one another, each at a multiple of 8. */
struct metrics_entry {
	uint32_t bytes; /* to the next one */
	uint8_t kind;
	uint8_t type; /* enum metrics_type; of a family */
	uint8_t life; /* enum metrics_life; of a family */
	uint8_t spare;
	/* Of a family: its name, and after the NUL its help. Of a series: its tail. Each with a
	 * NUL. */
	uint16_t text_bytes, help_bytes; /* without the NULs */
	uint32_t family;                 /* of a series: where its family's entry is */
	_Atomic uint64_t shown; /* of a series: 0 no, 1 as an integer, 2 as a real number */
	_Atomic uint64_t value;
	char text[];
};

/* A cell is a series' entry. */
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
