/* eventmetrics - ibevent's metrics: how often each event occurred. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "eventmetrics.h"

#include "array.h"
#include "num.h"

#include <inttypes.h>
#include <stdio.h>

static const struct metrics_family async = {"nic_async_events_total",
	"Asynchronous events about devices, ports and PCI functions that the kernel has pushed.",
	METRICS_COUNTER, METRICS_LASTING};
static const struct metrics_family cm = {"nic_cm_events_total",
	"Failures and ends of connections that the RDMA connection manager has reported.",
	METRICS_COUNTER, METRICS_LASTING};
static const struct metrics_family gaps = {"nic_event_gaps_total",
	"How often a source lost events.", METRICS_COUNTER, METRICS_LASTING};

static struct metrics_cell *
gap_cell(struct metrics *metrics, enum via via)
{
	return metrics_cell(metrics, &gaps, &(struct metrics_label){"via", via_names[via]}, 1);
}

void
eventmetrics_init(struct metrics *metrics, const bool wanted[VIA_N])
{
	for (enum via via = 0; via < VIA_N; via++)
		if (wanted[via])
			gap_cell(metrics, via);
}

static struct metrics_cell *
async_cell(struct metrics *metrics, const struct notice *notice)
{
	char port[NUM_U64_SIZE] = "";
	const struct metrics_label labels[] = {
		{"device", *notice->device != '\0' ? notice->device : notice->pci},
		{"port", port},
		{"event", notice->event},
		{"fabric_error", notice->fabric_error ? "true" : "false"},
		{"via", via_names[notice->via]},
	};
	if (notice->port != 0)
		snprintf(port, sizeof port, "%" PRIu32, notice->port);
	return metrics_cell(metrics, &async, labels, ARRAY_COUNT(labels));
}

static struct metrics_cell *
cm_cell(struct metrics *metrics, const struct notice *notice)
{
	const struct metrics_label labels[] = {
		{"device", notice->device},
		{"event", notice->event},
		{"cause", notice->cause},
	};
	return metrics_cell(metrics, &cm, labels, ARRAY_COUNT(labels));
}

void
eventmetrics_count(struct metrics *metrics, const struct notice *notice)
{
	switch (notice->kind) {
	case NOTICE_ASYNC:
		metrics_add(async_cell(metrics, notice), notice->count);
		break;
	case NOTICE_CM:
		metrics_add(cm_cell(metrics, notice), notice->count);
		break;
	case NOTICE_GAP:
		metrics_add(gap_cell(metrics, notice->via), 1);
		break;
	}
}
