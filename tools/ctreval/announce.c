/* announce - what is said once: which of the configured counters the ports of this node have, and that its devices can no longer be listed. */
#include "announce.h"

#include "countercheck.h"
#include "diag.h"

#include <stdio.h>
#include <stdlib.h>

static size_t
judged_ports(const struct scan *scan)
{
	size_t count = 0;
	for (size_t i = 0; i < scan->port_count; i++)
		count += evaluation_is_judged(scan, &scan->ports[i]);
	return count;
}

/* Appends a name to a comma-separated list. */
static int
append_name(char **list, const char *name)
{
	char *longer;
	if (asprintf(&longer, "%s%s%s", *list != NULL ? *list : "", *list != NULL ? ", " : "",
		    name) < 0)
		return -1;
	free(*list);
	*list = longer;
	return 0;
}

/* Two lines of names, from malloc, NULL where there are none. */
static int
list_counters(const struct eval_setting *setting, const struct scan *scan, char **available,
	char **unavailable)
{
	*available = *unavailable = NULL;
	for (size_t c = 0; setting->counter_detection && c < setting->counters->count; c++) {
		const struct counter_def *def = &setting->counters->items[c];
		bool found = false;
		if (!def->enabled)
			continue;
		for (size_t i = 0; i < scan->port_count && !found; i++)
			found = evaluation_is_judged(scan, &scan->ports[i]) &&
				countercheck_value(&scan->ports[i].record, def) != NULL;
		if (append_name(found ? available : unavailable, def->name) < 0)
			return -1;
	}
	return 0;
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
		diag_warn("scan %lld: the devices cannot be listed (%s): none is judged until they "
			  "can be",
			(long long)scan->begin.scan, scan->end.error);
	*announced = scan->listed ? ANNOUNCED_COUNTERS : ANNOUNCED_UNLISTED;
}

int
announce(enum announced *announced, const struct eval_setting *setting, const struct scan *scan)
{
	char *available, *unavailable;

	if (!scan->whole)
		return 0;
	if (*announced >= ANNOUNCED_COUNTERS) {
		announce_listing(announced, scan);
		return 0;
	}
	if (judged_ports(scan) == 0) {
		if (*announced == ANNOUNCED_NOTHING)
			diag_warn("scan %lld has no port to watch", (long long)scan->begin.scan);
		*announced = ANNOUNCED_NO_PORT;
		return 0;
	}
	int status = list_counters(setting, scan, &available, &unavailable);
	if (available != NULL)
		diag_note("counters available: %s", available);
	if (unavailable != NULL)
		diag_note("counters unavailable on every monitored port: %s", unavailable);
	free(available);
	free(unavailable);
	*announced = ANNOUNCED_COUNTERS;
	return status;
}
