/* portcounters - the counters of all ports of a scan, sorted into the metric families they are shown in. */
#include "portcounters.h"

#include "array.h"
#include "hash.h"
#include "natural.h"

#include <stdlib.h>
#include <string.h>

/* --- families by name --- */

/* Where the name is in the table, or would be. */
static size_t *
place_of(struct port_counters *counters, const char *name)
{
	size_t mask = counters->table_size - 1;
	size_t at = hash_bytes(HASH_START, name, strlen(name)) & mask;
	while (counters->table[at] != 0 &&
		strcmp(counters->families[counters->table[at] - 1].name, name) != 0)
		at = (at + 1) & mask;
	return &counters->table[at];
}

/* Room for one family more, at most half of the table used. */
static int
grow_table(struct port_counters *counters)
{
	if (2 * (counters->family_count + 1) <= counters->table_size)
		return 0;
	size_t size = counters->table_size == 0 ? 256 : 2 * counters->table_size;
	size_t *table = calloc(size, sizeof *table);
	if (table == NULL)
		return -1;
	free(counters->table);
	counters->table = table;
	counters->table_size = size;
	for (size_t i = 0; i < counters->family_count; i++)
		*place_of(counters, counters->families[i].name) = i + 1;
	return 0;
}

static bool
counts_words(enum counter_group group, const char *file)
{
	return group == COUNTER_PORT &&
	       (strcmp(file, "port_rcv_data") == 0 || strcmp(file, "port_xmit_data") == 0);
}

/* The family of this counter, which is a new one when need be, and never one that the port has a counter in already. NULL when
 * memory runs out. */
static struct counter_family *
family_of(struct port_counters *counters, size_t port, enum counter_group group, const char *file)
{
	if (grow_table(counters) < 0)
		return NULL;
	struct counter_family *families = array_grown(counters->families, counters->family_count,
		&counters->family_capacity, sizeof *families);
	if (families == NULL)
		return NULL;
	counters->families = families;

	char name[METRICNAME_SIZE];
	bool words = counts_words(group, file);
	for (unsigned attempt = 0;; attempt++) {
		metricname_format(group, file, attempt, name);
		size_t *place = place_of(counters, name);
		if (*place == 0) {
			struct counter_family *family = &counters->families[counters->family_count];
			*place = ++counters->family_count;
			*family = (struct counter_family){
				.group = group, .file = file, .words = words, .last_port = port};
			strcpy(family->name, name);
			return family;
		}
		struct counter_family *family = &counters->families[*place - 1];
		if (family->last_port != port && family->words == words) {
			family->last_port = port;
			return family;
		}
	}
}

/* --- what a port has --- */

/* `map` is a group's, or NULL. 0, or -1 when memory runs out. */
static int
take_map(struct port_counters *counters, size_t port, enum counter_group group, const json_t *map)
{
	const char *file;
	json_t *json;

	json_object_foreach ((json_t *)map, file, json) {
		uint64_t value;
		/* How long the others are cached: a setting among the counters. */
		bool setting = group == COUNTER_HW && strcmp(file, "lifespan") == 0;
		if (setting || rec_u64(json, &value) != REC_OK)
			continue;
		const struct counter_family *family = family_of(counters, port, group, file);
		struct counter_sample *samples = array_grown(counters->samples,
			counters->sample_count, &counters->sample_capacity, sizeof *samples);
		if (samples != NULL)
			counters->samples = samples;
		if (family == NULL || samples == NULL)
			return -1;
		counters->samples[counters->sample_count++] = (struct counter_sample){
			.family = (size_t)(family - counters->families),
			.port = port,
			.value = value,
		};
	}
	return 0;
}

static int
compare_samples(const void *left, const void *right, void *context)
{
	const struct counter_sample *a = left, *b = right;
	const struct port_counters *counters = context;
	if (a->family != b->family)
		return natural_compare(
			counters->families[a->family].name, counters->families[b->family].name);
	return a->port < b->port ? -1 : 1;
}

int
portcounters_init(struct port_counters *counters, const struct scan *scan)
{
	*counters = (struct port_counters){0};
	for (size_t i = 0; i < scan->port_count; i++) {
		const struct scanrec_port *port = &scan->ports[i].record;
		if (take_map(counters, i, COUNTER_PORT, port->counters) < 0 ||
			take_map(counters, i, COUNTER_HW, port->hw_counters) < 0 ||
			take_map(counters, i, COUNTER_STATISTICS, port->net) < 0)
			return -1;
	}
	if (counters->sample_count > 0)
		qsort_r(counters->samples, counters->sample_count, sizeof *counters->samples,
			compare_samples, counters);
	return 0;
}

void
portcounters_fini(struct port_counters *counters)
{
	free(counters->families);
	free(counters->samples);
	free(counters->table);
	*counters = (struct port_counters){0};
}
