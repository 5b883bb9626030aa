/* ingerometrics - port counters and asynchronous events under Ingero's metric names. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "ingerometrics.h"

#include "array.h"
#include "exposition.h"
#include "rec.h"

#include <stdio.h>

static void
put_counter(struct exposition *to, const struct scan *scan, const char *counter)
{
	uint64_t value;
	for (size_t i = 0; i < scan->port_count; i++) {
		const struct scanrec_port *port = &scan->ports[i].record;
		if (rec_get_u64(port->counters, counter, &value) != REC_OK)
			continue;
		exposition_sample(to);
		exposition_label(to, "rdma_device", port->device);
		exposition_label_integer(to, "rdma_port", port->port);
		exposition_label(to, "rdma_transport", port->link_layer);
		exposition_value(to, value);
	}
}

int
ingerometrics_set(const struct scan *scan, struct metrics *metrics)
{
	static const struct {
		const char *family, *counter;
	} counters[] = {
		{"ingero_rdma_port_rcv_errors", "port_rcv_errors"},
		{"ingero_rdma_symbol_error", "symbol_error"},
		{"ingero_rdma_link_downed", "link_downed"},
		{"ingero_rdma_port_xmit_discards", "port_xmit_discards"},
		{"ingero_rdma_local_link_integrity_errors", "local_link_integrity_errors"},
	};
	struct exposition to = {.metrics = metrics};

	for (size_t i = 0; i < ARRAY_COUNT(counters); i++) {
		exposition_family(&to, counters[i].family, METRICS_COUNTER,
			"The port's counter of this name.");
		put_counter(&to, scan, counters[i].counter);
	}
	return exposition_fini(&to);
}

void
ingerometrics_count(struct metrics *metrics, const char *event, bool fabric_error, uint64_t count)
{
	static const struct metrics_family family = {"ingero_rdma_async_event_total",
		"Asynchronous events of RDMA devices.", METRICS_COUNTER, METRICS_LASTING};
	char type[64];
	const struct metrics_label labels[] = {
		{"rdma_event_type", type},
		{"rdma_fabric_error", fabric_error ? "true" : "false"},
	};

	snprintf(type, sizeof type, "IBV_EVENT_%s", event);
	metrics_add(metrics_cell(metrics, &family, labels, ARRAY_COUNT(labels)), count);
}
