/* config - which devices and counters the command line and the configuration ask for. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IBSCAN_CONFIG_H
#define IBSCAN_CONFIG_H

#include "ibscan.h"

/* Takes `all`, `none`, `configured` (what `counters` has enabled) or a comma-separated list of
 * names such as `link_downed` or `hw_counters/out_of_sequence`. Returns NULL, or why not. */
const char *config_choose(
	struct scan_config *config, const char *text, const struct counter_list *counters);

/* True when a device of this name is to be scanned. */
bool config_wants_device(const struct scan_config *config, const char *name);

/* True when this counter file is to be read on a port of such a NIC. */
bool config_wants_counter(const struct scan_config *config, enum counter_group group,
	const char *file, enum vendor vendor);

void config_fini(struct scan_config *config);

#endif
