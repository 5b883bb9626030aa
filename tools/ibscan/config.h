/* config - the devices and counters selected by the command line and the configuration. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IBSCAN_CONFIG_H
#define IBSCAN_CONFIG_H

#include "ibscan.h"

/* Parse `all`, `none`, `configured` (the counters enabled in `counters`) or a comma-separated list
 * of names such as `link_downed` or `hw_counters/out_of_sequence`. Return NULL, or the reason for
 * rejecting it. */
const char *config_choose(
	struct scan_config *config, const char *text, const struct counter_list *counters);

/* Return true if a device of this name is to be scanned. */
bool config_wants_device(const struct scan_config *config, const char *name);

/* Return true if this counter file is to be read on the ports of this vendor's NICs. */
bool config_wants_counter(const struct scan_config *config, enum counter_group group,
	const char *file, enum vendor vendor);

void config_fini(struct scan_config *config);

#endif
