/* announce - messages that are printed once: the available counters, and device classes that cannot
 * be listed. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "announce.h"

#include "check/evaluation.h"
#include "diag.h"
#include "portfacts.h"
#include "strbuf.h"

static size_t
watched_ports(const struct scan *scan)
{
	size_t count = 0;
	for (size_t i = 0; i < scan->port_count; i++)
		count += watched_port(scan, &scan->ports[i]);
	return count;
}

/* Return true if ports to watch may be on a device that could not be read. */
static bool
has_unread_device(const struct scan *scan)
{
	for (size_t i = 0; i < scan->device_count; i++) {
		if (watched_device(&scan->devices[i]) && scan->devices[i].record.error != NULL)
			return true;
	}
	return false;
}

/* Append the counter names, separated by commas. */
static void
list_counters(const struct eval_setting *setting, const struct scan *scan, struct strbuf *available,
	struct strbuf *unavailable)
{
	for (size_t c = 0; setting->counter_detection && c < setting->counters->count; c++) {
		const struct counter_def *def = &setting->counters->items[c];
		bool asked = false, found = false;
		for (size_t i = 0; i < scan->port_count && def->enabled && !found; i++) {
			const struct scan_port *port = &scan->ports[i];
			if (!watched_port(scan, port) || !portfacts_has_counter(&port->record, def))
				continue;
			asked = true;
			found = portfacts_counter(&port->record, def) != NULL;
		}
		struct strbuf *list = found ? available : unavailable;
		if (asked)
			strbuf_addf(list, "%s%s", list->length > 0 ? ", " : "", def->name);
	}
}

static void
announce_listing(enum announced *announced, const struct scan *scan)
{
	if (scan->listed == (*announced == ANNOUNCED_COUNTERS))
		return;
	if (scan->listed)
		diag_note(
			"scan %lld: the devices can be listed again", (long long)scan->begin.scan);
	else
		diag_warn("scan %lld: the devices cannot be listed (%s): none is checked until "
			  "they can be",
			(long long)scan->begin.scan, scan->end.error);
	*announced = scan->listed ? ANNOUNCED_COUNTERS : ANNOUNCED_UNLISTED;
}

int
announce(enum announced *announced, const struct eval_setting *setting, const struct scan *scan)
{
	struct strbuf available = {0}, unavailable = {0};

	if (!scan->whole)
		return 0;
	if (*announced >= ANNOUNCED_COUNTERS) {
		announce_listing(announced, scan);
		return 0;
	}
	if (watched_ports(scan) == 0) {
		if (has_unread_device(scan))
			return 0;
		if (*announced == ANNOUNCED_NOTHING)
			diag_warn("scan %lld has no port to watch", (long long)scan->begin.scan);
		*announced = ANNOUNCED_NO_PORT;
		return 0;
	}
	list_counters(setting, scan, &available, &unavailable);
	int status = available.is_short || unavailable.is_short ? -1 : 0;
	if (available.length > 0)
		diag_note("counters available: %s", available.bytes);
	if (unavailable.length > 0)
		diag_note("counters unavailable on every monitored port: %s", unavailable.bytes);
	strbuf_fini(&available);
	strbuf_fini(&unavailable);
	*announced = ANNOUNCED_COUNTERS;
	return status;
}

static bool
has_infiniband(const struct scan *scan)
{
	for (size_t i = 0; i < scan->port_count; i++) {
		if (watched_port(scan, &scan->ports[i]) &&
			chardev_is_infiniband(scan->ports[i].record.link_layer))
			return true;
	}
	return false;
}

void
announce_chardevs(bool *warned, const struct eval_setting *setting, const struct scan *scan)
{
	const struct scanrec_end *end = &scan->end;
	if (*warned || !scan->whole || !setting->enabled[CHECK_IB_CHARDEV] ||
		(end->verbs_error == NULL && end->mad_error == NULL) || !has_infiniband(scan))
		return;
	bool verbs = end->verbs_error != NULL;
	diag_warn("scan %lld: class/%s cannot be listed (%s): character devices are not checked "
		  "until it can be",
		(long long)scan->begin.scan, verbs ? "infiniband_verbs" : "infiniband_mad",
		verbs ? end->verbs_error : end->mad_error);
	*warned = true;
}
