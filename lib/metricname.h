/* metricname - what a counter is called as a metric (spec#metrics): the name of its file, as
 * Prometheus' conventions want it. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_METRICNAME_H
#define NHM_METRICNAME_H

#include "counters.h"

/* Room for the longest name and a NUL. */
#define METRICNAME_SIZE 192

/* `nic_port_<counter>_total`; of a file that begins with `port_` without that:
 * nic_port_rcv_errors_total. The name depends on nothing but the arguments, so that a series keeps
 * its meaning when another counter comes or goes. A file with a name that belongs to another group
 * (hw_counters/rx_bytes: every network interface has an rx_bytes) has its own group's before it:
 * nic_port_hw_rx_bytes_total.
 *
 * `attempt` is 0, and one more each time that the name was found to be another counter's of the
 * same port. */
void metricname_format(
	enum counter_group group, const char *file, unsigned attempt, char out[METRICNAME_SIZE]);

#endif
