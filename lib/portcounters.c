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

/* A new family in the table's free place. */
static struct counter_family *
add_family(struct port_counters *counters, const char *name, size_t *place)
{
	struct counter_family *families = array_grown(counters->families, counters->family_count,
		&counters->family_capacity, sizeof *families);
	if (families == NULL)
		return NULL;
	counters->families = families;
	struct counter_family *family = &families[counters->family_count];
	*family = (struct counter_family){.last_port = SIZE_MAX};
	strcpy(family->name, name);
	*place = ++counters->family_count;
	return family;
}

/* The family of this counter, which is a new one when need be, and never one that the port has a counter in already. NULL when
 * memory runs out. */
static struct counter_family *
find_family(struct port_counters *counters, size_t port, enum counter_group group, const char *file)
{
	if (grow_table(counters) < 0)
		return NULL;
	char name[METRICNAME_SIZE];
	bool words = counts_words(group, file);
	for (unsigned attempt = 0;; attempt++) {
		metricname_format(group, file, attempt, name);
		size_t *place = place_of(counters, name);
		if (*place != 0) {
			struct counter_family *family = &counters->families[*place - 1];
			if (family->last_port != port && family->words == words)
				return family;
			continue;
		}
		struct counter_family *family = add_family(counters, name, place);
		if (family != NULL) {
			family->group = group;
			family->file = file;
			family->words = words;
			family->plain = attempt == 0;
		}
		return family;
	}
}

/* The same, without making up its name where that is known to lead to this family. */
static struct counter_family *
family_of(struct port_counters *counters, size_t port, enum counter_group group, const char *file)
{
	struct counter_family *family = NULL;
	if (counters->next < counters->family_count)
		family = &counters->families[counters->next];
	if (family == NULL || !family->plain || family->group != group ||
		family->last_port == port || strcmp(family->file, file) != 0)
		family = find_family(counters, port, group, file);
	if (family != NULL) {
		family->last_port = port;
		counters->next = (size_t)(family - counters->families) + 1;
	}
	return family;
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
		struct portcounters_sample *samples = array_grown(counters->samples,
			counters->sample_count, &counters->sample_capacity, sizeof *samples);
		if (samples != NULL)
			counters->samples = samples;
		if (family == NULL || samples == NULL)
			return -1;
		counters->samples[counters->sample_count++] = (struct portcounters_sample){
			.family = (size_t)(family - counters->families),
			.port = port,
			.value = value,
		};
	}
	return 0;
}

/* --- in order --- */

static int
compare_families(const void *left, const void *right, void *context)
{
	const struct counter_family *families = context;
	return natural_compare(
		families[*(const size_t *)left].name, families[*(const size_t *)right].name);
}

/* From the order of ports to that of families' names, in which those of one family stay in the order of ports. 0, or -1 when memory runs out. */
static int
sort_samples(struct port_counters *counters)
{
	size_t family_count = counters->family_count, sample_count = counters->sample_count;
	if (sample_count == 0)
		return 0;
	size_t *order = calloc(family_count, sizeof *order);
	struct portcounters_sample *sorted = calloc(sample_count, sizeof *sorted);
	if (order == NULL || sorted == NULL) {
		free(order);
		free(sorted);
		return -1;
	}
	for (size_t i = 0; i < family_count; i++)
		order[i] = i;
	qsort_r(order, family_count, sizeof *order, compare_families, counters->families);

	for (size_t i = 0; i < sample_count; i++)
		counters->families[counters->samples[i].family].end++;
	size_t end = 0;
	for (size_t i = 0; i < family_count; i++) {
		struct counter_family *family = &counters->families[order[i]];
		end += family->end;
		family->end = end;
	}
	for (size_t i = sample_count; i-- > 0;) {
		const struct portcounters_sample *sample = &counters->samples[i];
		sorted[--counters->families[sample->family].end] = *sample;
	}
	free(order);
	free(counters->samples);
	counters->samples = sorted;
	counters->sample_capacity = sample_count;
	return 0;
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
	return sort_samples(counters);
}

void
portcounters_fini(struct port_counters *counters)
{
	free(counters->families);
	free(counters->samples);
	free(counters->table);
	*counters = (struct port_counters){0};
}
