/* watched - selects the devices, ports and counters to evaluate. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "watched.h"

bool
watched_device(const struct scan_device *device)
{
	return device->record.monitored && !device->record.vf && device->record.parent == NULL;
}

bool
watched_plane(const struct scan *scan, const struct scan_port *port)
{
	if (port->device == SIZE_MAX || !port->record.monitored)
		return false;
	const struct scanrec_device *device = &scan->devices[port->device].record;
	return device->monitored && !device->vf && device->parent != NULL;
}

bool
watched_port(const struct scan *scan, const struct scan_port *port)
{
	return port->record.monitored && port->device != SIZE_MAX &&
	       watched_device(&scan->devices[port->device]);
}

bool
watched_is_excluded(const struct eval_setting *setting, const char *device)
{
	if (setting->inclusion != NULL && setting->inclusion->count > 0)
		return !rx_list_match(setting->inclusion, device);
	return setting->exclusion != NULL && rx_list_match(setting->exclusion, device);
}

enum check
watched_check(const struct eval_setting *setting, const struct counter_def *def, enum layer layer)
{
	return check_of_counter(layer, def->fatal, setting->fatal_counters_as_degradation);
}

bool
watched_counter(const struct eval_setting *setting, const struct counter_def *def, enum layer layer)
{
	return setting->counter_detection && def->enabled &&
	       setting->enabled[watched_check(setting, def, layer)];
}

enum counter_unit
watched_rate_unit(const struct counter_def *def)
{
	return def->type == COUNTER_DELTA ? COUNTER_PER_SECOND : def->unit;
}
