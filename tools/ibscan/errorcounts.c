/* errorcounts - the error counters of a port that have counted something, the most serious first. Pure. */
#include "errorcounts.h"

#include <string.h>

static const json_t *
map_of(const struct scanrec_port *port, enum counter_group group)
{
	switch (group) {
	case COUNTER_PORT:
		return port->counters;
	case COUNTER_HW:
		return port->hw_counters;
	case COUNTER_STATISTICS:
	case COUNTER_INTERFACE:
		return port->net;
	case COUNTER_GROUP_N:
		break;
	}
	return NULL;
}

/* Ticks in which there was something to send and no credit for it: a busy fabric has millions. */
static bool
is_congestion(const struct counter_def *def)
{
	return strcmp(def->file, "port_xmit_wait") == 0;
}

static bool
has(const struct errorcount *counts, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++) {
		if (strcmp(counts[i].name, name) == 0)
			return true;
	}
	return false;
}

size_t
errorcounts_of(
	const struct counter_list *list, const struct scanrec_port *port, struct errorcount *counts)
{
	size_t count = 0;

	for (int fatal = 1; fatal >= 0; fatal--) {
		for (size_t i = 0; i < list->count && count < ERRORCOUNTS_MAX; i++) {
			const struct counter_def *def = &list->items[i];
			const json_t *map = map_of(port, def->group);
			double normal = def->type == COUNTER_DELTA ? def->threshold : 0;
			uint64_t value = 0;

			if (def->fatal != (fatal != 0) || is_congestion(def) || map == NULL ||
				rec_get_u64(map, def->file, &value) != REC_OK ||
				(double)value <= normal || has(counts, count, def->file))
				continue;
			counts[count++] = (struct errorcount){
				.name = def->file,
				.value = value,
				.full = value == counter_maximum(def),
			};
		}
	}
	return count;
}
