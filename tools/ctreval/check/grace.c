/* grace - how long the reload of a driver keeps back what is reported about a device. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "grace.h"

bool
grace_is_running(const struct evaluation *evaluation, const struct device_entry *entry)
{
	uint64_t now_ns = evaluation->scan->begin.boottime_ns;
	uint64_t gone_ns = now_ns > entry->missing_since_ns ? now_ns - entry->missing_since_ns : 0;
	return gone_ns < evaluation->setting->driver_reload_grace_ns;
}

bool
grace_is_gone_for_now(const struct device_entry *entry)
{
	return entry->gone_said.stands && !entry->gone_said.fatal;
}

bool
grace_is_reloading(const struct evaluation *evaluation, const struct device_entry *entry)
{
	return entry->reloading && grace_is_running(evaluation, entry);
}

void
grace_set_reloading(const struct evaluation *evaluation, struct device_entry *entry, bool reloading)
{
	evaluation->state->changed |= entry->reloading != reloading;
	entry->reloading = reloading;
}
