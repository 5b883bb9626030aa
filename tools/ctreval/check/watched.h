/* watched - which devices, ports and counters of a scan are judged. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CTREVAL_WATCHED_H
#define CTREVAL_WATCHED_H

#include "scan.h"
#include "setting.h"

/* True for a device that is watched: no virtual function, which never alerts; no NIC that nobody
 * needs for the job; and no part of another device. */
bool watched_device(const struct scan_device *device);

/* The same for a port. One whose device record was lost may be of any device: it is left for the
 * next scan. */
bool watched_port(const struct scan *scan, const struct scan_port *port);

/* A port that is a plane of a NIC that is watched: see plane.h. It is no port of a card, and
 * not judged as one. */
bool watched_plane(const struct scan *scan, const struct scan_port *port);

/* The check that the counter's events belong to. */
enum check watched_check(
	const struct eval_setting *setting, const struct counter_def *def, enum layer layer);

/* True when this counter is judged: it is configured, and the check its events belong to is on. */
bool watched_counter(
	const struct eval_setting *setting, const struct counter_def *def, enum layer layer);

/* The unit that rates of this counter are in: its own, but seconds for a delta counter, whose unit
 * means nothing. */
enum counter_unit watched_rate_unit(const struct counter_def *def);

#endif
