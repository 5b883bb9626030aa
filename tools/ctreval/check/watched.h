/* watched - selects the devices, ports and counters to evaluate. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CTREVAL_WATCHED_H
#define CTREVAL_WATCHED_H

#include "scan.h"
#include "setting.h"

/* Return true if the device is watched: monitored, not a virtual function, and not a part of
 * another device. */
bool watched_device(const struct scan_device *device);

/* The same for a port. A port whose device record was lost is left to the next scan. */
bool watched_port(const struct scan *scan, const struct scan_port *port);

/* Return true if the port is a plane of a watched NIC: see plane.h. Planes are not evaluated as
 * ports of a card. */
bool watched_plane(const struct scan *scan, const struct scan_port *port);

/* Return true if the settings exclude devices of this name. */
bool watched_is_excluded(const struct eval_setting *setting, const char *device);

/* Return the check that the counter's events belong to. */
enum check watched_check(
	const struct eval_setting *setting, const struct counter_def *def, enum layer layer);

/* Return true if the counter is configured and its check is enabled. */
bool watched_counter(
	const struct eval_setting *setting, const struct counter_def *def, enum layer layer);

/* Return the unit of the counter's rates: its own, but seconds for a delta counter, whose unit is
 * unused. */
enum counter_unit watched_rate_unit(const struct counter_def *def);

#endif
