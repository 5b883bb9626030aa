/* metricname - the metric name of a counter (spec#metrics): its file's name, adapted to Prometheus'
 * conventions. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_METRICNAME_H
#define NHM_METRICNAME_H

#include "counters.h"

/* Room for the longest name and a NUL. */
#define METRICNAME_SIZE 192

/* Write `nic_port_<counter>_total`, without a prefix `port_` of the file:
 * nic_port_rcv_errors_total. The name depends only on the arguments, so that a series keeps its
 * meaning when other counters appear or disappear. A name that belongs to another group
 * (hw_counters/rx_bytes: every network interface has an rx_bytes) gets the prefix of its own group:
 * nic_port_hw_rx_bytes_total.
 *
 * `attempt` is 0, and one more for each name that another counter of the same port already has. */
void metricname_format(
	enum counter_group group, const char *file, unsigned attempt, char out[METRICNAME_SIZE]);

#endif
